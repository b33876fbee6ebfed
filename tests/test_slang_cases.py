"""Differentiable programs with the numbers that Slang prints for them, three ways.

Forwards and backwards, against each other and against differences.

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
from egad.codegen.host.reference import evaluate
from egad.codegen.kernel.layout import leaf_arrays, opened
from egad.terms.types import Arr, Tup, shape_of

DATA = sorted((Path(__file__).parent / "data").glob("*slang*.json"))
CASES = [case for path in DATA for case in json.loads(path.read_text())["cases"]]
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


def derived(case, f, dtype, mode=None, **options):
    mode = mode or (case["outer"] if case["mode"] == "higher" else case["mode"])
    params = [p for p in case["params"] if p["type"] not in ("int", "bool")]
    wrt = [p["name"] for p in params if not p["no_diff"]]
    rules = ["slang"] if CONVENTION.search(case["python"]) else []
    # The length of a list is that of the input.
    types = {
        p["name"]: egad.Array[float, len(case["inputs"][p["name"]])]
        for p in case["params"]
        if p["type"] == "list[float]"
    }
    return egad.derive(f, mode, wrt=wrt, dtype=dtype, rules=rules, types=types, **options)


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
        name = slot.name.rstrip("_").removesuffix("_bar")
        names = [n for n in case["returns"] if n in bars]
        if name in case["returns"]:
            given[slot.name] = bars.get(name, 0.0)
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


def stores(slot):
    return bool(slot.array) and isinstance(slot.type, Tup)


def expected_keys(case, program):
    """The flat result components under the names of the case."""
    keys = []
    if program.name.endswith("_bwd"):
        for slot in program.results:
            base = f"grad.{slot.name.rstrip('_').removesuffix('_bar')}"
            if slot.array:
                base = f"buffer.{slot.array.partition(':')[2]}"
            paths = [path[len(slot.name) :] for path in slot.paths()]
            if stores(slot):  # what is stored, and how often
                firsts = (p.startswith("[0]") for p in paths)
                paths = [p[3:] if f else f".times{p}" for p, f in zip(paths, firsts, strict=True)]
            keys += [base + path for path in paths]
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


class Linear:
    """A case forwards and backwards at its point, as functions of flat vectors."""

    def __init__(self, case, f):
        modes = {m: derived(case, f, "float64", m, optimize="fast") for m in ("primal", "bwd")}
        self.primal, self.back = modes["primal"], modes["bwd"]
        own = [s for s in self.back.program.params if not s.array]
        count = len(self.primal.program.params)
        self.point = {}
        for slot in own[:count]:
            value = leaves(shaped(slot, case["inputs"][slot.name]))
            self.point.update(zip(slot.paths(), value, strict=True))
        self.bars = [p for slot in own[count:] for p in real_paths(slot)]
        self.wrt = [p for slot in self.primal.program.params if slot.diff for p in real_paths(slot)]

    def value(self, direction, h):
        moved = {p: self.point[p] + h * d for p, d in zip(self.wrt, direction, strict=True)}
        program = self.primal.program
        found = evaluate(program, self.primal.rules, {**self.point, **moved})
        slots = [(s, p) for s in program.results for p in s.paths()]
        kinds = [leaf.type.is_real for s in program.results for leaf in s.leaves()]
        pairs = zip(slots, kinds, found, strict=True)
        return np.array([float(v) for (s, _), real, v in pairs if real and s.diff])

    def pulled(self, bars):
        program = self.back.program
        inputs = dict.fromkeys((p for s in program.params for p in s.paths()), 0)
        inputs |= {**self.point, **dict(zip(self.bars, bars, strict=True))}
        found = dict(
            zip(
                [p for s in program.results for p in s.paths()],
                evaluate(program, self.back.rules, inputs),
                strict=True,
            )
        )
        own = [s for s in program.results if not s.array]
        return np.array([float(found[p]) for s in own for p in real_paths(s)])

    def pushed(self, forward, direction):
        program = forward.program
        tangents = [s for s in program.params if s.name not in {p.name for p in self.slots()}]
        paths = [p for s in tangents for p in s.paths()]
        reals = [p for s in tangents for p in real_paths(s)]
        inputs = {**self.point, **dict.fromkeys(paths, 0)}
        inputs.update(zip(reals, direction, strict=True))
        values = evaluate(program, forward.rules, inputs)
        results = program.results[len(self.primal.program.results) :]
        flat = dict(zip([p for s in program.results for p in s.paths()], values, strict=True))
        return np.array([float(flat[p]) for s in results for p in real_paths(s)])

    def slots(self):
        return self.primal.program.params


def real_paths(slot):
    pairs = zip(slot.paths(), slot.leaves(), strict=True)
    return [path for path, leaf in pairs if leaf.type.is_real]


#: What makes a derivative another one than that of the function.
OWN = re.compile(r"custom_(fwd|bwd)|detach|no_diff|treat_as|substitute|Const|bwd_diff|fwd_diff")


#: Cases whose point is at an edge, a tie or a jump: there are no differences.
KINKS = {"clamp-edge-lower", "clamp-edge-upper", "max-tie", "min-tie", "max-float2-tie"}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_forwards_backwards_and_differences(case, load):
    """<y_bar, J dx> = <J^T y_bar, dx>, and J dx = (f(x + h dx) - f(x - h dx)) / 2h."""
    f = load(case)
    try:
        linear = Linear(case, f)
    except egad.DeriveError as error:
        assert "no differentiable parameter" in str(error)
        return
    rng = np.random.default_rng(len(case["id"]))
    direction = np.round(rng.uniform(-1, 1, len(linear.wrt)), 2)
    bars = np.round(rng.uniform(-1, 1, len(linear.bars)), 2)
    pulled = linear.pulled(bars)
    both = "custom_fwd" in case["python"] and "custom_bwd" in case["python"]
    try:
        forward = derived(case, f, "float64", "fwd", optimize="fast")
    except egad.DeriveError as error:
        assert "has only a backward rule" in str(error) or not linear.wrt
    else:
        if not both:  # two rules need not agree
            pushed = linear.pushed(forward, direction)
            assert bars @ pushed == pytest.approx(pulled @ direction, rel=1e-9, abs=1e-12)
    if OWN.search(case["python"]):
        return
    here, h = linear.value(direction, 0.0), 1e-6
    right, left = ((linear.value(direction, s * h) - here) / (s * h) for s in (1, -1))
    smooth = np.allclose(right, left, rtol=1e-4, atol=1e-4)
    assert smooth or case["id"].rpartition("-")[0] in KINKS
    if smooth:
        assert bars @ (right + left) / 2 == pytest.approx(pulled @ direction, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("way", ["kernel", "reference"])
@pytest.mark.parametrize(
    "case",
    [c for c in CASES if any(k.startswith("buffer.") for k in c["expected"])],
    ids=lambda c: c["id"],
)
def test_buffers_that_rules_add_to(case, way, load):
    """A call adds to the arrays of the module themselves."""
    f = load(case)
    d = derived(case, f, "float64")
    call = d if way == "kernel" else d.reference
    args = arguments(case, d.program)
    keys = {k: re.fullmatch(r"buffer\.(\w+)\[(\d+)\]", k) for k in case["expected"]}
    written = [(*key.groups(), case["expected"][k]) for k, key in keys.items() if key]
    for rounds in (1, 2):
        call(*args)
        for name, index, want in written:
            (slot,) = (s for s in d.program.results if s.array.endswith(f":{name}"))
            total = want if stores(slot) else rounds * want
            assert f.__globals__[name][int(index)] == pytest.approx(total, abs=1e-12)


def kernel_results(d, args):
    """The kernel's flat results at one point."""
    from egad.codegen.devices import device
    from egad.codegen.devices.run import launch
    from egad.codegen.host.arrays import bind

    bound = bind(d.program.params, args)
    uniform = bound.uniform_names
    target = device.choose(None, fp64=d.dtype == "float64")
    outputs = launch(d.kernel(uniform), bound.inputs, bound.size, target)
    passed = [part for slot in d.program.results for part in opened(slot)]
    return [v for part in passed for v in leaf_arrays(part.type, outputs[part.name][0])]
