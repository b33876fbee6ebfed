"""Powers with constant exponents: roots and products where they are cheaper, else one power."""

import mpmath
import numpy as np
import pytest

from egad import derive

HALVES = [-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5]
QUARTERS = [-1.75, -1.25, -0.75, -0.25, 0.25, 0.75, 1.25, 1.75, 2.25]
OTHERS = [-2.125, -0.375, 0.125, 0.625, 1.375, 7.125]  # exact in float32, too
PLACES = [1e-6, 0.013, 0.7, 1.0, 3.0, 1e4]


def power(exponent: float):
    """x to that power, of a function that egad can read."""
    return lambda x: x**exponent


@pytest.mark.parametrize("exponent", HALVES + QUARTERS)
def test_half_and_quarter_exponents_are_roots(exponent):
    d = derive(power(exponent), "value_and_grad", dtype="float64")
    assert "pow" not in d.report.counts_after


@pytest.mark.parametrize("exponent", OTHERS)
def test_a_value_and_its_derivative_share_one_power(exponent):
    counts = derive(power(exponent), "value_and_grad", dtype="float64").report.counts_after
    assert counts["pow"] == 1


@pytest.mark.numbers
@pytest.mark.parametrize(("dtype", "within"), [("float64", 2e-15), ("float32", 1e-6)])
@pytest.mark.parametrize("exponent", HALVES + QUARTERS + OTHERS)
def test_they_are_as_exact_as_powers(exponent, dtype, within):
    d = derive(power(exponent), "value_and_grad", dtype=dtype)
    x = np.array(PLACES, dtype)
    value, slope = (np.ravel(part) for part in d.reference(x))
    for i, place in enumerate(x):
        at = mpmath.mpf(float(place))
        for found, want in (
            (value[i], at ** mpmath.mpf(exponent)),
            (slope[i], exponent * at ** mpmath.mpf(exponent - 1)),
        ):
            assert float(found) == pytest.approx(float(np.array(float(want), dtype)), rel=within)


@pytest.mark.numbers
@pytest.mark.parametrize("exponent", HALVES + QUARTERS + OTHERS)
def test_special_values_stay_what_they_are(exponent):
    d = derive(power(exponent), "value_and_grad", dtype="float64")
    x = np.array([0.0, np.inf, -1.0, np.nan])
    with np.errstate(all="ignore"):
        want = x**exponent, exponent * x ** (exponent - 1)
        value, slope = (np.ravel(part) for part in d.reference(x))
    np.testing.assert_array_equal(value, want[0])
    np.testing.assert_array_equal(slope, want[1])


THIRDS = [-2, -1, 1, 2, 4, 5, 7, 8]


@pytest.mark.parametrize(("dtype", "within"), [("float64", 2e-15), ("float32", 1e-6)])
@pytest.mark.parametrize("thirds", THIRDS)
def test_third_powers_are_cube_roots(thirds, dtype, within):
    d = derive(power(thirds / 3), "value_and_grad", dtype=dtype)
    assert "pow" not in d.report.counts_after and d.report.counts_after["cbrt"] == 1
    x = np.array(PLACES, dtype)
    value, slope = (np.ravel(part) for part in d.reference(x))
    exponent = mpmath.mpf(thirds) / 3
    for i, place in enumerate(x):
        at = mpmath.mpf(float(place))
        assert float(value[i]) == pytest.approx(float(at**exponent), rel=within)
        assert float(slope[i]) == pytest.approx(float(exponent * at ** (exponent - 1)), rel=within)


@pytest.mark.parametrize("exponent", [t / 3 for t in THIRDS] + [0.3, 0.7, -0.3, -0.7, 0.45])
def test_slopes_of_fractional_powers_at_their_ends(exponent):
    d = derive(power(exponent), "value_and_grad", dtype="float64")
    x = np.array([0.0, np.inf, -1.0, -np.inf, np.nan])
    with np.errstate(all="ignore"):
        value, slope = (np.ravel(part) for part in d.reference(x))
        want = x**exponent, exponent * x ** (exponent - 1)
    inside = [0, 1, 2, 4]  # pow(-inf, 0.3) is inf, as a root it is none
    np.testing.assert_array_equal(value[inside], want[0][inside])
    np.testing.assert_array_equal(slope[inside], want[1][inside])
    counts = d.report.counts_after
    assert counts.get("pow", 0) + counts.get("cbrt", 0) == 1


