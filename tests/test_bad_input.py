"""Bad input, end to end: one golden text for every way to get it wrong.

The texts are part of the product: file, line, column, the name, what to do.
"""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import egad

CASES = {
    "unknown_name": """
        def f(x: float) -> float:
            return sinn(x)
        """,
    "wrong_arity": """
        def f(x: float) -> float:
            return egad.atan2(x)
        """,
    "wrong_type": """
        def f(v: egad.float3, w: egad.float2) -> float:
            return egad.dot(v + w, v)
        """,
    "not_differentiable": """
        @egad.non_differentiable
        def table(x: float) -> float:
            return x * 2

        def f(x: float) -> float:
            return x * table(x)
        """,
    "recursion": """
        def f(x: float) -> float:
            return x * f(x - 1) if x > 0 else 1.0
        """,
    "loop": """
        def f(x: float) -> float:
            total = x
            while total < 10.0:
                total = total * total
            return total
        """,
    "no_return": """
        def f(x: float) -> float:
            if x > 0:
                return x
        """,
    "unbound_in_one_arm": """
        def f(x: float) -> float:
            if x > 0:
                y = x * x
            return y
        """,
    "maybe_none": """
        def root(x: float) -> float | None:
            if x < 0:
                return None
            return egad.sqrt(x)

        def f(x: float) -> float:
            return 2 * root(x - 1)
        """,
    "maybe_none_after_a_loop": """
        def f(x: float) -> float:
            best = None
            for i in range(4):
                if x * i > 1 and (best is None or x * i < best):
                    best = x * i
            return best * 2
        """,
    "perhaps_no_struct": """
        @egad.struct
        class Hit:
            t: float

        def hit(x: float) -> Hit | None:
            return Hit(x) if x > 0 else None

        def f(x: float) -> float:
            return hit(x).t
        """,
    "unknown_component": """
        def f(v: egad.float3) -> float:
            return v.w
        """,
    "string": """
        def f(x: float) -> float:
            return x * "two"
        """,
    "only_backward": """
        def rule(x, y_bar):
            return (2 * y_bar,)

        @egad.custom_bwd(rule)
        def g(x: float) -> float:
            return 2 * x

        def f(x: float) -> float:
            return g(x)
        """,
    "nothing_to_differentiate": """
        def f(n: int) -> int:
            return n + 1
        """,
    "math_function_without_operator": """
        import math

        def f(x: float) -> float:
            return math.gcd(x, 2)
        """,
}


