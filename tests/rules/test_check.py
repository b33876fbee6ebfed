"""The checker: wrong rules fail with a counterexample at the right place, sound ones pass."""

import textwrap
from pathlib import Path

import pytest

import egad.rules
from egad.rules import load, loads
from egad.rules.checker.check import check_files, check_rules
from egad.rules.checker.report import summary


def check(text, tmp_path=None):
    """Results for the rules in `text`; with a path, from a file."""
    text = textwrap.dedent(text)
    if tmp_path is None:
        return check_rules(loads(text, "demo.rules"), ["demo.rules"])
    path = tmp_path / "demo.rules"
    path.write_text(text)
    return check_rules(load([path]), [str(path)])


def problem(text, tmp_path=None):
    """The only problem of the rules in `text`."""
    (found,) = [r.problem for r in check(text, tmp_path) if r.problem]
    return found


def test_error_text(tmp_path):
    text = """
        @op(cost=20)
        def tanh2(x) -> y:
            \"\"\"Wrong by the square.\"\"\"
            numpy = "tanh(x)"
            mpmath = "tanh(x)"
            opencl = "tanh({x})"
            dy = (1 + y**2) * dx
        """
    assert str(problem(text, tmp_path)).removeprefix(str(tmp_path) + "/") == (
        "demo.rules:8:10: [tanh2 dy_dx] disagrees with central differences at x=1: "
        "expected 0.419974, rule gives 1.58003\n"
        "    dy = (1 + y**2) * dx\n"
        "         ^^^^^^^^^^^^^^^\n"
        "  correct the formula, or state where it holds: domain = x > 0"
    )


def test_rewrite_error_text():
    text = "@rewrite(real)\ndef root(x):\n    sqrt(x * x) >> x"
    assert str(problem(text)) == (
        "demo.rules:3:5: [root] the sides differ at x=-1: left 1.0, right -1.0\n"
        "    sqrt(x * x) >> x\n"
        "    ^^^^^^^^^^^^^^^^\n"
        "  add a condition under which both are equal (`if x > 0:` above the line), "
        "or correct the rule"
    )


WRONG_OPERATORS = {
    "sign of a partial": (
        """
        @op(cost=1)
        def g(a, b) -> c:
            numpy = "a / b"
            mpmath = "a / b"
            opencl = "({a} / {b})"
            domain = b != 0
            dc_da = 1 / b
            dc_db = c / b
        """,
        (9, 13),
        "[g dc_db] disagrees with central differences at a=",
    ),
    "hand-written backward side": (
        """
        def g(x, y) -> z:
            z = x * y * y
            x_bar = y * y * z_bar
            y_bar = x * y * z_bar
        """,
        (5, 13),
        "[g y_bar] disagrees",
    ),
    "derivative at the edge of the domain": (
        """
        def g(x) -> y:
            domain = x >= 0
            y = sqrt(x)
            dy_dx = 0.5 / sqrt(max(1e-7, x))
        """,
        (5, 13),
        "at x=0: expected +inf, rule gives 1581.14",
    ),
    "not an element of the subdifferential": (
        """
        def g(x) -> y:
            y = abs(x)
            dy_dx = 2 if x == 0 else sign(x)
        """,
        (4, 13),
        "at x=0: expected a value in [-1.0, 1.0], rule gives 2.0",
    ),
    "undefined derivative": (
        """
        def g(x) -> y:
            y = x * x
            dy_dx = 2 * (y / x)
        """,
        (4, 13),
        "at x=0: expected 0.0, rule gives nan",
    ),
    "one wrong constant in a series": (
        """
        def g(x) -> y:
            y = 1 if x == 0 else expm1(x) / x
            dy_dx = 0.5 + x * 0.35 if abs(x) < 0.01 else (exp(x) - y) / x
        """,
        (4, 13),
        "[g dy_dx] disagrees with central differences at x=0.001",
    ),
    "derivative over vectors": (
        """
        def g(v: vec) -> l:
            l = sqrt(dot(v, v))
            dl_dv = 0 if l == 0 else v / (2 * l)
        """,
        (4, 13),
        "[g dl_dv] disagrees with central differences at v=",
    ),
    "backward side over vectors": (
        """
        def g(v: vec3, s) -> w:
            w = v * s
            v_bar = s * w_bar
            s_bar = sum(w_bar)
        """,
        (5, 13),
        "[g s_bar] disagrees",
    ),
    "NumPy meaning": (
        """
        @op(cost=9)
        def g(x) -> y:
            numpy = "log10(x)"
            mpmath = "log(x)"
            opencl = "log({x})"
            domain = x > 0
            dy_dx = 1 / x
        """,
        (4, 13),
        "[g numpy] disagrees with the mpmath meaning at x=2: numpy gives 0.30103",
    ),
    "definition": (
        """
        def g(x) -> y:
            mpmath = "expm1(x)"
            y = x + 0.5 * x * x
        """,
        (4, 9),
        "[g] the definition disagrees with mpmath at x=",
    ),
    "range": (
        """
        def g(x) -> y:
            range = y > 0
            y = x * x
        """,
        (3, 13),
        "[g range] is left at x=0: the value is 0.0",
    ),
    "nothing inside of the domain": (
        """
        def g(x) -> y:
            domain = x > 5 and x < 4
            y = x
            dy_dx = 1
        """,
        None,
        "no sample satisfied the conditions",
    ),
    "substitute with another value": (
        """
        def g(x) -> y:
            y = log(1 + exp(x))
            dy_dx = sigmoid(x)

        @primal
        def g(x) -> y:
            y = max(x, 0)
        """,
        (8, 9),
        "[g primal] the sides differ at x=",
    ),
    "substitute that is less accurate": (
        """
        def g(x) -> y:
            y = expm1(x)
            dy_dx = exp(x)

        @primal
        def g(x) -> y:
            y = exp(x) - 1
        """,
        (8, 9),
        "[g primal] loses accuracy in float64 at x=",
    ),
}


