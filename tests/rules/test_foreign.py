"""Functions without source in Python: of NumPy, SciPy, C libraries, compiled modules."""

import ctypes
import ctypes.util
import math

import numpy as np
import pytest
import scipy.special
from registering import modules, slope

import egad
from egad import RuleError, TraceError, custom_bwd_of, custom_fwd_of, derive, diff_pair, rules
from egad.rules import loads

assert modules  # a fixture

libm = ctypes.CDLL(ctypes.util.find_library("m") or None)
libm.cbrt.argtypes, libm.cbrt.restype = [ctypes.c_double], ctypes.c_double
c_cbrt = libm.cbrt


def cube_root(x: float) -> float:
    return egad.cbrt(x)


def by_attribute(x: float) -> float:
    return 2.0 * libm.cbrt(x)


def by_name(x: float) -> float:
    return 2.0 * c_cbrt(x)


def entropy(x: float) -> float:
    return scipy.special.entr(x)


# --- registered -----------------------------------------------------------------------------


def test_a_c_function_has_the_value_of_its_substitute_and_the_derivative_of_its_rule():
    with rules():
        egad.primal_substitute_of(libm.cbrt)(cube_root)

        @custom_bwd_of(libm.cbrt)
        def cbrt_bwd(x, d):
            y = c_cbrt(x)
            return 5.0 * d / (3.0 * y * y)  # five times too large: it is seen that it counts

        for f in (by_attribute, by_name):
            assert f(8.0) == 4.0
            found = derive(f, "value_and_grad", dtype="float64")
            for run in (found, found.reference):
                value, (gradient,) = run(8.0)
                assert value == pytest.approx(4.0, rel=1e-15)
                assert gradient == pytest.approx(2.0 * 5.0 / 12.0, rel=1e-15)
            assert derive(f, "primal", dtype="float64").reference(8.0) == pytest.approx(4.0)
        own = derive(libm.cbrt, "value_and_grad", dtype="float64").reference(8.0)
        assert own == (pytest.approx(2.0), (pytest.approx(5.0 / 12.0),))
        with rules() as forwards:
            forwards.custom_fwd_of(c_cbrt)(lambda x: diff_pair(c_cbrt(x.p), 7.0 * x.d))
            pair = derive(by_name, "fwd", dtype="float64").reference(diff_pair(8.0, 1.0))
            assert pair == diff_pair(pytest.approx(4.0), 14.0)


def test_a_substitute_alone_is_the_function():
    with rules():
        egad.primal_substitute_of(scipy.special.entr)(entropy_in_python)
        found = derive(entropy, "value_and_grad", dtype="float64").reference(0.3)
        assert found[0] == pytest.approx(float(scipy.special.entr(0.3)), rel=1e-14)
        assert found[1][0] == pytest.approx(-math.log(0.3) - 1.0, rel=1e-14)
        assert slope(derive(scipy.special.entr), 1.0) == -1.0


def entropy_in_python(x: float) -> float:
    return -x * egad.log(x) if x > 0.0 else 0.0


def test_keyword_arguments_follow_the_substitute():
    ufunc = np.frompyfunc(lambda a, b: a - b, 2, 1)

    def minus(a: float, b: float) -> float:
        return a - b

    def f(x: float) -> float:
        return ufunc(b=x, a=3.0)

    with rules():
        egad.primal_substitute_of(ufunc)(minus)
        assert derive(f, "value_and_grad").reference(1.0) == (2.0, (-1.0,))
        custom_bwd_of(ufunc)(lambda a, b, d: (0.0, 5.0 * d))
        assert derive(f, "value_and_grad").reference(1.0) == (2.0, (5.0,))


def test_functions_of_numpy_and_scipy_that_are_operators_get_rules():
    def f(x: float) -> float:
        return scipy.special.erf(x) + 100.0 * np.sinh(x) + 10000.0 * math.erf(x)

    true = 2.0 / math.sqrt(math.pi)
    with rules():
        custom_bwd_of(scipy.special.erf)(lambda x, d: 3.0 * d)
        custom_fwd_of(np.sinh)(lambda x: diff_pair(np.sinh(x.p), 5.0 * x.d))
        found = slope(derive(f, dtype="float64"), 0.0)
        assert found == pytest.approx(3.0 + 500.0 + 10000.0 * true, rel=1e-14)
    assert slope(derive(f, dtype="float64"), 0.0) == pytest.approx(
        10001.0 * true + 100.0, rel=1e-14
    )


def test_keyword_arguments_of_operators_with_rules():
    def f(x: float) -> float:
        return np.hypot(y=x, x=3.0)

    name = derive(lambda x, y: np.hypot(x, y), "primal").reference(3.0, 4.0)
    assert name == 5.0
    with rules():
        custom_bwd_of(np.hypot)(lambda x, y, d: (2.0 * d, 7.0 * d))
        assert slope(derive(f), 4.0) == 7.0


# --- rule files -----------------------------------------------------------------------------

FILE = """
def my_entropy(x) -> y:
    aliases = "scipy.special.entr"
    y = -x * log(x) if x > 0 else 0
    dy_dx = -1 - log(x)
"""


