"""A struct made from another one stands where its base class is annotated, at the edges too."""

import numpy as np
import pytest

import egad
from egad import DeviceError, bwd_diff, derive, diff_pair, fwd_diff, sin, struct

pytestmark = pytest.mark.numbers


@struct
class Lens:
    a: float

    def bend(self, x: float) -> float:
        return self.a * x

    def twice(self, x: float) -> float:
        return 2.0 * self.bend(x)


@struct
class Wavy(Lens):
    b: float

    def bend(self, x: float) -> float:
        return self.a * sin(self.b * x)


def through(s: Lens, x: float) -> float:
    t = s
    for _ in range(3):
        x = x + 0.5 * t.bend(x)
    return s.twice(x) + s.a


LENSES = [Lens(0.5), Wavy(0.75, 3.0)]


def slope(f, x, h=1e-6):
    return (f(x + h) - f(x - h)) / (2 * h)


def test_a_base_class_stands_for_the_structs_made_from_it():
    closed = {Lens: [Lens, Wavy]}
    primal = derive(through, "primal", dtype="float64", implementations=closed)
    bwd = derive(through, dtype="float64", implementations=closed)
    wanted = [through(lens, 0.3) for lens in LENSES]
    for run in (primal, primal.reference):
        np.testing.assert_allclose(run(LENSES, 0.3), wanted, rtol=1e-14)
    for run in (bwd, bwd.reference):
        plain, wavy = run(LENSES, 0.3, 1.0).s
        assert type(plain) is Lens and type(wavy) is Wavy
        assert plain.a == pytest.approx(slope(lambda a: through(Lens(a), 0.3), 0.5), rel=1e-7)
        assert wavy.a == pytest.approx(slope(lambda a: through(Wavy(a, 3.0), 0.3), 0.75), rel=1e-7)
        assert wavy.b == pytest.approx(slope(lambda b: through(Wavy(0.75, b), 0.3), 3.0), rel=1e-7)


def made(x: float) -> Lens:
    return Wavy(x, 2.0 * x)


def made_with_more(x: float) -> tuple[Lens, float]:
    return Wavy(x, 2.0), x * x


def test_a_result_keeps_its_class():
    assert derive(made, "primal")(0.5) == Wavy(0.5, 1.0)
    assert derive(made, "bwd")(0.5, Wavy(1.0, 10.0)).x == 21.0
    assert derive(made_with_more, "primal")(0.5) == (Wavy(0.5, 2.0), 0.25)


def asked_backwards(x: float) -> float:
    gradients = bwd_diff(through)(Wavy(x, 2.0), 0.3, 1.0)
    return gradients[0].b + gradients[1]


def asked_forwards(x: float) -> float:
    return fwd_diff(through)(diff_pair(Wavy(x, 2.0), Wavy(1.0, 0.0)), 0.3).d


def bend_bwd(s: Lens, x: float, out_bar: float):
    return None, 3.0 * out_bar


@egad.custom_bwd(bend_bwd)
def bent(s: egad.no_diff[Lens], x: float) -> float:
    return s.bend(x)


def ruled(x: float) -> float:
    return bent(Wavy(2.0, 3.0), x) + bent(Lens(2.0), x)


def test_a_derived_struct_in_derivatives_and_rules():
    along_b = slope(lambda b: through(Wavy(0.75, b), 0.3), 2.0)
    along_x = slope(lambda x: through(Wavy(0.75, 2.0), x), 0.3)
    along_a = slope(lambda a: through(Wavy(a, 2.0), 0.3), 0.75)
    backwards = derive(asked_backwards, "primal", dtype="float64")
    assert backwards(0.75) == pytest.approx(along_b + along_x, rel=1e-7)
    forwards = derive(asked_forwards, "primal", dtype="float64")
    assert forwards(0.75) == pytest.approx(along_a, rel=1e-7)
    assert derive(ruled, "primal", dtype="float64")(0.4) == pytest.approx(ruled(0.4), rel=1e-14)
    assert derive(ruled, dtype="float64")(0.4, 1.0).x == 6.0


def test_a_list_of_structs_is_a_batch():
    bwd = derive(through, dtype="float64")
    one = [bwd(Lens(a), 0.3, 1.0) for a in (0.5, 0.6)]
    both = bwd([Lens(0.5), Lens(0.6)], 0.3, 1.0)
    assert both.s == [one[0].s, one[1].s]
    assert both.x == one[0].x + one[1].x


def test_a_derived_struct_is_no_argument_for_its_base_alone():
    bwd = derive(through)
    with pytest.raises(DeviceError) as raised:
        bwd([Wavy(0.5, 1.0)], 0.3, 1.0)
    assert str(raised.value) == (
        "argument 's[0]' (Lens): expected a Lens, got a Wavy, which may do otherwise\n"
        "  derive for it: derive(…, types={'s': Wavy}); "
        "for both of them: implementations={Lens: [Lens, Wavy]}"
    )


@struct
class Grown:
    a: float

    @classmethod
    def of(cls, x: float) -> "Grown":
        return cls(x)

    @staticmethod
    def twice(x: float) -> float:
        return 2.0 * x


@struct
class GrownTwice(Grown):
    b: float = 1.0

    @classmethod
    def of(cls, x: float) -> "GrownTwice":
        one = super().of(x)
        one.b = super().twice(x) + 1.0
        return one


def grown(x: float) -> float:
    one = GrownTwice.of(x)
    return one.a * one.b


def test_super_in_a_class_method_is_the_base_class():
    assert derive(grown, "primal", dtype="float64")(0.6) == grown(0.6)
    assert derive(grown, dtype="float64")(0.6, 1.0).x == pytest.approx(slope(grown, 0.6))
