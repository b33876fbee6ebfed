"""The loader: what rule files become, and what it says about malformed ones."""

import contextlib
import math
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egad.rules as rules
from egad.rules import show_expression as show
from egad.terms.errors import RuleError
from egad.terms.rule import RuleSet, Tag
from egad.terms.term import Term, const, var
from egad.terms.types import Scalar


def one(text, name="f"):
    return rules.loads(text, "demo.rules").operator(name)


def shown(terms):
    return [None if t is None else show(t) for t in terms]


# ---- What is read ---------------------------------------------------------------------


def test_contract_example():
    text = '''
@op(cost=40)
def angle(y, x) -> z:
    """Angle of the point (x, y), in radians."""
    numpy = "arctan2(y, x)"
    opencl = "atan2({y}, {x})"
    r = x**2 + y**2
    dz_dy =  x / r
    dz_dx = -y / r

@op(cost=20)
def th(x) -> y:
    numpy = "tanh(x)"
    opencl = "tanh({x})"
    dy    = (1 - y**2) * dx
    x_bar = (1 - y**2) * y_bar

def soft(x) -> y:
    y     = log(1 + exp(x))
    x_bar = sigmoid(x) * y_bar

@primal
def soft(x) -> y:
    y = max(x, 0) + log1p(exp(-abs(x)))

@rewrite
def my_sqrt_square(x):
    if x >= 0: sqrt(x**2) >> x

@nondiff
def argmin(x): ...

@opencl
def abs(x):
    f16 = f32 = f64 = "fabs({x})"
    i32 = i64 = "abs({x})"
'''
    loaded = rules.loads(text, "demo.rules")
    angle = loaded.operator("angle")
    assert angle.cost == 40 and angle.doc.startswith("Angle")
    assert shown(angle.partials) == ["x / (x * x + y * y)", "-y / (x * x + y * y)"]
    th = loaded.operator("th")
    assert shown(th.partials) == ["1 - y * y"]
    assert shown(th.pullbacks) == ["(1 - y * y) * y_bar"]
    soft = loaded.operator("soft")
    assert not soft.is_primitive and soft.partials == ()
    assert show(soft.primal) == "max(x, 0) + log1p(exp(-abs(x)))"
    rule = loaded.rewrites[-1]
    assert (rule.name, rule.tag, rule.directed) == ("my_sqrt_square", Tag.REAL, False)
    assert shown(rule.conditions) == ["x >= 0"]
    assert loaded.operator("argmin").nondiff
    assert loaded.operator("abs").opencl[Scalar.F16] == "fabs({x})"
    assert loaded.sources[-1] == "demo.rules"


@pytest.mark.parametrize(
    ("line", "partials"),
    [
        ("dz = y * dx + x * dy", ["y", "x"]),
        ("dz = -dx / y - dy * 2", ["-1 / y", "-2"]),
        ("dz = dx if x > y else dy", ["1 if x > y else 0", "0 if x > y else 1"]),
        ("dz = 0", ["0", "0"]),
        ("dz = fma(x, dx, 0)", ["x", "0"]),
        ("dz = dx + dx", ["1 + 1", "0"]),
        ("t = dx / x\n    dz = t * y", ["1 / x * y", "0"]),
        ("dz_dy = y\n    dz_dx = x", ["x", "y"]),
    ],
)
def test_forward_rules_become_partials(line, partials):
    text = f"def f(x, y) -> z:\n    z = x * y\n    {line}\n"
    assert shown(one(text).partials) == partials


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("x**2", "x * x"),
        ("x**3", "x * (x * x)"),
        ("x**5", "x * (x * x * (x * x))"),
        ("x**9", "pow(x, 9)"),
        ("x**-1", "pow(x, -1)"),
        ("x**0.5", "pow(x, 0.5)"),
        ("-x**2", "-(x * x)"),
        ("-2 * x", "-2 * x"),
        ("x // 2 % 3", "x // 2 % 3"),
        ("x - (x - 1)", "x - (x - 1)"),
        ("1 if 0 < x <= 1 else 2", "1 if 0 < x and x <= 1 else 2"),
        ("1 if not (x > 0 or x < -inf) else nan", "1 if not (x > 0 or x < -inf) else nan"),
        ("pi * e", "pi * 2.718281828459045"),
    ],
)
def test_expressions(text, result):
    assert show(one(f"def f(x) -> y: y = {text}").definition) == result


