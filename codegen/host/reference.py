"""Takes a program and arrays, gives the arrays of its results with NumPy.

Every operator acts by the NumPy meaning in its rule, in the type of its term: float32
programs are computed in float32. This is what kernels are compared with, and what runs where
there is no device. Knows nothing of OpenCL.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...rules.meaning import Array, Meaning, compile_meaning
from ...terms.applied import component_of, environment, overload, types_of
from ...terms.apply import instantiate
from ...terms.errors import DeriveError, DeviceError, EmitError, nearest
from ...terms.loop import (
    KEEP,
    LOAD,
    LOOP,
    MEMORY,
    RESTORE,
    SAVE,
    STORE,
    TABLE,
    Loop,
    held,
    map_loops,
)
from ...terms.program import Call, Program, Request
from ...terms.rule import Operator, RuleSet
from ...terms.term import (
    CALL,
    CAST,
    CONST,
    DETACH,
    PROJ,
    SELECT,
    VAR,
    Term,
    const_value,
    fold,
    rebuild,
    toposort,
)
from ...terms.types import Memory, Scalar, leaf_types
from ..kernel.layout import DTYPES as STORED
from ..kernel.layout import axes_of, dtype_of, leaf_arrays, opened

DTYPES: Mapping[Scalar, np.dtype[Any]] = {**STORED, Scalar.REAL: np.dtype(np.float64)}
_MEMORY = frozenset({MEMORY, TABLE, LOAD, STORE, SAVE, RESTORE})
_SPECIAL = _MEMORY | {VAR, CONST, CAST, DETACH, CALL, PROJ, SELECT, KEEP, LOOP}
# Definitions use functions that have definitions; the loader allows no cycles.
_MAX_EXPANSIONS = 100


def evaluate(
    program: Program,
    rules: RuleSet,
    inputs: Mapping[str, Any],
    *,
    derived: bool = False,
) -> list[Array]:
    """The flat results of the program, each in the common shape of the inputs.

    `inputs` holds an array or a number for every component: `a`, `v.x`, `m[0][1]`. With
    `derived`, functions are computed by their primal substitutes.
    """
    env: dict[str, Array] = {}
    for slot in program.params:
        for path, type_ in zip(slot.paths(), leaf_types(slot.type), strict=True):
            if path not in inputs:
                hint = f"inputs are {', '.join(inputs)}{nearest(path, inputs)}"
                raise DeviceError(f"{program.name}: no value for {path!r}", program.at, hint)
            env[path] = _as_given(inputs[path], DTYPES[type_])
    try:
        shape = np.broadcast_shapes(*[array.shape for array in env.values()])
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in env.items())
        raise DeviceError(f"{program.name}: the shapes do not broadcast: {shapes}") from None
    with np.errstate(all="ignore"):
        results = _run(program, rules, env, derived)
    return [r if r.shape == shape else np.broadcast_to(r, shape).copy() for r in results]


def _as_given(values: Any, dtype: np.dtype[Any]) -> Array:
    """An input in the type of its variable; integers beyond 31 bits are those bits."""
    if dtype == np.int32:
        return np.asarray(np.asarray(values), dtype=dtype)
    return np.asarray(values, dtype=dtype)


def evaluate_packed(
    program: Program, rules: RuleSet, inputs: Mapping[str, Any], n: int
) -> dict[str, Array]:
    """The results for `n` elements, as a launch of the kernel gives them: (n, *components) each.

    `inputs` holds, for every argument of the kernel, `n` packed values, or one for all.
    """
    flat: dict[str, Any] = {}
    for slot in program.params:
        for item in opened(slot):
            packed = inputs[item.name]
            values = np.asarray(packed.get() if hasattr(packed, "get") else packed)
            values = values.reshape(-1, *axes_of(item.type))
            rows = values[0] if len(values) == 1 else values
            flat.update(zip(item.paths(), leaf_arrays(item.type, rows), strict=True))
    results = iter(evaluate(program, rules, flat))
    outputs = {}
    for slot in program.results:
        for item in opened(slot):
            values = outputs[item.name] = np.empty((n, *axes_of(item.type)), dtype_of(item.type))
            for leaf in leaf_arrays(item.type, values):
                leaf[...] = next(results)
    return outputs


def _run(program: Program, rules: RuleSet, env: Mapping[str, Array], derived: bool) -> list[Array]:
    return _values(expand(program.flat, rules, derived), rules, env, derived)


def _values(
    roots: Sequence[Term], rules: RuleSet, env: Mapping[str, Array], derived: bool
) -> list[Array]:
    order = toposort(roots)
    last: dict[Term, Term | None] = {}
    for term in order:
        for arg in term.args:
            last[arg] = term
    last.update((root, None) for root in roots)
    meanings: dict[str, Meaning] = {}
    values: dict[Term, Any] = {}
    for term in order:
        args = [values[a] for a in term.args]
        values[term] = _step(term, args, rules, env, meanings, derived)
        for arg in term.args:
            if last[arg] is term:
                values.pop(arg, None)
    return [values[root] for root in roots]


def _step(
    term: Term,
    args: Sequence[Any],
    rules: RuleSet,
    env: Mapping[str, Array],
    meanings: dict[str, Meaning],
    derived: bool,
) -> Any:
    match term.op:
        case "var":
            return env[term.attr]
        case "proj":
            return args[0][term.attr]
        case "call":
            return _call(term.attr, args, rules, derived)
        case "loop":
            return _loop(term.attr, args, rules, derived)
        case "memory":
            assert isinstance(term.type, Memory)
            return np.zeros(term.type.size, DTYPES[term.type.elem])
        case "table":
            assert isinstance(term.type, Memory)
            return np.array(held(term), DTYPES[term.type.elem])
        case "load":
            return _load(args[0], args[1])
        case "store":
            return _store(args[0], args[1], args[2])
        case "save":
            size = len(args[2])
            result = args[0]
            for k in range(size):
                result = _store(result, args[1] * size + k, args[2][k])
            return result
        case "restore":
            assert isinstance(term.type, Memory)
            size = term.type.size
            return np.stack([_load(args[0], args[1] * size + k) for k in range(size)])
    dtype = DTYPES[term.type]
    match term.op:
        case "const":
            return np.asarray(const_value(term), dtype=dtype)
        case "cast":
            return args[0] != 0 if dtype == np.bool_ else args[0].astype(dtype)
        case "detach" | "keep":
            return args[0]
        case "select":
            return np.where(args[0], args[1], args[2]).astype(dtype, copy=False)
    meaning = meanings.get(term.op)
    if meaning is None:
        meaning = meanings[term.op] = _meaning(term, rules)
    return np.asarray(meaning(args)).astype(dtype, copy=False)


def _call(call: Call, args: Sequence[Array], rules: RuleSet, derived: bool) -> list[Array]:
    body = call.substitute if derived and call.substitute is not None else call.body
    if isinstance(body, Request):
        raise DeriveError(
            f"{call.name}: this program still asks for a derivative ({body.mode}_diff); "
            "it has to be derived before it can run",
            call.at or body.at,
        )
    paths = [path for slot in body.params for path in slot.paths()]
    return _run(body, rules, dict(zip(paths, args, strict=True)), derived)


def _loop(loop: Loop, args: Sequence[Array], rules: RuleSet, derived: bool) -> list[Array]:
    """The trips that ran, and the final state: all elements step together, each while it goes.

    A memory has its own axis first.
    """
    trips, *rest = args
    names = [str(leaf.attr) for leaf in loop.body.leaves()]
    memories = [isinstance(leaf.type, Memory) for leaf in loop.body.leaves()[1:]]
    shape = np.broadcast_shapes(
        trips.shape, *(a.shape[m:] for a, m in zip(rest, memories, strict=True))
    )
    rest = [_spread(a, shape) if m else a for a, m in zip(rest, memories, strict=True)]
    state = rest[: loop.carried]
    env = dict(zip(names[1 + loop.carried :], rest[loop.carried :], strict=True))
    most = trips if loop.limit is None else np.minimum(trips, loop.limit)
    count = np.zeros(shape, np.int32)
    going = np.ones(shape, np.bool_)
    k = 0
    while True:
        going = going & (k < most)
        if not going.any():
            return [count, *state]
        env |= zip(names, [np.asarray(k, np.int32), *state], strict=False)
        go, *following = _values(loop.body.flat, rules, env, derived)
        going = going & go
        if not going.any():
            return [count, *state]
        state = [np.where(going, a, b) for a, b in zip(following, state, strict=True)]
        count = count + going
        k += 1


def _load(memory: Array, index: Array) -> Array:
    if not index.ndim:  # the same place for all elements
        return np.asarray(memory[_inside(memory, index)])
    if memory.ndim == 1:  # the same memory for all elements
        return np.asarray(memory[np.clip(index, 0, len(memory) - 1)])
    memory, index = _aligned(memory, index)
    found: Array = np.take_along_axis(memory, index[None], 0)[0]
    return found


def _store(memory: Array, index: Array, value: Array) -> Array:
    if not index.ndim:
        result = _spread(memory, np.broadcast_shapes(memory.shape[1:], value.shape)).copy()
        result[_inside(memory, index)] = value
        return result
    memory, index = _aligned(memory, index, value)
    result = memory.copy()
    np.put_along_axis(result, index[None], value, 0)
    return result


def _inside(memory: Array, index: Array) -> int:
    """An index that stays inside the memory."""
    return min(max(int(index), 0), len(memory) - 1)


def _aligned(memory: Array, index: Array, *others: Array) -> tuple[Array, Array]:
    """A memory and an index of one shape; the index stays inside the memory."""
    shape = np.broadcast_shapes(memory.shape[1:], index.shape, *(o.shape for o in others))
    inside = np.clip(index, 0, len(memory) - 1)
    return _spread(memory, shape), np.broadcast_to(inside, shape)


def _spread(memory: Array, shape: tuple[int, ...]) -> Array:
    """A memory for every element of a shape."""
    missing = len(shape) - (memory.ndim - 1)
    memory = memory.reshape(memory.shape[:1] + (1,) * missing + memory.shape[1:])
    return np.broadcast_to(memory, (len(memory), *shape))


def _meaning(term: Term, rules: RuleSet) -> Meaning:
    operator = operator_of(term, rules)
    names = tuple(p.name for p in operator.params)
    text = operator.numpy or f"{operator.name}({', '.join(names)})"
    return compile_meaning(text, names, operator.at)


def operator_of(term: Term, rules: RuleSet) -> Operator:
    """The operator of a term: the overload that fits its arguments."""
    types = types_of(term.args, term.attr)
    operator = overload(rules, term.op, types)
    if operator is None:
        raise EmitError(
            f"no rule defines {term.op!r} over {len(types)} arguments"
            f"{nearest(term.op, rules.operators)}",
            hint="add an @op block of that name to a rule file",
        )
    return operator


def expand(roots: Sequence[Term], rules: RuleSet, derived: bool) -> list[Term]:
    """The roots with every function replaced by its definition, down to primitives."""
    inner = map_loops(roots, lambda body: body.with_flat(expand(body.flat, rules, derived)))
    terms = [inner[t] for t in roots]
    for _ in range(_MAX_EXPANSIONS):
        done = _expanded_once(terms, rules, derived)
        if all(done[t] is t for t in terms):
            return terms
        terms = [done[t] for t in terms]
    raise EmitError(f"functions are defined by each other in a circle, at {terms[0]!r}")


def _expanded_once(roots: Sequence[Term], rules: RuleSet, derived: bool) -> dict[Term, Term]:
    there = {(t.op, t.args) for t in toposort(roots)}
    return fold(roots, lambda term, args: _expanded(term, args, there, rules, derived))


def _expanded(
    was: Term,
    args: tuple[Term, ...],
    there: Collection[tuple[str, tuple[Term, ...]]],
    rules: RuleSet,
    derived: bool,
) -> Term:
    term = rebuild(was, args)
    if term.op in _SPECIAL:
        return term
    operator = operator_of(term, rules)
    beside = all((op, was.args) in there for op in operator.beside)
    primal = operator.primal if derived and beside else None
    definition = primal if primal is not None else operator.definition
    if definition is None:
        return term
    env = environment(operator, types_of(term.args, term.attr), term.args)
    real = term.type
    if not real.is_real:
        real = next((a.type for a in term.args if a.type.is_real), Scalar.F32)
    value = instantiate(rules, definition, env, real, operator.at)
    return value.leaves[component_of(term.attr)]