@pytest.mark.numbers
@pytest.mark.parametrize("exponent", [0.3, 1 / 3, 2 / 3, 0.25, -0.3])
def test_lengths_to_a_fractional_power_have_no_slope_at_the_origin(exponent):
    d = derive(lambda x, y: (x * x + y * y) ** exponent, "value_and_grad", dtype="float64")
    value, slopes = d.reference(3.0, -4.0)
    assert value == pytest.approx(25**exponent, rel=1e-14)
    assert tuple(slopes) == pytest.approx(
        (6 * exponent * 25 ** (exponent - 1), -8 * exponent * 25 ** (exponent - 1)), rel=1e-14
    )
    if exponent > 0:
        assert tuple(d.reference(0.0, 0.0)[1]) == (0.0, 0.0)


WRITTEN = [-1.5, -0.5, -0.25, 0.25, 0.5, 0.75, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0]


@pytest.mark.parametrize("exponent", WRITTEN)
def test_powers_that_are_written_by_logarithms_need_none(exponent):
    d = derive(lambda x: np.exp(exponent * np.log(x)), "value_and_grad", dtype="float64")
    e = derive(lambda x: np.exp(np.log(1.0 - x) * exponent), "value_and_grad", dtype="float64")
    assert not {"exp", "log", "log1p", "pow"} & {*d.report.counts_after, *e.report.counts_after}
    x = np.array([0.013, 0.7, 3.0, 1e4])
    value, slope = (np.ravel(part) for part in d.reference(x))
    np.testing.assert_allclose(value, x**exponent, rtol=1e-14)
    np.testing.assert_allclose(slope, exponent * x ** (exponent - 1.0), rtol=1e-14)
    x = np.array([-1e4, -0.7, 1e-9, 0.3])
    value, slope = (np.ravel(part) for part in e.reference(x))
    np.testing.assert_allclose(value, (1.0 - x) ** exponent, rtol=1e-14)
    np.testing.assert_allclose(slope, -exponent * (1.0 - x) ** (exponent - 1.0), rtol=1e-14)


@pytest.mark.numbers
@pytest.mark.parametrize("exponent", WRITTEN)
def test_they_have_slopes_at_0_and_no_values_below(exponent):
    d = derive(lambda x: np.exp(exponent * np.log(x)), "value_and_grad", dtype="float64")
    with np.errstate(all="ignore"):
        x = np.array([0.0, -1.0, np.nan, np.inf])
        value, slope = (np.ravel(part) for part in d.reference(x))
        want = exponent * np.array([0.0, np.inf]) ** (exponent - 1.0)
        np.testing.assert_array_equal(value, np.exp(exponent * np.log(x)))
    np.testing.assert_array_equal(slope[[0, 3]], want)
    assert np.isnan(slope[1:3]).all()


def hill(x: float, k: float, n: float) -> float:
    return x**n / (k**n + x**n)


def utility(x: float, k: float, n: float) -> float:
    return x**n + 3.0 * k**n


def weibull(x: float, scale: float, k: float) -> float:
    return k / scale * (x / scale) ** (k - 1.0) * np.exp(-((x / scale) ** k))


@pytest.mark.parametrize(("f", "powers"), [(utility, 2), (hill, 1), (weibull, 1)])
def test_a_base_has_one_power_whatever_the_exponent(f, powers):
    d = derive(f, dtype="float64")
    assert d.report.counts_after["pow"] == powers
    for point in ((0.7, 1.3, 2.5), (2.0, 0.5, 0.75), (1e-6, 1e-3, 1.0)):
        with mpmath.workdps(40):
            exact = weibull_exactly if f is weibull else f
            axes = [tuple(int(i == k) for k in range(3)) for i in range(3)]
            want = [float(mpmath.diff(exact, tuple(map(mpmath.mpf, point)), a)) for a in axes]
        assert list(d(*point, 1.0)) == pytest.approx(want, rel=1e-11)


def weibull_exactly(x, scale, k):
    return k / scale * (x / scale) ** (k - 1) * mpmath.exp(-((x / scale) ** k))


@pytest.mark.parametrize("exponent", [-2.0, -0.5, 0.0, 0.3, 1.0, 1.7, 2.0, 3.0])
def test_powers_at_zero_and_below_whatever_the_exponent(exponent):
    """The slopes by both are those of the rules as they stand."""

    def power_of_both(x: float, y: float) -> float:
        return x**y

    d, plain = (derive(power_of_both, dtype="float64", math=math) for math in ("safe", "strict"))
    assert d.report.counts_after["pow"] == 1
    assert plain.report.counts_after["pow"] == 2
    for x in (0.0, -1.0, -2.5, 1e-9, 1.0):
        assert list(d(x, exponent, 1.0)) == pytest.approx(
            list(plain(x, exponent, 1.0)), rel=1e-13, nan_ok=True
        )