@pytest.mark.parametrize("case", WRONG_OPERATORS)
def test_wrong_operators(case, tmp_path):
    text, position, message = WRONG_OPERATORS[case]
    problems = [r.problem for r in check(text, tmp_path) if r.problem]
    assert problems
    assert message in str(problems[0])
    if position:
        assert (problems[0].at.line, problems[0].at.column) == position
    assert problems[0].hint


# tag, rule, what the message says
WRONG_REWRITES = [
    ("exact", "def f(x): x + 0 >> x", "is not exact in float32 at x=-0: left 0.0, right -0.0"),
    ("exact", "def f(x): x * 0 >> 0", "is not exact in float32"),
    ("exact", "def f(a, b): min(a, b) >> (a if a < b else b)", "is not exact in float32"),
    ("exact", "def f(a: any, b: any): (not (a < b)) >> (b <= a)", "a=0, b=nan"),
    ("exact", "def f(a, b, c): (a + b) + c >> a + (b + c)", "is not exact"),
    ("real", "def f(x): asin(sin(x)) >> x", "the sides differ at x=2"),
    ("real", "def f(x): log(x * x) >> 2 * log(x)", "turns a defined value into nan at x=-1"),
    ("real", "def f(x, y): log(x * y) >> log(x) + log(y)", "turns a defined value into nan"),
    ("real", "def f(x, y): sqrt(x * y) >> sqrt(x) * sqrt(y)", "turns a defined value into nan"),
    ("real", "def f(x): sqrt(x) >> x * rsqrt(x)", "turns a defined value into nan at x=0"),
    ("real", "def f(x): tanh(x) >> sinh(x) / cosh(x)", "turns a defined value into nan in float64"),
    ("real", "def f(x): expm1(x) >> exp(x) - 1", "loses accuracy in float64"),
    (
        "real",
        "def f(x): exp(-x * x) + 1 >> (2 if rcp(exp(x)) == 0 else exp(-x * x) + 1)",
        "is another number in float64 at x=1000, where it overflows inside: left 1.0, right 2.0",
    ),
    ("real", "def f(x): log1p(x) >> log(1 + x)", "loses accuracy in float64"),
    ("real", "def f(a, b): (a - b) * (a + b) >> a * a - b * b", "loses accuracy in float64"),
    ("real", "def f(x): 1 - x * x + x * x >> 1 + 1e-12 * x", "the sides differ"),
    ("fast", "def f(x, y): sinh(x) * cosh(y) + cosh(y) * sinh(x) >> sinh(x + y)", "sides differ"),
    (
        "fast",
        "def f(x, y): pow(pow(x, y), 0.5) >> pow(x, y * 0.5)",
        "the sides differ at x=-2, y=-2",
    ),
    (
        "real",
        "def f(x): sin(asin(x)) >> x",
        "values where its left side has none, at and",
    ),
    ("fast", "def f(x): sqrt(x) * rsqrt(x) >> 1", "values where its left side has none"),
    ("fast", "def f(x):\n    if x > 0: abs(x) >> -x", "the sides differ at x=1"),
    ("real", "def f(x):\n    if x > 4 and x < 3: abs(x) >> x", "no sample satisfied"),
    ("real", "def f(x): sqrt(-1 - x * x) >> x", "no sample satisfied"),
    ("real", "def f(c: bool, a, b): (a * b if c else b) >> a * b", "the sides differ"),
]