def test_printed_expressions_read_back():
    for operator in rules.load().operators["atan2"] + rules.load().operators["smoothstep"]:
        for term in (*operator.partials, operator.definition):
            if term is None:
                continue
            names = ", ".join(p.name for p in operator.params)
            again = one(f"def f({names}) -> q__: q__ = {show(term)}").definition
            assert again is term


def test_negative_zero_and_special_constants_keep_their_bits():
    assert one("def f(x) -> y: y = x * -0.0").definition.args[1] is const(-0.0)
    assert one("def f(x) -> y: y = x * inf").definition.args[1] is const(math.inf)
    assert show(const(-0.0)) == "-0.0"


def test_vectors():
    loaded = rules.loads(
        """
def f(v: vec3) -> w:
    w = [v.x, v[1], sum(v)]

def g(m: mat, v: vec) -> w:
    w = [sum(row * v) for row in rows(m)]

def h(v: vec3) -> (s, n):
    s = dot(v, v)
    n = f(v) / s

def k(v: vec) -> r:
    r = dot(v, v)
    dr = 2 * dot(v, dv)
""",
        "demo.rules",
    )
    kinds = {n: loaded.operator(n).result.kind for n in "fghk"}
    assert kinds == {"f": "vec3", "g": "vec", "h": "tuple", "k": "real"}
    assert show(loaded.operator("f").definition) == "[v[0], v[1], sum(v)]"
    assert show(loaded.operator("g").definition) == "[sum(row * v) for row in rows(m)]"
    assert loaded.operator("h").result.name == "s, n"
    assert show(loaded.operator("k").pushforward) == "2 * dot(v, dv)"


def test_kinds_of_results():
    loaded = rules.loads(
        """
def f(x) -> y:
    y: bool
    y = x > 0

def g(n: int) -> y: y = n + 1
def h(a: number) -> y: y = a + 1
def k(c: bool, n: int) -> y: y = n if c else 2 * n
"""
    )
    kinds = {n: loaded.operator(n).result.kind for n in "fghk"}
    assert kinds == {"f": "bool", "g": "int", "h": "number", "k": "int"}
    assert not loaded.operator("f").has_derivative
    assert loaded.operator("g").definition is Term(
        "add", (var("n", Scalar.I32), const(1, Scalar.I32)), None, Scalar.I32
    )


def test_spellings_and_meanings_by_default():
    f = one("@op\ndef sinpi(x) -> y:\n    numpy = 'sin(x)'\n    dy_dx = 1\n", "sinpi")
    assert f.opencl == {k: "sinpi({x})" for k in (Scalar.F16, Scalar.F32, Scalar.F64)}
    assert f.numpy == "sin(x)" and f.mpmath == "sinpi(x)"
    minimum = rules.load().operator("min")
    assert minimum.opencl[Scalar.I32] == "min({a}, {b})"


def test_aliases():
    table = rules.load().by_alias
    assert table["math.sin"] == table["numpy.sin"] == "sin"
    assert table["numpy.arctan2"] == table["math.atan2"] == "atan2"
    assert table["scipy.special.erf"] == "erf"
    assert "numpy.select" not in table and "numpy.min" not in table  # they mean other things


def test_overlays_may_use_other_names():
    loaded = rules.loads(
        "@derivative\ndef hypot(a, b) -> r:\n    dr_da = a / r\n    dr_db = b / r\n"
    )
    assert shown(loaded.operator("hypot").partials) == ["x / z", "y / z"]
    loaded = rules.loads("@opencl\ndef pow(a, b):\n    f32 = 'powr({a}, {b})'\n")
    assert loaded.operator("pow").opencl[Scalar.F32] == "powr({x}, {y})"
    assert loaded.operator("pow").opencl[Scalar.F64] == "pow({x}, {y})"


