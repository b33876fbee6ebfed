"""Differentiable programs with the numbers that Slang prints for them, three ways.

The derivative program, the extracted program and the kernel must give one number: the
expected one in float32, and each other's to 1e-9 in float64.
"""

import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import pytest

import egad
from egad.codegen.layout import leaf_arrays
from egad.codegen.reference import evaluate
from egad.terms.types import Arr, Tup, shape_of

CASES = json.loads((Path(__file__).parent / "data" / "slang.json").read_text())["cases"]
CONVENTION = re.compile(r"\b(sqrt|rcp|pow|fmod)\b")


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    """Write a case to a file of its own, so that its source can be read, and import it."""
    folder = tmp_path_factory.mktemp("cases")

    def load_case(case):
        path = folder / f"{case['id'].replace('-', '_')}.py"
        buffers = "".join(f"{k} = {v!r}\n" for k, v in (case.get("buffers") or {}).items())
        path.write_text(f"from egad import *\n\n{buffers}{case['python']}")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, case["entry"])

    return load_case


def derived(case, f, dtype):
    mode = case["outer"] if case["mode"] == "higher" else case["mode"]
    params = [p for p in case["params"] if p["type"] not in ("int", "bool")]
    wrt = [p["name"] for p in params if not p["no_diff"]]
    rules = ["slang"] if CONVENTION.search(case["python"]) else []
    # The length of a list is that of the input.
    types = {
        p["name"]: egad.Array[float, len(case["inputs"][p["name"]])]
        for p in case["params"]
        if p["type"] == "list[float]"
    }
    return egad.derive(f, mode, wrt=wrt, dtype=dtype, rules=rules, types=types)


def components(name, value):
    """Flat names as in the expected keys: `x`, `x.y`, `m[0][1]`."""
    array = np.asarray(value)
    if array.ndim == 0:
        return {name: array}
    if array.ndim == 1:
        return {f"{name}.{'xyzw'[i]}": array[i] for i in range(len(array))}
    return {f"{name}[{i}][{j}]": array[i, j] for i, j in np.ndindex(array.shape)}


def arguments(case, program):
    """Flat inputs of the derived program, by parameter."""
    given = {}
    for p in case["params"]:
        given[p["name"]] = case["inputs"][p["name"]]
        given[f"d_{p['name']}"] = case.get("tangents", {}).get(p["name"], 0.0)
    bars = case.get("cotangents", {})
    for slot in program.params:
        if slot.name in given:
            continue
        assert slot.name.endswith("_bar"), slot.name
        name = slot.name.removesuffix("_bar").rstrip("_")
        names = [n for n in case["returns"] if n in bars]
        if name in bars:
            given[slot.name] = bars[name]
        elif name == "out":
            given[slot.name] = bars[names[0]]
        else:
            index = int(re.search(r"\d+$", name).group())
            given[slot.name] = bars.get(case["returns"][index], 0.0)
    return [shaped(slot, given[slot.name]) for slot in program.params]


def shaped(slot, value):
    """The value of a parameter; what a struct does not mention is zero."""
    return filled(slot.type, value)


def filled(type_, value):
    if isinstance(type_, Tup):
        value = value if isinstance(value, dict) else {}
        parts = zip(type_.names, type_.items, strict=True)
        return {name: filled(item, value.get(name, 0)) for name, item in parts}
    if isinstance(type_, Arr):
        items = value if isinstance(value, list) else [value] * type_.size
        return [filled(type_.item, item) for item in items]
    return np.broadcast_to(np.asarray(value), shape_of(type_))


def leaves(value):
    """The numbers in a value, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return list(np.ravel(value))


def flat_inputs(program, args):
    found = {}
    for slot, value in zip(program.params, args, strict=True):
        found.update(zip(slot.paths(), leaves(value), strict=True))
    return found


def expected_keys(case, program):
    """The flat result components under the names of the case."""
    keys = []
    if program.name.endswith("_bwd"):
        for slot in program.results:
            base = f"grad.{slot.name.removesuffix('_bar').rstrip('_')}"
            if slot.array:
                base = f"buffer.{slot.array.partition(':')[2]}"
            keys += [base + path[len(slot.name) :] for path in slot.paths()]
        return keys
    names = case["returns"]
    primal = [s for s in program.results if not s.name.startswith("d_")]
    for count, slot in enumerate(program.results):
        tangent = slot.name.startswith("d_")
        index = count - len(primal) if tangent else count
        keys += [
            f"{names[index]}.{'d' if tangent else 'p'}{path[len(slot.name) :]}"
            for path in slot.paths()
        ]
    return keys


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_case(case, load):
    f = load(case)
    single, double = derived(case, f, "float32"), derived(case, f, "float64")
    args = arguments(case, double.program)
    ways = {
        "derivative": evaluate(double.derivative, double.rules, flat_inputs(double.program, args)),
        "extracted": evaluate(double.program, double.rules, flat_inputs(double.program, args)),
        "kernel": kernel_results(double, args),
        "kernel32": kernel_results(single, args),
    }
    keys = expected_keys(case, double.program)
    if "return.p" in case["expected"] and "return.p" not in keys:
        # A backward function returns no primal: it is asked for on its own.
        keys.append("return.p")
        primal = egad.derive(f, "primal", dtype="float64").reference(*args[: len(case["params"])])
        ways = {way: [*values, primal] for way, values in ways.items()}
    for way in ("extracted", "kernel"):
        np.testing.assert_allclose(
            np.array([float(v) for v in ways[way]]),
            np.array([float(v) for v in ways["derivative"]]),
            rtol=1e-9,
            atol=1e-9,
            err_msg=way,
        )
    checked = 0
    for way, values in ways.items():
        found = dict(zip(keys, values, strict=True))
        for key, want in case["expected"].items():
            tolerance = case.get("tolerance_abs", 2e-6 * (1 + abs(want)))
            assert abs(float(found[key]) - want) <= tolerance, (way, key, found[key], want)
            checked += 1
    assert checked


@pytest.mark.parametrize("way", ["kernel", "reference"])
@pytest.mark.parametrize(
    "case", [c for c in CASES if c["mode"] == "bwd" and c.get("buffers")], ids=lambda c: c["id"]
)
def test_buffers_that_rules_add_to(case, way, load):
    """A call adds to the arrays of the module themselves."""
    f = load(case)
    d = derived(case, f, "float64")
    call = d if way == "kernel" else d.reference
    args = arguments(case, d.program)
    for rounds in (1, 2):
        call(*args)
        for key, want in case["expected"].items():
            name, index = re.fullmatch(r"buffer\.(\w+)\[(\d+)\]", key).groups()
            assert f.__globals__[name][int(index)] == pytest.approx(rounds * want, abs=1e-12)


def kernel_results(d, args):
    """The kernel's flat results at one point."""
    from egad.calling import bind
    from egad.codegen import device
    from egad.codegen.run import launch

    bound = bind(d.program.params, args)
    uniform = bound.uniform_names
    target = device.choose(None, fp64=d.dtype == "float64")
    outputs = launch(d.kernel(uniform), bound.inputs, bound.size, target)
    return [v for s in d.program.results for v in leaf_arrays(s.type, outputs[s.name][0])]