@pytest.mark.parametrize(("tag", "rule", "message"), WRONG_REWRITES)
def test_wrong_rewrites(tag, rule, message):
    assert message in str(problem(f"@rewrite({tag})\n{rule}"))


def test_substitutes_are_judged_like_real_rewrites():
    assert "loses accuracy" in str(problem("@primal\ndef f(x): expm1(x) >> exp(x) - 1"))


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("x * x * x >= 0", "does not hold in float32 at x=-1"),
        ("x * x > 0", "does not hold"),
        ("exp(x) > 0", "does not hold"),  # underflow
        ("if x > 0: x - 1 > 0", "does not hold in float32"),
        ("if x >= 0: rcp(x) >= 0", "x=-0"),
        ("if x > 5 and x < 4: -x >= 0", "no sample satisfied the conditions"),
    ],
)
def test_wrong_facts(fact, message):
    found = problem(f"@fact\ndef f(x):\n    {fact}")
    assert message in str(found)
    assert found.at.line == 3


SOUND = """
    @rewrite(exact)
    def bits(a, b):
        a * b >> b * a
        -(-a) >> a
        a - b >> a + -b

    @rewrite(real)
    def conditions(x, c):
        if x >= 0: sqrt(x * x) >> x
        if const(c): c * x + c >> c * (x + 1)
        (sqrt(x) if x > 0 else 0) * 2 >> (2 * sqrt(x) if x > 0 else 0)

    @rewrite(fast, unchecked="a lie on purpose")
    def lie(x):
        sin(x) >> x

    def relu(x) -> y:
        y = max(x, 0)
        dy_dx = 1 if x > 0 else 0.3 if x == 0 else 0

    def scaled(v: vec3, s) -> w:
        w = v * s
        dw = v * ds + s * dv
        v_bar = s * w_bar
        s_bar = dot(v, w_bar)

    @op(cost=3, unchecked="not the derivative")
    def straight_through(x) -> y:
        numpy = "rint(x)"
        mpmath = "nint(x)"
        opencl = "rint({x})"
        dy_dx = 1

    @fact
    def positive(a, b):
        if a >= 0 and b > 0: a + b > 0

    def own_square(x) -> y:
        domain = x > 0
        y = x * abs(x)
        dy_dx = 2 * abs(x)

    @primal
    def own_square(x) -> y:
        y = x * x
    """


def test_sound_rules_pass():
    results = check(SOUND)
    assert [str(r.problem) for r in results if r.problem] == []
    assert {r.rule for r in results if r.unchecked} == {"lie", "straight_through"}
    assert all(r.samples or r.unchecked for r in results)


def test_results_do_not_depend_on_the_run():
    def summary():
        return [(r.rule, r.kind, r.samples, r.worst) for r in check(SOUND)]

    assert summary() == summary()


def test_only_selects_files():
    results = check_rules(load(), ["hyperbolic"])
    assert {r.at.file for r in results} == {"hyperbolic.rules"}
    kinds = {"numpy", "definition", "derivative", "primal", "range"}
    assert {r.kind for r in results} == kinds


def test_files_and_summary(tmp_path):
    path = tmp_path / "mine.rules"
    path.write_text(textwrap.dedent(SOUND) + "\n@fact\ndef wrong(x): x * x > 0\n")
    seen = []
    results = check_files([str(path)], seen.append)
    assert seen == [r.rule for r in results]
    lines = summary(results).splitlines()
    rules = {r.rule for r in results}
    assert lines[-1].startswith(f"{len(rules)} rules, {len(results)} checks, ")
    assert lines[-1].endswith("s: 1 wrong, 2 unchecked")
    assert "unchecked: a lie on purpose" in summary(results)
    assert len(summary(results, verbose=True).splitlines()) > len(results)


def test_a_file_without_rules_is_not_all_right(tmp_path):
    path = tmp_path / "empty.rules"
    path.write_text("# nothing yet\n")
    assert summary(check_files([str(path)])).endswith("s: nothing to check")


@pytest.mark.parametrize("name", ["slang", "vector", "vector.rules", "path"])
def test_shipped_files_by_name_or_path(name):
    shipped = Path(egad.rules.__file__).parent / "vector.rules"
    results = check_files([str(shipped) if name == "path" else name])
    stem = "slang" if name == "slang" else "vector"
    assert {r.at.file for r in results} == {f"{stem}.rules"}
    assert summary(results).endswith(" unchecked" if name == "slang" else "all right")