def test_derivative_replaces_all_sides():
    loaded = rules.loads(
        '@derivative(unchecked="convention")\ndef sqrt(x) -> y:\n    x_bar = y_bar / (2 * y)\n'
    )
    sqrt = loaded.operator("sqrt")
    assert sqrt.partials == () and shown(sqrt.pullbacks) == ["y_bar / (2 * y)"]
    assert sqrt.unchecked == "convention"


def test_rewrites_and_facts():
    loaded = rules.loads(
        """
@rewrite(exact, group="mine", directed=True, rounds=2, unchecked="it lies")
def r(a, b, c: bool):
    if a > 0 and 0 != b and const(b):
        a * b >> b * a
        sin(a) * b >> b * sin(a)
    (not (not c)) >> c

@primal
def p(a):
    log(exp(a)) >> a

@fact
def s(a, b):
    if a >= 1: exp(a) + b * b > 0
    0 <= a * a
"""
    )
    first, second, third, primal = loaded.rewrites[-4:]
    assert (first.name, second.name, third.name) == ("r", "r.2", "r.3")
    assert (first.tag, first.directed, first.group) == (Tag.EXACT, True, "mine")
    assert (first.rounds, loaded.rewrites[-1].rounds) == (2, 0)
    assert shown(first.conditions) == ["a > 0", "b != 0", "const(b)"]
    assert first.conditions[2].op == "is_const"
    assert [p.name for p in first.params] == ["a", "b"]
    assert third.conditions == () and third.lhs.type is Scalar.BOOL
    assert primal.primal and primal.directed and primal.tag is Tag.REAL
    assert shown(f.conclusion for f in loaded.facts[-2:]) == ["exp(a) + b * b > 0", "a * a >= 0"]


@pytest.mark.parametrize("rounds", ["0", "-1", "1.5", "True", "'2'"])
def test_rounds_are_counted(rounds):
    text = f"@rewrite(exact, rounds={rounds})\ndef mine(a):\n    -(-a) >> a\n"
    with pytest.raises(RuleError, match=r"1:24: \[mine\] rounds must be a positive whole number"):
        rules.loads(text)


def test_equal_names_in_two_files_are_told_apart():
    text = "@rewrite(real)\ndef mine(a):\n    log(exp(a)) >> a\n"
    first = rules.loads(text, "a.rules")
    assert rules.loads(text, "dir/b.rules", first).rewrites[-1].name == "b:mine"


# ---- Files, names, precedence -----------------------------------------------------------


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_load_names_paths_and_rule_sets(tmp_path):
    path = write(tmp_path, "mine.rules", "def twice(x) -> y: y = 2 * x\n")
    loaded = rules.load(["slang", path])
    assert loaded.get("twice") and loaded.operator("sqrt").unchecked
    assert loaded.sources[-2:] == ("slang", str(path)) or loaded.sources[-1] == str(path)
    assert rules.load([rules.loads("def thrice(x) -> y: y = 3 * x"), path]).get("thrice")
    assert rules.load() is rules.load([])
    assert rules.load(["slang"]) is rules.load("slang")


def test_one_derivative_in_two_files_names_both(tmp_path):
    text = "@derivative(unchecked='test')\ndef sin(x) -> y:\n    dy_dx = {}\n"
    first = write(tmp_path, "a.rules", text.format(1))
    second = write(tmp_path, "b.rules", text.format(2))
    with pytest.raises(RuleError, match="is there twice") as caught:
        rules.load([first, second])
    assert f"{second}:2:5" in str(caught.value) and f"{first}:2:5" in str(caught.value)


def test_one_alias_in_two_files_names_both(tmp_path):
    text = 'def {} -> y:\n    aliases = "mine.f"\n    y = 2 * x\n'
    first = write(tmp_path, "a.rules", text.format("twice(x)"))
    second = write(tmp_path, "b.rules", text.format("doubled(x)"))
    with pytest.raises(RuleError, match="already means 'twice'") as caught:
        rules.load([first, second])
    assert f"{second}:2:" in str(caught.value) and f"{first}:1:5" in str(caught.value)


