"""What SciPy has of special functions and distributions gives what SciPy gives, and its slopes."""

import importlib.util
import math
import sys

import mpmath
import numpy as np
import pytest
import scipy.special as sp
import scipy_programs
from scipy.integrate import simpson
from scipy.interpolate import interp1d
from scipy.linalg import cosm
from scipy.spatial.transform import Rotation
from scipy.stats import gamma, norm, vonmises
from test_python_errors import functions
from truths import values_and_slopes_are_those_of

from egad import derive
from egad.terms.errors import TraceError

EXPRESSIONS = """
sp.ndtr(x)
sp.log_ndtr(x)
sp.log_ndtr(-4 * x)
sp.logit(p)
sp.log_expit(x)
sp.loggamma(y)
sp.beta(y, p)
sp.betaln(y, p)
sp.polygamma(0, y) + sp.polygamma(1, y)
sp.xlogy(y, p)
sp.xlog1py(y, p)
sp.entr(p)
sp.rel_entr(p, y)
sp.kl_div(p, y)
sp.huber(y, x) + sp.huber(p, x)
sp.pseudo_huber(y, x)
sp.inv_boxcox(y, p)
sp.boxcox1p(y, p)
sp.logsumexp([x, y])
sp.logsumexp([x, y], b=[2.0, p])
sp.logsumexp(np.array([[x, y], [p, x]]), axis=0)[1]
sp.logsumexp(np.array([[x, y], [p, x]]), axis=1, keepdims=True)[0, 0]
sp.softmax(np.array([x, y, p]))[0]
sp.softmax(np.array([[x, y], [p, x]]), axis=1)[0, 1]
sp.log_softmax([x, y, p])[1]
sp.ndtr(np.array([x, y])).sum()
sp.xlogy(np.array([x, y]), p).sum() + sp.xlogy(2.0, [x, y])[1]
sp.logit(np.array([0.2, p]))[1]
scipy.linalg.norm([x, y]) + scipy.linalg.norm([x, y], 1)
scipy.linalg.det(np.array([[x, y], [p, x]]))
scipy.linalg.inv(np.array([[x, y], [p, -x]]))[0, 1]
scipy.linalg.solve(np.array([[x, y], [p, -x]]), np.array([x, y]))[1]
scipy.linalg.block_diag([[x]], [[y, p]], 2 * p)[1, 2]
scipy.linalg.cholesky(np.array([[2 + x, p], [p, 3.0]]), lower=True)[1, 1]
scipy.linalg.cholesky(np.array([[2 + x, p], [p, 3.0]]))[0, 1]
scipy.linalg.solve_triangular(np.array([[x, 7.0], [y, p]]), [1.0, x], lower=True)[1]
scipy.linalg.solve_triangular(np.array([[x, y], [7.0, p]]), [1.0, x], unit_diagonal=True)[0]
distance.euclidean([x, y], [p, 1.0]) + distance.sqeuclidean([x, y], [p, 1.0])
distance.cosine([x, y], [p, 1.0]) + distance.correlation([x, y, p], [p, 1.0, y])
distance.cityblock([x, y], [p, 1.0]) + distance.chebyshev([x, y], [p, 0.9])
distance.minkowski([x, y], [p, 1.0]) + distance.minkowski([x, y], [p, 1.0], 3)
np.polynomial.polynomial.polyval(x, [1.0, y, p])
scipy.integrate.trapezoid([x, y, p]) + scipy.integrate.trapezoid([x, y, p], [0.0, p, 2.0])
scipy.integrate.simpson([x, y, p], dx=0.5) + scipy.integrate.simpson([x, y, p], x=[0.0, p, 2.0])
scipy.integrate.cumulative_trapezoid([x, y, p], initial=0)[2]
Rotation.from_euler("z", x).apply([1.0, y, 0.0])[0]
Rotation.from_euler("xyz", [x, y, p]).as_matrix()[0, 1]
Rotation.from_euler("ZYX", [x, y, p]).as_matrix()[2, 1]
Rotation.from_euler("XYX", [x, y, p], degrees=True).as_quat()[1]
Rotation.from_quat([x, y, p, 1.0]).as_matrix()[0, 1]
Rotation.from_quat([x, y, p, -1.0], scalar_first=True).as_quat(canonical=True)[2]
Rotation.from_rotvec([x, y, p]).as_matrix()[0, 1]
Rotation.from_rotvec([x, y, p], degrees=True).as_rotvec(degrees=True)[1]
Rotation.from_matrix(Rotation.from_rotvec([x, y, p]).as_matrix()).as_quat()[1]
Rotation.from_matrix(Rotation.from_rotvec([4 * x, y, p]).as_matrix()).as_rotvec()[0]
Rotation.from_matrix(Rotation.from_rotvec([x, 3 * y, p]).as_matrix()).as_rotvec()[0]
Rotation.from_matrix(Rotation.from_rotvec([x, y, 7 * p]).as_matrix()).as_rotvec()[2]
(Rotation.from_rotvec([x, y, p]) * Rotation.from_euler("x", y)).magnitude()
Rotation.from_rotvec([x, y, p]).inv().apply(np.array([x, 1.0, 2.0]))[1]
Rotation.from_rotvec([x, y, p]).apply([[x, 1.0, 2.0], [p, y, 1.0]], inverse=True)[1, 2]
CUBIC(x) + CUBIC(x + 1.5) + CUBIC(-x) + CUBIC(x + 9)
CUBIC(x, 1) + CUBIC(x, 2) + CUBIC.derivative()(y) + CUBIC.derivative(2)(y)
CUBIC([x, y])[1] + np.sum(LINES(np.array([x, y])))
MONOTONE(x) + MONOTONE(y) + AKIMA(x) + ONES(x)
LINES(x) + LINES(y + 1)
BEYOND(x - 3) + BEYOND(x + 9) + FILLED(x - 3) + FILLED(x + 9) + FILLED(y)
(TURNED * Rotation.from_rotvec([x, y, p]) * Rotation.identity()).as_rotvec()[2]
norm.pdf(x)
norm.cdf(x)
norm.cdf(x, y, p)
norm.cdf(x, loc=y, scale=p)
norm.logpdf(x, y, scale=p)
norm.sf(x*9)
norm.logcdf(-9*x)
norm.logsf(9*x,y,p)
norm(y,p).pdf(x)
norm(loc=y,scale=p).logcdf(x)
norm.pdf(np.array([x,y]),p,2.0).sum()
norm.logpdf([x,y],[p,x],y).sum()
np.sum(norm(0,1).cdf(np.array([x,y])))
expon.pdf(x)
expon.cdf(x,scale=y)
expon.logpdf(x, scale=y)
uniform.pdf(x,0,2)
uniform.cdf(x,-1,3)
logistic.pdf(x)
logistic.logpdf(-x,y,p)
logistic.cdf(x)
laplace.pdf(x,y,p)
laplace.cdf(-x)
laplace.sf(x,y)
cauchy.pdf(x,y,p)
cauchy.cdf(-x*100)
cauchy.sf(x*100)
gumbel_r.pdf(x,y,p)
gumbel_r.sf(x)
rayleigh.pdf(x,scale=y)
rayleigh.cdf(x)
rayleigh.logpdf(x,scale=p)
weibull_min.pdf(x,y)
weibull_min.pdf(x,c=y,scale=p)
weibull_min.cdf(x,y,0,p)
weibull_min.logsf(x,y)
pareto.pdf(x+1,y)
pareto.cdf(x+1,y)
pareto.sf(x*0,y)
lognorm.pdf(x,p)
lognorm.cdf(x,s=p,scale=y)
lognorm.sf(x,p)
halfnorm.pdf(x)
halfnorm.cdf(x,scale=y)
gamma.pdf(x,y)
gamma.logpdf(x,a=y,scale=p)
gamma(2.5,scale=p).pdf(x)
chi2.pdf(x,4)
chi2.logpdf(x,df=y)
beta.pdf(p,x,y)
beta.logpdf(p,a=y,b=x)
t.pdf(x,y)
t.logpdf(x,df=5,loc=y,scale=p)
sp.ndtri(p) + sp.erfinv(x / 2) + sp.erfcinv(y)
norm.ppf(p, x, y)
norm.isf([p, 0.01 * p], loc=x).sum() + norm(x, y).ppf(p) + norm(x, y).isf(p / 9)
lognorm.ppf(p, s=y, scale=x) + lognorm.isf(p, y)
halfnorm.ppf(p, x, y) + halfnorm.isf(p)
expon.ppf(p, scale=y) + expon.isf(p)
uniform.ppf(p, x, y) + uniform.isf(p)
logistic.ppf(p, x, y) + logistic(x).isf(p)
laplace.ppf(p, x, y) + laplace.isf(p / 2)
cauchy.ppf(p, x, y) + cauchy.isf(p / 9) + cauchy.isf(1 - p / 9)
gumbel_r.ppf(p, x, y) + gumbel_r.isf(p)
rayleigh.ppf(p, x, y) + rayleigh.isf(p)
weibull_min.ppf(p, y, x) + weibull_min.isf(p, x)
pareto.ppf(p, y, x) + pareto.isf(p, x)
norm.median(x, y) + lognorm(y, scale=x).median() + weibull_min.median(c=y, scale=x)
poisson.pmf(3,y)
poisson.logpmf(2,mu=y)
poisson(y).pmf(1)
binom.pmf(2,5,p)
binom.logpmf(5,5,p=p)
-np.sum(norm.logpdf(np.array([0.1,0.2,0.3]),loc=x,scale=np.exp(y)))
""".strip().splitlines()
IMPORTS = """
import numpy as np
import scipy.integrate
import scipy.linalg
import scipy.special as sp
from scipy.interpolate import Akima1DInterpolator, CubicSpline, PchipInterpolator, PPoly, interp1d
from scipy.spatial import distance
from scipy.spatial.transform import Rotation
from scipy.stats import *

XS, YS = np.array([0.0, 1.0, 2.0, 4.0]), np.array([1.0, 2.0, 0.0, 3.0])
CUBIC, MONOTONE = CubicSpline(XS, YS), PchipInterpolator(XS, YS)
AKIMA, LINES = Akima1DInterpolator(XS, YS), interp1d(XS, YS)
BEYOND = interp1d(XS, YS, fill_value="extrapolate")
FILLED = interp1d(XS, YS, fill_value=(5.0, 6.0), bounds_error=False)
ONES = PPoly(np.ones((2, 3)), XS)
TURNED = Rotation.from_euler("y", 0.3)


"""
POINTS = ((0.7, 1.3, 0.4), (1.6, 0.8, 0.55))


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    path = tmp_path_factory.mktemp("scipy_words") / "scipy_words.py"
    texts = [f"def f{k}(x, y, p):\n    return {body}\n" for k, body in enumerate(EXPRESSIONS)]
    path.write_text(IMPORTS + "\n\n".join(texts))
    spec = importlib.util.spec_from_file_location("scipy_words", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def slopes(f, point, step=1e-5):
    """Differences of SciPy's numbers, of the fourth order."""

    def at(k, by):
        return float(f(*[v + by * (i == k) for i, v in enumerate(point)]))

    return [
        (8 * (at(k, step) - at(k, -step)) - at(k, 2 * step) + at(k, -2 * step)) / (12 * step)
        for k in range(len(point))
    ]


@pytest.mark.parametrize("k", range(len(EXPRESSIONS)), ids=lambda k: EXPRESSIONS[k])
def test_values_and_slopes_are_those_of_scipy(programs, k):
    f = getattr(programs, f"f{k}")
    found = derive(f, "value_and_grad", dtype="float64", optimize="fast")
    for point in POINTS:
        value, slope = found.reference(*point)
        assert value == pytest.approx(float(f(*point)), rel=1e-11)
        np.testing.assert_allclose([*slope], slopes(f, point), rtol=1e-7, atol=1e-8)


@pytest.mark.numbers
@pytest.mark.parametrize("f", functions(scipy_programs), ids=lambda f: f.__name__)
def test_programs(f):
    values_and_slopes_are_those_of(f, f, [(0.7, 1.3), (1.9, 0.45)])


@pytest.mark.numbers
@pytest.mark.parametrize("x", [-38.0, -5.0, -1.0, 0.3, 9.0])
def test_logarithms_of_tails_have_all_their_digits(x):
    def below(x: float) -> float:
        return norm.logcdf(x)

    value, slope = derive(below, "value_and_grad", dtype="float64")(x)
    with mpmath.workdps(60):
        p = mpmath.ncdf(x)
        assert value == pytest.approx(float(mpmath.log(p)), rel=1e-13)
        assert slope.x == pytest.approx(float(mpmath.npdf(x) / p), rel=1e-12)


def test_the_ends_of_domains():
    def ends(x: float, y: float):
        return sp.xlogy(x, y), sp.entr(x), sp.rel_entr(x, y), sp.kl_div(x, y), sp.huber(x, y)

    found = derive(ends, "primal", dtype="float64")
    for point in ((0.0, 0.0), (0.0, 2.0), (-1.0, 2.0), (1.5, 0.0), (2.0, -1.0)):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(found(*point), ends(*point))

    def shannon(x: float, y: float) -> float:
        return sp.xlogy(x, y)

    assert derive(shannon, dtype="float64")(0.0, 2.0, 1.0) == (math.log(2.0), 0.0)


def test_exponentials_of_large_numbers_stay_numbers():
    def f(a: float, b: float) -> float:
        return sp.logsumexp([a, b, -math.inf])

    value, slope = derive(f, "value_and_grad", dtype="float64")(1000.0, 1001.0)
    assert value == pytest.approx(1001.0 + math.log1p(math.exp(-1.0)), rel=1e-15)
    assert slope.a == pytest.approx(1 / (1 + math.e), rel=1e-14)
    assert slope.b == pytest.approx(1 / (1 + math.exp(-1.0)), rel=1e-14)


def test_small_turns_have_slopes():
    def turned(x: float, y: float, z: float):
        return Rotation.from_rotvec([x, y, z]).as_matrix()

    def back(x: float, y: float, z: float):
        return Rotation.from_rotvec([x, y, z]).as_rotvec()

    generators = np.zeros((3, 3, 3))
    for k, (i, j) in enumerate(((2, 1), (0, 2), (1, 0))):
        generators[k, i, j], generators[k, j, i] = 1.0, -1.0
    for f, want in ((turned, generators), (back, np.eye(3))):
        jacobian = derive(f, "jacobian", dtype="float64")
        for tiny in (0.0, 1e-200, 1e-9):
            np.testing.assert_allclose([*jacobian(tiny, 0.0, -tiny)], want, atol=3e-9)


def test_what_is_outside_of_an_interpolator_is_no_number():
    lines = interp1d([0.0, 1.0, 3.0], [2.0, 5.0, 1.0], bounds_error=False)
    derived = derive(lambda x: lines(x), "value_and_grad", dtype="float64")
    assert np.isnan(derived(-0.5)[0]) and np.isnan(derived(3.5)[0])
    assert derived(2.0) == (3.0, (-2.0,))


def test_scipy_is_not_imported_for_it():
    import subprocess

    text = "import sys, egad; egad.derive(lambda x: x * x); print('scipy.stats' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


@pytest.mark.numbers
@pytest.mark.parametrize(
    "f, message",
    [
        (lambda x: norm.moment(x), "a norm has no field 'moment'"),
        (lambda x: gamma.ppf(x, 2.0), "the value above a probability has no closed form"),
        (lambda x: gamma.isf(x, 2.0), "the value below a probability has no closed form"),
        (lambda x: gamma.cdf(x, 2.0), "has no closed form for this distribution"),
        (lambda x: norm.pdf(x, mu=2.0), "this distribution has no parameter mu"),
        (lambda x: gamma.pdf(x), "this distribution needs its parameter a"),
        (lambda x: norm.pdf(x, 1.0, 2.0, 3.0), "this distribution has 2 parameters, not 3"),
        (lambda x: vonmises.pdf(x, 1.0), "write its density out; those of norm, lognorm"),
        (
            lambda x: cosm(np.array([[x, x], [x, 1.0]])),
            "scipy.linalg.cosm() is not in",
        ),
        (lambda x: interp1d([0.0, 1.0], [x, 1.0])(0.5), "make it before, outside of the function"),
        (lambda x: simpson([x, x, x, x]), "an odd number of samples is needed"),
        (lambda x: sp.polygamma(2, x), "polygamma is known for n = 0 and n = 1"),
    ],
)
def test_what_is_not_known_is_said(f, message):
    with pytest.raises(TraceError) as caught:
        derive(f)
    assert message in str(caught.value)
