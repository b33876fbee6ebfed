"""Points where derivatives usually go wrong (`data/gradient_points.json`): kernel and reference."""

import ast
import importlib.util
import json
import math
from pathlib import Path

import numpy as np
import pytest

from egad import derive

DATA = Path(__file__).parent / "data" / "gradient_points.json"
POINTS = {point["id"]: point for point in json.loads(DATA.read_text())}
RELATIVE, ABSOLUTE = 1e-6, 1e-9  # those of the data; absolute at 0
#: Names that NumPy has under another one; all others are its own, or Python's.
RENAMED = {"acos": "arccos", "atan": "arctan"}
BUILT_IN = {"abs", "round"}


class Spelled(ast.NodeTransformer):
    """Functions of the data as functions of NumPy."""

    def visit_Call(self, node):
        self.generic_visit(node)
        name = node.func.id
        if name not in BUILT_IN:
            node.func = ast.Attribute(ast.Name("np"), RENAMED.get(name, name))
        return node


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    """Every expression as a function in a file: egad reads sources."""
    lines = ["import numpy as np", ""]
    for name, point in POINTS.items():
        params = ", ".join(f"{variable}: float" for variable in point["point"])
        body = ast.unparse(Spelled().visit(ast.parse(point["expr"], mode="eval")))
        lines += ["", f"def {name}({params}) -> float:", f"    return {body}", ""]
    file = tmp_path_factory.mktemp("points") / "gradient_points.py"
    file.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location("gradient_points", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_right(found, correct):
    """Whether a number is the one that is right, or an element of the subdifferential."""
    if isinstance(correct, list):
        return correct[0] - ABSOLUTE <= found <= correct[1] + ABSOLUTE
    correct = float(correct)
    if not math.isfinite(correct):
        return np.array_equal(found, correct, equal_nan=True)
    return abs(found - correct) <= (RELATIVE * abs(correct) or ABSOLUTE)


def derivatives(function, order, optimize):
    """Ways to a derivative by one variable, as functions of a point and its name."""
    options = {"dtype": "float64", "optimize": optimize}
    if order == 1:
        bwd, jacobian = derive(function, "bwd", **options), derive(function, "jacobian", **options)
        yield "bwd", lambda at, wrt, call: getattr(call(bwd)(*at, 1.0), wrt)
        yield "jacobian", lambda at, wrt, call: getattr(call(jacobian)(*at), wrt)
    elif order == 2:
        hessian = derive(function, "hessian", **options)
        yield "hessian", lambda at, wrt, call: getattr(getattr(call(hessian)(*at), wrt), wrt)
    else:
        third = derive(derive(function, "jacobian", **options), "hessian", **options)
        yield (
            "third",
            lambda at, wrt, call: np.ravel(getattr(getattr(call(third)(*at), wrt), wrt))[0],
        )


@pytest.mark.parametrize("optimize", ["fast", "default"])
@pytest.mark.parametrize("name", POINTS)
def test_a_derivative_at_a_special_point(functions, name, optimize):
    point = POINTS[name]
    at = [float(value) for value in point["point"].values()]
    for how, value in derivatives(getattr(functions, name), point["order"], optimize):
        for call in (lambda d: d, lambda d: d.reference):
            with np.errstate(all="ignore"):
                found = float(value(at, point["wrt"], call))
            assert is_right(found, point["correct"]), (how, found, point["correct"], point["why"])


def test_the_judge_tells_wrong_numbers():
    assert is_right(math.nan, "nan") and not is_right(0.0, "nan") and not is_right(math.nan, 0.0)
    assert (
        is_right(math.inf, "inf") and not is_right(-math.inf, "inf") and not is_right(1e300, "inf")
    )
    assert is_right(0.5, [0, 1]) and not is_right(1.1, [0, 1]) and not is_right(math.nan, [0, 1])
    assert is_right(1 + 1e-7, 1.0) and not is_right(1 + 1e-5, 1.0) and not is_right(1e-8, 0.0)