def test_files_go_on_top_of_shipped_sets(tmp_path):
    text = "@derivative(unchecked='test')\ndef sqrt(x) -> y:\n    dy_dx = 7\n"
    mine = write(tmp_path, "a.rules", text)
    for order in (["slang", mine], [mine, "slang"]):
        assert shown(rules.load(order).operator("sqrt").partials) == ["7"]


def test_one_operator_in_two_files_names_both(tmp_path):
    first = write(tmp_path, "a.rules", "def twice(x) -> y: y = 2 * x\n")
    second = write(tmp_path, "b.rules", "\ndef twice(x) -> y: y = x + x\n")
    with pytest.raises(RuleError, match="defined twice") as caught:
        rules.load([first, second])
    assert f"{second}:2:5" in str(caught.value) and f"{first}:1:5" in str(caught.value)


def test_rule_sets_pickle():
    loaded = rules.load()
    again = pickle.loads(pickle.dumps(loaded))
    assert (
        again == loaded and again.operator("sin").partials[0] is loaded.operator("sin").partials[0]
    )


# ---- Malformed files --------------------------------------------------------------------

HEAD = "def f(x) -> y:\n    "
MALFORMED = {
    "syntax": "def f(x) -> y\n    y = x\n",
    "brackets": HEAD + "y = (x + 1\n",
    "unbound": HEAD + "y = x + z\n",
    "unbound_near": "def f(edge) -> y:\n    y = 1 if edgy > 0 else 2\n",
    "unbound_in_condition": "@rewrite(real)\ndef r(x):\n    if xx > 0: sqrt(x**2) >> x\n",
    "condition_not_bound": "@rewrite(real)\ndef r(x, y):\n    if y > 0: sqrt(x**2) >> x\n",
    "unbound_in_derivative": "@op\ndef sinh2(x) -> y:\n    dy_dx = cosh(w)\n",
    "arity": HEAD + "y = atan2(x)\n",
    "unknown_operator": HEAD + "y = atan3(x, 1)\n",
    "duplicate": HEAD + "y = x\ndef f(x) -> y:\n    y = 2 * x\n",
    "shadowed": "def sin(x) -> y:\n    y = x\n",
    "missing_partial": "def f(a, b) -> z:\n    z = a * b\n    dz_da = b\n",
    "missing_backward": "def f(a, b) -> z:\n    z = a * b\n    a_bar = b * z_bar\n",
    "not_linear": HEAD + "y = x\n    dy = sin(x) * dx * dx\n",
    "not_linear_call": HEAD + "y = x\n    dy = sin(dx)\n",
    "affine": HEAD + "y = x\n    dy = x * dx + 1\n",
    "no_tangent": HEAD + "y = x\n    dy = 2 * x\n",
    "forward_and_partial": HEAD + "y = x\n    dy_dx = 1\n    dy = dx\n",
    "decorator": "@opp(cost=3)\ndef f(x) -> y:\n    y = x\n",
    "two_decorators": "@op\n@rewrite\ndef f(x) -> y:\n    y = x\n",
    "tag": "@rewrite(exakt)\ndef r(x):\n    sqrt(x**2) >> x\n",
    "keyword": "@op(kost=3)\ndef f(x) -> y:\n    y = x\n",
    "positional": "@op(3)\ndef f(x) -> y:\n    y = x\n",
    "kind": "def f(x: reel) -> y:\n    y = x\n",
    "dtype": '@opencl\ndef sin(x):\n    f23 = "sin({x})"\n',
    "dtype_not_taken": '@opencl\ndef sin(x):\n    i32 = "sin({x})"\n',
    "cost_call": "@op(cost=int(3))\ndef f(x) -> y:\n    y = x\n",
    "cost_inf": "@op(cost=1e999)\ndef f(x) -> y:\n    y = x\n",
    "cost_zero": "@op(cost=0)\ndef f(x) -> y:\n    y = x\n",
    "cost_negative": "@op(cost=-3)\ndef f(x) -> y:\n    y = x\n",
    "cost_bool": "@op(cost=True)\ndef f(x) -> y:\n    y = x\n",
    "cost_nan": "@op(cost=nan)\ndef f(x) -> y:\n    y = x\n",
    "spelling": '@opencl\ndef sin(x):\n    f32 = "sin({x}) + 1"\n',
    "spelling_builtin": '@opencl\ndef sin(x):\n    f32 = "sine({x})"\n',
    "spelling_parameter": '@opencl\ndef sin(x):\n    f32 = "sin({y})"\n',
    "spelling_arity": '@opencl\ndef sin(x):\n    f32 = "sin({x}, {x})"\n',
    "spelling_injection": '@opencl\ndef sin(x):\n    f32 = "sin({x}); while(1);"\n',
    "rhs_not_bound": "@rewrite(real)\ndef r(x, y):\n    sqrt(x**2) >> y\n",
    "lhs_variable": "@rewrite(real)\ndef r(x):\n    x >> x + 0\n",
    "lhs_number": "@rewrite(real)\ndef r(x):\n    2 >> x\n",
    "both_sides_equal": "@rewrite(real)\ndef r(x):\n    sin(x) >> sin(x)\n",
    "rewrite_types": "@rewrite(real)\ndef r(x):\n    sin(x) >> (x > 0)\n",
    "rewrite_precedence": "@rewrite(real)\ndef r(x, y):\n    x < y >> y > x\n",
    "rewrite_unused": "@rewrite(real)\ndef r(x, y):\n    log(exp(x)) >> x\n",
    "rewrite_vector": "@rewrite(real)\ndef r(x: vec3):\n    dot(x, x) >> dot(x, x)\n",
    "condition_form": "@rewrite(real)\ndef r(x, y):\n    if x > y: x * y >> y * x\n",
    "condition_or": "@rewrite(real)\ndef r(x, y):\n    if x > 0 or y > 0: x * y >> y * x\n",
    "fact_variable": "@fact\ndef r(x):\n    x >= 0\n",
    "fact_condition": "@fact\ndef r(x, y):\n    if y > 0: x * x >= 0\n",
    "look_alike": "def f(x) -> y:\n    y = ѕin(x)\n",
    "look_alike_normalized": "def f(x) -> y:\n    y = ｓin(x)\n",
    "invisible": "def f(x) -> y:\n    y = sin(x) # ok \u200b\n    y\u200b = 3\n",
    "no_derivative": "@op\ndef sinpi(x) -> y:\n    numpy = 'sin(x)'\n",
    "nondiff_with_derivative": "@nondiff\ndef f(x) -> y:\n    y = x\n    dy_dx = 1\n",
    "bool_with_derivative": "def f(x) -> y:\n    y: bool\n    y = x > 0\n    dy_dx = 1\n",
    "domain": HEAD + "domain = x + 1\n    y = x\n",
    "domain_result": HEAD + "domain = y > 0\n    y = x\n",
    "range": HEAD + "range = z > 0\n    y = x\n",
    "version": "rules_version = 2\n" + HEAD + "y = x\n",
    "version_late": HEAD + "y = x\nrules_version = 1\n",
    "import": "import os\n" + HEAD + "y = x\n",
    "top_call": 'print("hello")\n',
    "body_call": HEAD + 'print("hello")\n    y = x\n',
    "lambda": HEAD + "y = (lambda: x)()\n",
    "f_string": '@opencl\ndef sin(x):\n    f32 = f"sin({x})"\n',
    "attribute": HEAD + "y = math.sin(x)\n",
    "dunder": HEAD + "y = x.__class__\n",
    "method": HEAD + "y = x.sin()\n",
    "keyword_argument": HEAD + "y = sin(x=x)\n",
    "starred": HEAD + "y = atan2(*x)\n",
    "walrus": HEAD + "y = (t := x)\n",
    "text_in_expression": HEAD + 'y = x + "1"\n',
    "default": "def f(x=1) -> y:\n    y = x\n",
    "star_parameter": "def f(*x) -> y:\n    y = x\n",
    "parameter_twice": "def f(x, x) -> y:\n    y = x\n",
    "result_is_parameter": "def f(x) -> x:\n    x = 1\n",
    "no_result": "def f(x):\n    y = x\n",
    "result_expression": "def f(x) -> x + 1:\n    y = x\n",
    "duplicate_partial": HEAD + "y = x\n    dy_dx = 1\n    dy_dx = 1\n",
    "duplicate_definition": HEAD + "y = x\n    y = x\n",
    "assigned_parameter": HEAD + "x = 1\n    y = x\n",
    "unused_local": HEAD + "t = x\n    y = x\n",
    "misspelled_partial": HEAD + "y = x\n    dy_dz = 1\n",
    "misspelled_result": "def f(x, y) -> z:\n    z = x\n    dw_dx = 1\n",
    "tangent_assigned": HEAD + "y = x\n    dx = 1\n",
    "tangent_in_partial": HEAD + "y = x\n    dy_dx = dx\n",
    "local_with_tangent": HEAD + "y = x\n    t = 2 * dx\n    dy_dx = t\n",
    "result_in_definition": HEAD + "y = y + 1\n",
    "int_has_no_tangent": "def f(n: int, x) -> y:\n    y = n * x\n    dy = x * dn + n * dx\n",
    "name_clash": "def f(x, dx) -> y:\n    y = x\n",
    "reserved": "def f(pi) -> y:\n    y = pi\n",
    "reserved_operator": "def cast(x) -> y:\n    y = x\n",
    "recursion": HEAD + "y = f(x - 1)\n",
    "mutual_recursion": "def f(x) -> y: y = g(x)\ndef g(x) -> y: y = f(x)\n",
    "primal_recursion": HEAD + "y = x\n@primal\ndef f(x) -> y:\n    y = 2 * f(x)\n",
    "overlay_unknown": "@derivative\ndef sine(x) -> y:\n    dy_dx = 1\n",
    "overlay_arity": "@derivative\ndef sin(x, z) -> y:\n    dy_dx = 1\n    dy_dz = 1\n",
    "overlay_empty": "@derivative\ndef sin(x) -> y:\n    pass\n",
    "overlay_twice": "@derivative\ndef sin(x) -> y: dy_dx = 1\n" * 2,
    "rule_twice": "@rewrite\ndef r(x): log(exp(x)) >> x\n@rewrite\ndef r(x): exp(log(x)) >> x\n",
    "condition_as_number": HEAD + "y = 2 * (x > 0)\n",
    "number_as_condition": HEAD + "y = 1 if x else 2\n",
    "int_needed": "def g(n: int) -> k: k = n + 1\n" + HEAD + "y = g(x)\n",
    "alias": HEAD + 'aliases = "numpy.sin"\n    y = x\n',
    "alias_form": HEAD + 'aliases = "sine, foo"\n    y = x\n',
    "no_numpy": "@op\ndef sinpi(x) -> y:\n    dy_dx = 1\n",
    "numpy_unknown": '@op\ndef sinpi(x) -> y:\n    numpy = "sine(x)"\n    dy_dx = 1\n',
    "numpy_name": '@op\ndef sinpi(x) -> y:\n    numpy = "sin(z)"\n    dy_dx = 1\n',
    "numpy_attack": '@op\ndef sinpi(x) -> y:\n    numpy = "x.__class__"\n    dy_dx = 1\n',
    "no_opencl": '@op\ndef sincpi(x) -> y:\n    numpy = "sinc(x)"\n    dy_dx = 1\n',
    "wrong_size": "def f(v: vec3) -> y:\n    y = v.w\n",
    "shapes": "def f(v: vec3, w: vec2) -> y:\n    y = dot(v, v) * v + w\n",
    "no_components": HEAD + "y = x.y\n",
    "vector_argument": HEAD + "y = cross(x, x)\n",
    "matmult": "def f(a: mat, b: mat) -> c:\n    c = a @ b\n",
    "caret": HEAD + "y = x ^ 2\n",
    "deep": HEAD + "y = " + "+".join(["x"] * 150) + "\n",
    "deep_locals": HEAD + "t0 = x\n"
    + "".join(f"    t{i + 1} = sin(t{i})\n" for i in range(120)) + "    y = t120\n",
    "expansion": "def f0(x) -> y: y = x * x\n"
    + "".join(f"def f{i + 1}(x) -> y: y = f{i}(x) + f{i}(x + 1)\n" for i in range(20)),
    "empty_block": "@rewrite(real)\ndef r(x):\n    pass\n",
    "else": "@rewrite\ndef r(x):\n    if x > 0: exp(log(x)) >> x\n    else: exp(log(x)) >> 0\n",
    "class": "class A: pass\n",
    "return": HEAD + "return x\n",
    "huge_number": HEAD + f"y = x * 1{'0' * 400}\n",
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_messages(name, golden):
    with pytest.raises(RuleError) as caught:
        rules.loads(MALFORMED[name], "demo.rules")
    error = caught.value
    assert error.at is not None and error.at.file == "demo.rules"
    golden(f"{name}.txt", f"{error}\n")


def test_no_golden_text_is_left_over():
    folder = Path(__file__).parent / "golden"
    others = {"costs"}  # of test_costs.py
    assert {path.stem for path in folder.glob("*.txt")} == set(MALFORMED) | others


HOSTILE = {
    "minus": HEAD + "y = " + "-" * 5000 + "x",
    "more_minus": HEAD + "y = " + "-" * 100_000 + "x",
    "sum": HEAD + "y = " + "+".join(["x"] * 100_000),
    "open": HEAD + "y = " + "(" * 9000,
    "attributes": HEAD + "y = x" + ".x" * 100_000,
    "calls": HEAD + "y = x" + "()" * 100_000,
    "nots": HEAD + "y = " + "not " * 100_000 + "x",
    "lambdas": HEAD + "y = " + "lambda:" * 50_000 + "x",
    "powers": HEAD + "y = " + "**".join(["x"] * 50_000),
    "comparisons": HEAD + "y = 1 if " + "x<" * 20_000 + "x else 0",
    "ands": HEAD + "y = 1 if " + "x<1 and " * 20_000 + "x<1 else 0",
    "choices": HEAD + "y = " + "x if x<1 else " * 20_000 + "x",
    "indices": HEAD + "y = x" + "[0]" * 100_000,
    "digits": HEAD + "y = " + "1" * 5000,
    "surrogate": HEAD + "y = '\ud800'",
    "nul": HEAD + "y = x\0",
    "decorators": "@op\n" * 20_000 + HEAD + "y = x",
    "elifs": "if x: pass\n" + "elif x: pass\n" * 20_000,
    "indents": "\n".join(" " * i + "if x:" for i in range(200)),
    "size": "#" * (1 << 20) + "#\n",
    "rules": "@rewrite\ndef r(x):\n" + "    log(exp(x)) >> x\n" * 5001,
    "locals": HEAD + "t0 = x\n"
    + "".join(f"    t{i + 1} = t{i} * t{i}\n" for i in range(95)) + "    y = t95 + q\n",
    "meaning": HEAD + "numpy = '" + "-" * 900 + "x'\n    y = x\n",
    "chain": "".join(f"def f{i}(x) -> y: y = f{i + 1}(x)\n" for i in range(2000))
    + "def f2000(x) -> y: y = x\n",
    "parameters": f"def f({', '.join(f'x{i}' for i in range(3000))}) -> y: y = x0 + q",
    "list": HEAD + "y = " + "[" * 90 + "x" + "]" * 90,
    "comprehensions": "def f(m: mat) -> y: y = " + "[" * 40 + "r"
    + "".join(f" for r{i} in rows(m)]" for i in range(40)),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text(name):
    with pytest.raises(RuleError):
        rules.loads(HOSTILE[name], "demo.rules")


def test_sharing_does_not_blow_up():
    lines = "".join(f"    t{i + 1} = t{i} * t{i}\n" for i in range(90))
    text = HEAD + "t0 = x\n" + lines + "    y = t90\n    dy = t90 * dx\n"
    assert len(show(one(text).definition)) < 400


def test_many_operators_do_not_recurse():
    lines = [f"def f{i}(x) -> y: y = f{i + 1}(x)" for i in range(150)]
    assert one("\n".join([*lines, "def f150(x) -> y: y = sin(x)"]), "f0")


@pytest.mark.parametrize(
    "data",
    [b"\xff\xfe", b"\x00" * 10, b"def f(x) -> y:\n    y = '\xc3'\n", b"# -*- coding: rot13 -*-\nx"],
)
def test_bytes_that_are_no_rules(tmp_path, data):
    path = tmp_path / "bad.rules"
    path.write_bytes(data)
    with pytest.raises(RuleError) as caught:
        rules.load([path])
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("where", ["missing.rules", ".", "a\0b.rules", "x" * 5000])
def test_places_that_are_no_files(tmp_path, where):
    with pytest.raises(RuleError):
        rules.load([f"{tmp_path}/{where}"])


def test_shipped_sets_that_are_there_already():
    path = Path(rules.__file__).parent / "trig.rules"
    for named in ("trig", "trig.rules", path, [str(path), "algebra"]):
        assert rules.load(named) is rules.load()
    assert rules.load(["trig", "slang"]) is rules.load("slang")
    assert rules.load("trig", base=rules.load("slang")) is rules.load("slang")
    for absent in ("absent/trig.rules", "a\0/trig.rules"):
        with pytest.raises(RuleError):
            rules.load(absent)


def test_unknown_set_names_the_nearest():
    with pytest.raises(RuleError, match="did you mean 'slang'"):
        rules.load(["slank"])


def test_bom_line_ends_and_comments(tmp_path):
    path = tmp_path / "bom.rules"
    path.write_bytes(
        "\ufeff# größer\r\ndef f(x) -> y:\r\n    '''ä'''\r\n    y = x + q\r\n".encode()
    )
    with pytest.raises(RuleError) as caught:
        rules.load([path])
    assert (caught.value.at.line, caught.value.at.column) == (4, 13)


WORDS = """
def f ( x ) -> y : @op @rewrite( exact ) @fact @primal = dy_dx dy dx x_bar >> + - * / ** // % <
>= and or not if else 1 2.5 'a' sin atan2 , . [ ] vec3 mat ... for in rows sum numpy opencl domain
range cost aliases pi inf True lambda import é
"""
WORDS = st.sampled_from([*WORDS.split(), "\n", "\n    ", "\0"])


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=40).map(" ".join))
def test_only_rule_errors_come_out_of_words(text):
    for candidate in (text, HEAD + text, "@rewrite(real)\ndef r(x, c):\n    " + text):
        with contextlib.suppress(RuleError):
            rules.loads(candidate, "demo.rules")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_only_rule_errors_come_out_of_text(text):
    for candidate in (text, HEAD + "y = " + text):
        with contextlib.suppress(RuleError):
            rules.loads(candidate, "demo.rules")


FOLDER = Path(rules.__file__).parent
SHIPPED = "\n".join(
    (FOLDER / f"{name}.rules").read_text(encoding="utf-8").partition("rules_version = 1")[2]
    for name in rules.shipped()
    if name != "slang"
)


def test_shipped_rules_load_as_one_text():
    assert len(rules.loads(SHIPPED, base=RuleSet({})).operators) == len(rules.load().operators)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_only_rule_errors_come_out_of_mutated_rules(data):
    start = data.draw(st.integers(0, len(SHIPPED)))
    stop = start + data.draw(st.integers(0, 20))
    some = data.draw(st.one_of(WORDS, st.text(max_size=3)))
    with contextlib.suppress(RuleError):
        rules.loads(SHIPPED[:start] + some + SHIPPED[stop:], "demo.rules", RuleSet({}))
