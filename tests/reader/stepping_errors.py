"""Iterators by `__next__` whose turns make a difference: one error each.

The golden file beside holds the texts.
"""

from stepping_programs import _Endless, _Rows, _Steps


class _Until(_Steps):
    def __next__(self):
        if self.x < 0.5:
            raise StopIteration
        self.x = self.x * 0.5
        return self.x


class _Same:
    def __init__(self, x):
        self.v, self.i = [x], 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i == 3:
            raise StopIteration
        self.i += 1
        self.v[0] = self.v[0] * 2.0
        return self.v


def others_can_see_it(x: float) -> float:
    steps, total = _Steps(x, 0.1, 3), 0.0
    for v in steps:
        total += v * steps.i
    return total


def the_kernel_knows_when_it_ends(x: float) -> float:
    return sum(_Until(x, 0.1, 3))


def the_same_list_again(x: float) -> float:
    return sum(v[0] for v in _Same(x))


def what_it_runs_over_changes(x: float) -> float:
    xs, total = [x, 2.0], 0.0
    for v in _Rows(xs):
        xs[1] = total
        total += v
    return total


def it_never_ends(x: float) -> float:
    return sum(_Endless(x, 2.0))


def nothing_is_left(x: float) -> float:
    steps = _Steps(x, 0.1, 1)
    return next(steps) + next(steps)
