"""Blocks that change an operator that exists: `@primal`, `@derivative`, `@opencl`.

Takes such a block and the operator, gives the changed operator; knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...terms.errors import nearest
from ...terms.rule import Operator, Parameter
from ...terms.term import Term, substitute, var
from .body import BodyReader
from .calls import Signature, scalar_of_kind, shape_of_kind
from .derivatives import carries
from .linear import check_forward
from .operators import kind_of_value, sides
from .parse import Block
from .spelling import rename_spelling


def find(block: Block, operators: Mapping[str, Sequence[Operator]]) -> int:
    """The index of the overload that the block means."""
    overloads = operators.get(block.name)
    if not overloads:
        message = f"there is no operator {block.name!r} to change{nearest(block.name, operators)}"
        raise block.error(block.at, message, "define it first, with @op or without a decorator")
    count = len(block.params)
    same = [i for i, o in enumerate(overloads) if len(o.params) == count]
    exact = [i for i in same if _key(overloads[i].params) == _key(block.params)]
    if exact or (len(same) == 1 and not block.annotated):
        return (exact or same)[0]
    wanted = " or ".join(_signature(o) for o in overloads)
    raise block.error(block.at, f"no {block.name} takes these parameters", f"write {wanted}")


def _key(params: Sequence[Parameter]) -> tuple[object, ...]:
    return tuple(shape_of_kind(p.kind) for p in params)


def _signature(operator: Operator) -> str:
    return str(Signature(operator.name, operator.params, "", operator.at))


def _beside(
    block: Block, params: Sequence[Parameter], operators: Mapping[str, Sequence[Operator]]
) -> tuple[str, ...]:
    """The functions that a substitute is used beside; none where it always is."""
    names = tuple(block.options.get("beside", "").split())
    for name in names:
        if all(len(o.params) != len(params) for o in operators.get(name, ())):
            message = f"there is no function {name!r} of as many parameters to be used beside"
            hint = f"name one that takes what {block.name} does{nearest(name, operators)}"
            raise block.error(block.places["beside"], message, hint)
    return names


def apply(
    block: Block,
    operator: Operator,
    signatures: Mapping[str, Sequence[Signature]],
    operators: Mapping[str, Sequence[Operator]],
) -> tuple[Operator, list[Signature]]:
    """The operator with what the block says, and the operators that its definition calls."""
    params = tuple(
        Parameter(p.name, own.kind) for p, own in zip(block.params, operator.params, strict=True)
    )
    _check_results(block, operator)
    result = Parameter(block.results[0] if block.results else "", operator.result.kind)
    reader = BodyReader(block, params, result, signatures)
    body = reader.read()
    if body.kind:
        hint = "the kind of the result is stated where the operator is defined"
        raise block.error(block.at, "the kind of the result cannot change", hint)
    if block.kind == "opencl":
        if not body.spellings:
            raise block.error(block.at, "this block says nothing", 'write f32 = f64 = "…"')
        names = {p.name: own.name for p, own in zip(params, operator.params, strict=True)}
        spellings = {k: rename_spelling(v, names) for k, v in body.spellings.items()}
        return replace(operator, opencl={**operator.opencl, **spellings}), []
    rename = _renaming(block, params, operator)
    if block.kind == "primal":
        if operator.definition is None:
            args = ", ".join(p.name for p in params)
            raise block.error(
                block.at,
                "this is computed by the device: there is no definition to be replaced",
                f"write a pattern: {block.name}({args}) >> …, in a @primal block without a result",
            )
        if body.definition is None:
            raise block.error(block.at, "this block says nothing", f"write {result.name} = …")
        if kind_of_value(body.definition) in ("bool", "int") and carries(operator.result):
            raise block.error(block.at, f"the value is not of kind {operator.result.kind}")
        (primal,) = substitute([body.definition.term], rename)
        why = block.options.get("unchecked", "")
        beside = _beside(block, params, operators)
        found = replace(operator, primal=primal, primal_unchecked=why, beside=beside)
        return found, reader.called
    if not body.derivative:
        raise block.error(block.at, "this block says nothing", f"write d{result.name}_d… = …")
    if not carries(operator.result):
        raise block.error(block.at, f"the result is {operator.result.kind}: it has no derivative")
    partials, pullbacks = sides(block, params, body)
    check_forward(block, params, body.forward, operators)
    changed = replace(
        operator,
        partials=_renamed(partials, rename),
        pullbacks=_renamed(pullbacks, rename),
        pushforward=_renamed((body.forward,), rename)[0],
        nondiff=False,
        unchecked=block.options.get("unchecked", ""),
    )
    return changed, []


def _check_results(block: Block, operator: Operator) -> None:
    """One result, with a name: blocks cannot change what has several."""
    if operator.result.kind == "tuple":
        name, whats = block.name, {"derivative": "derivatives", "opencl": "spelling"}
        what = whats.get(block.kind, "definition")
        hint = f"state its {what} where {name} is defined, or define an operator of another name"
        message = f"{name} has several results: @{block.kind} cannot change its {what}"
        raise block.error(block.at, message, hint)
    hint = f"write def {block.name}({', '.join(p.name for p in block.params)}) -> y"
    if len(block.results) > 1:
        message = f"{block.name} has one result, not {len(block.results)}"
        raise block.error(block.at, message, hint)
    if block.kind != "opencl" and not block.results:
        raise block.error(block.at, "the result has no name", hint)


def _renaming(block: Block, params: Sequence[Parameter], operator: Operator) -> Mapping[Term, Term]:
    """The block's own names to those of the operator, derivative names included."""
    pairs = [(p.name, own.name, own.kind) for p, own in zip(params, operator.params, strict=True)]
    new, old = block.results[0], operator.result.name
    pairs += [(f"d{a}", f"d{b}", kind) for a, b, kind in pairs]
    pairs += [(new, old, operator.result.kind), (f"{new}_bar", f"{old}_bar", operator.result.kind)]
    return {
        var(a, scalar_of_kind(kind)): var(b, scalar_of_kind(kind)) for a, b, kind in pairs if a != b
    }


def _renamed(terms: Sequence[Term | None], rename: Mapping[Term, Term]) -> tuple[Term | None, ...]:
    done = iter(substitute([term for term in terms if term is not None], rename))
    return tuple(None if term is None else next(done) for term in terms)