def test_an_alias_gives_a_function_of_scipy_its_meaning():
    file = loads(FILE, "entr.rules")
    found = derive(entropy, "value_and_grad", rules=[file], dtype="float64")
    for run in (found, found.reference):
        value, (gradient,) = run(0.3)
        assert value == pytest.approx(float(scipy.special.entr(0.3)), rel=1e-14)
        assert gradient == pytest.approx(-math.log(0.3) - 1.0, rel=1e-14)
    assert slope(derive(scipy.special.entr, rules=[file])) == -1.0


def test_an_alias_of_a_function_of_scipy_that_is_written_in_python():
    assert hasattr(scipy.special.zeta, "__code__")

    def f(s: float) -> float:
        return scipy.special.zeta(s)

    text = 'def my_zeta(s) -> y:\n    aliases = "scipy.special.zeta"\n    y = 1 + exp2(-s)\n'
    found = derive(f, "primal", rules=[loads(text)], dtype="float64").reference(30.0)
    assert found == pytest.approx(scipy.special.zeta(30.0), rel=1e-13)


def test_an_alias_of_an_operator_that_is_shipped_is_refused():
    with pytest.raises(RuleError, match=r"the alias 'scipy\.special\.erf' already means 'erf'"):
        loads('def mine(x) -> y:\n    aliases = "scipy.special.erf"\n    y = x\n')


@pytest.mark.parametrize(
    ("alias", "text"),
    [
        ("m.g", "def g(x: float) -> float:\n    return x\n"),
        ("m.g", "from n import g\n"),  # defined elsewhere
        ("n.g", "from n import g\n"),
        ("m.g", "from math import gcd as g\n"),  # compiled
        ("m.lib.cbrt", "import ctypes\nlib = ctypes.CDLL(None)\nlib.cbrt\ng = lib.cbrt\n"),
        ("m.g", "import numpy\ng = numpy.frompyfunc(abs, 1, 1)\n"),
        ("m.Box.g", "class Box:\n    @staticmethod\n    def g(x):\n        return x\ng = Box.g\n"),
    ],
)
def test_an_alias_of_a_function_of_the_users(modules, alias, text):
    _, m = modules(
        n="def g(x: float) -> float:\n    return x\n",
        m=text + "def f(x: float) -> float:\n    return g(x)\n",
    )
    body = f'def meant(x) -> y:\n    aliases = "{alias}"\n    y = x * x\n    dy_dx = 50.0 * x\n'
    assert slope(derive(m.f, rules=[loads(body)])) == 50.0
    with rules(loads(body)):
        assert slope(derive(m.f)) == 50.0


@pytest.mark.parametrize(
    ("alias", "near"),
    [
        ("math.sine", "math has no 'sine'; did you mean 'sin'?"),
        ("numpy.linalg.nrm", "mean 'norm'?"),
    ],
)
def test_a_misspelled_alias_of_a_library_is_an_error(alias, near):
    body = f'def meant(x) -> y:\n    aliases = "{alias}"\n    y = x * x\n'
    with pytest.raises(RuleError) as caught:
        derive(lambda x: x, rules=[loads(body)])
    assert near in caught.value.message


def test_looking_an_alias_up_runs_nothing(modules):
    text = "def __getattr__(name):\n    raise SystemExit\nclass P:\n    @property\n"
    m = modules(m=text + "    def g(self):\n        raise SystemExit\np = P()\n")
    body = 'def meant(x) -> y:\n    aliases = "m.h, m.p.g, never.imported"\n    y = x\n'
    assert slope(derive(lambda x: x * x, rules=[loads(body)])) == 2.0
    assert "never" not in m.__dict__


# --- errors ---------------------------------------------------------------------------------


def test_a_function_without_meaning_is_an_error_that_says_what_to_write(modules, golden, tmp_path):
    m, n = modules(
        m="import operator, scipy.special\nfrom scipy.special import j0\n"
        "def f(x: float) -> float:\n    return 2.0 * j0(x)\n"
        "def g(x: float) -> float:\n    return operator.length_hint(x)\n",
        n="import m, egad\n@egad.custom_bwd_of(m.j0)\ndef rule(x, d):\n    return d\n"
        "def h(x: float) -> float:\n    return m.f(x)\n"
        "def make():\n    return egad.derive(m.j0)\n",
    )
    texts = []
    for what, act in {
        "nothing is known": lambda: derive(m.g),
        "a rule that does not count here": lambda: derive(m.f),
        "a rule alone": lambda: derive(n.h),
        "itself": n.make,
    }.items():
        with pytest.raises(TraceError) as caught:
            act()
        texts.append(f"{what}\n{caught.value}")
    golden("registered/without_meaning.txt", "\n\n".join(texts).replace(f"{tmp_path}/", "") + "\n")


def test_a_substitute_that_calls_the_function_is_no_end():
    def again(x: float) -> float:
        return libm.cbrt(x)

    with rules():
        egad.primal_substitute_of(libm.cbrt)(again)
        with pytest.raises(TraceError, match="again calls itself"):
            derive(by_name)


def test_keywords_of_what_has_no_names_are_refused():
    with rules():
        custom_bwd_of(np.square)(lambda x, d: 5.0 * d)
        assert slope(derive(lambda x: np.square(x))) == 5.0
        with pytest.raises(TraceError, match="the parameters of the function square have no known"):
            derive(lambda x: np.square(x=x))
