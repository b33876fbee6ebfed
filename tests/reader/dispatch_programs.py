"""Programs with `functools.singledispatchmethod`: the class of an argument chooses the method.

Every public function takes two real numbers; Python runs them too.
"""

import functools

from common_programs import _A, _B, _C


class _Scene:
    def __init__(self, scale):
        self.scale = scale

    @functools.singledispatchmethod
    def area(self, shape, k=1.0):
        return self.scale * shape * k

    @area.register
    def _(self, shape: _A, k=1.0):
        return self.scale * shape.r**2 * k

    @area.register(_C)
    def _(self, shape, k=1.0):
        return self.area(shape.inner, k) + shape.w

    @functools.singledispatchmethod
    @classmethod
    def weight(cls, shape):
        return 2.0 * shape

    @weight.register(_A)
    @classmethod
    def _(cls, shape):
        return 3.0 * shape.r


class _Wide(_Scene):
    def area(self, shape, k=1.0):
        return super().area(shape, 2.0 * k)


def dispatch_of_methods(a, b):
    scene, either = _Scene(b), _A(a) if a > b else _C(_A(b), a)
    total = scene.area(a) + scene.area(_B(a, 1.0), k=b) + scene.area(either) + scene.weight(a)
    one = scene if a > 1.0 else _Scene(a * b)
    return total + scene.weight(_A(b)) + _Wide(a).area(_A(b)) + one.area(_A(a))