def module_of(tmp_path, text):
    path = tmp_path / "user.py"
    lines = text.strip("\n").splitlines()
    shift = len(lines[0]) - len(lines[0].lstrip())
    path.write_text("import egad\n\n" + "\n".join(line[shift:] for line in lines) + "\n")
    spec = importlib.util.spec_from_file_location("user", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_of(error, tmp_path):
    """The message without what differs from machine to machine."""
    text = f"{type(error).__name__}: {error}\n".replace(str(tmp_path), "DIR")
    text = text.replace(str(Path(__file__).parent), "TESTS")
    return re.sub(r"(/[^\s:()]+)+/(rules/\w+\.rules|site-packages/egad)", r"EGAD/\2", text)


@pytest.mark.parametrize("name", CASES)
def test_functions(name, tmp_path, golden):
    f = module_of(tmp_path, CASES[name]).f
    with pytest.raises(egad.EgadError) as caught:
        egad.derive(f, mode="fwd" if name == "only_backward" else "bwd")
    golden(f"bad_input/{name}.txt", text_of(caught.value, tmp_path))


def square(x: float) -> float:
    return x * x


def weighted(v: "egad.float3", n: int) -> float:
    return egad.dot(v, v) * n


CALLS = {
    "option_mode": lambda: egad.derive(square, mode="backward"),
    "option_math": lambda: egad.derive(square, math="exact"),
    "option_dtype": lambda: egad.derive(square, dtype="float"),
    "option_wrt": lambda: egad.derive(square, wrt=["y"]),
    "not_a_function": lambda: egad.derive(3.0),
    "a_value_instead_of_a_function": lambda: egad.derive(np.ones(3)),
    "hessian_of_a_vector": lambda: egad.derive(vector_result, mode="hessian"),
    "too_many_arguments": lambda: egad.derive(square)(1.0, 2.0, 3.0),
    "missing_argument": lambda: egad.derive(square)(1.0),
    "unknown_keyword": lambda: egad.derive(square)(x=1.0, g=1.0),
    "wrong_shape": lambda: egad.derive(weighted)(np.ones((5, 2)), 2, 1.0),
    "shapes_do_not_broadcast": lambda: egad.derive(square)(np.ones(3), np.ones(4)),
    "real_for_int": lambda: egad.derive(weighted)([1.0, 2.0, 3.0], 2.5, 1.0),
    "complex": lambda: egad.derive(square)(np.ones(3, np.complex64), 1.0),
    "pair_in_backward_mode": lambda: egad.derive(square)(egad.diff_pair(1.0, 1.0), 1.0),
    "pair_for_a_constant": lambda: egad.derive(weighted, mode="fwd")(
        [1.0, 2.0, 3.0], egad.diff_pair(2, 1)
    ),
    "no_such_device": lambda: egad.derive(square, device="quantum")(1.0, 1.0),
    "no_such_rule_file": lambda: egad.derive(square, rules=["absent.rules"]),
    "complex_sympy": lambda: egad.derive(sympy_symbol("x") * sympy_symbol("I")),
    "unknown_sympy_function": lambda: egad.derive(sympy_function("mystery")),
    "text_in_a_struct": lambda: egad.derive(of_named, "primal")(Named(1.0, "a")),
    "empty_list": lambda: egad.derive(of_list, "primal")([]),
    "tuple_of_another_length": lambda: egad.derive(of_tuple, "primal")((1.0, 2.0, 3.0)),
    "tuples_of_another_length": lambda: egad.derive(of_tuples, "primal")([(1.0, 2.0), (1.0,)]),
    "type_with_text": lambda: egad.derive(of_any, types={"s": Named}),
    "type_with_text_inside": lambda: egad.derive(of_any, types={"s": Around}),
}


def vector_result(x: float) -> "egad.float2":
    return egad.float2(x, x * x)


def sympy_symbol(name):
    import sympy

    return sympy.I if name == "I" else sympy.Symbol(name)


def sympy_function(name):
    import sympy

    return sympy.Function(name)(sympy.Symbol("x"))


@pytest.mark.parametrize("name", CALLS)
def test_calls(name, tmp_path, golden):
    with pytest.raises(egad.EgadError) as caught:
        CALLS[name]()
    text = text_of(caught.value, tmp_path)
    if name == "no_such_device":  # what follows lists the devices of this machine
        text = text.splitlines()[0] + "\n"
    golden(f"bad_input/{name}.txt", text)


RULES = {
    "no_derivative": """
        @nondiff
        def lookup(x) -> y:
            numpy = "floor(x)"
            opencl = "floor({x})"
        """,
    "nan_cost": """
        @op(cost=nan)
        def twice(x) -> y:
            y = 2 * x
        """,
    "no_spelling": """
        @op(cost=10)
        def lookup(x) -> y:
            numpy = "sinc(x)"
            mpmath = "sinc(pi * x)"
            f64 = "sinpi({x})"
            dy_dx = 0
        """,
}


def lookup_of(x: float) -> float:
    return lookup(x) * x  # noqa: F821  (an operator of the rule file)


@pytest.mark.parametrize("name", RULES)
def test_rule_files(name, tmp_path, golden):
    lines = RULES[name].strip("\n").splitlines()
    path = tmp_path / "mine.rules"
    path.write_text("\n".join(line[8:] for line in lines) + "\n")
    with pytest.raises(egad.EgadError) as caught:
        egad.derive(lookup_of, rules=[path]).source  # noqa: B018
    golden(f"bad_input/rules_{name}.txt", text_of(caught.value, tmp_path))


def test_sixty_thousand_parentheses_in_a_rule_file(tmp_path, golden):
    path = tmp_path / "deep.rules"
    path.write_text("def f(x) -> y:\n    y = " + "(" * 60_000 + "x" + ")" * 60_000 + "\n")
    with pytest.raises(egad.RuleError) as caught:
        egad.derive(square, rules=[path])
    golden("bad_input/parentheses.txt", text_of(caught.value, tmp_path))


@pytest.mark.parametrize("terms", [200, 900, 2_500])
def test_deep_source_does_not_overflow(tmp_path, terms):
    """A sum is an expression as deep as it is long: read it, or say that it is too deep."""
    text = "        def f(x: float) -> float:\n            return " + "+".join(["x"] * terms)
    f = module_of(tmp_path, text).f
    try:
        assert egad.derive(f).reference(1.0, 1.0).x == terms
    except egad.TraceError as error:
        assert "deep" in str(error)


def test_without_source_a_branch_is_a_clear_error(golden, tmp_path):
    scope = {}
    exec("def f(x):\n    return x if x > 0 else -x\n", scope)
    with pytest.raises(egad.TraceError) as caught:
        egad.derive(scope["f"])
    golden("bad_input/branch_without_source.txt", text_of(caught.value, tmp_path))


@egad.struct
class Named:
    x: float
    name: str


@egad.struct
class Around:
    y: float
    inner: Named


def of_named(s: Named) -> float:
    return s.x


def of_list(ps: list[Named]) -> float:
    return ps[0].x


def of_tuple(t: tuple[float, float]) -> float:
    return t[0] * t[1]


def of_tuples(t: egad.Array[tuple[float, float], 2]) -> float:
    return t[0][0] * t[1][1]


def of_any(s) -> float:
    return s.x
