"""Operator blocks.

Takes `@op` and `@nondiff` blocks and the signatures in scope, gives `Operator` values; knows
nothing of files and precedence.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy

from ...terms.rule import Operator, Parameter
from ...terms.term import Term
from ...terms.types import Scalar
from ..meaning import numpy_arity
from .body import Body, BodyReader
from .calls import Signature, Typed
from .derivatives import carries, is_zero
from .parse import Block, kind_of
from .spelling import default_spelling, dtypes_of, plain_call

# NumPy functions of these names mean something else than an operator of two scalars.
_NOT_ALIASES = frozenset(("max", "min", "select"))


def result_kind(params: Sequence[Parameter], declared: str, defined: bool) -> str:
    """The kind of the result before the definition is read; "" where that decides."""
    if declared:
        return declared
    kinds = [p.kind for p in params]
    for kind in ("any", "number"):
        if kind in kinds:
            return kind
    return "" if defined else "real"


def declared_kind(block: Block) -> str:
    """The kind that a `z: bool` line states, or ""."""
    for node in block.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=None, annotation=annotation):
                if name in block.results:
                    return kind_of(annotation, block.name, block.source)
    return ""


def has_definition(block: Block) -> bool:
    """Whether a line of the block defines the result."""
    lines = [node for node in block.body if isinstance(node, ast.Assign)]
    return any(not targets_of(node).isdisjoint(block.results) for node in lines)


def kind_of_value(value: Typed) -> str | None:
    """The kind of a definition's value; None where no kind fits (a matrix of vectors)."""
    match value.shape:
        case None:
            return "tuple"
        case ():
            return {Scalar.BOOL: "bool", Scalar.I32: "int"}.get(value.term.type, "real")
        case (n,) if n in (0, 2, 3, 4):
            return f"vec{n or ''}"
        case (n, m) if n == m and n in (0, 2, 3, 4):
            return f"mat{n or ''}"
        case (_, _):
            return "mat"
    return None


def infer_kind(
    block: Block, signature: Signature, operators: Mapping[str, Sequence[Signature]]
) -> str:
    """The kind of the result that the definition gives; reads nothing but the definition."""
    needed = _needed(block)
    lines = [n for n in block.body if isinstance(n, ast.Assign) and needed & targets_of(n)]
    part = replace(block, body=tuple(lines))
    result = Parameter(", ".join(block.results), "tuple" if len(block.results) > 1 else "real")
    body = BodyReader(part, block.params, result, operators, signature.memo).read()
    if body.definition is not None and body.definition.term.op == "tuple":
        signature.count = len(body.definition.term.args)
    return _settle_kind(block, signature, body)


def _needed(block: Block) -> set[str]:
    """The result, and the locals that its definition uses."""
    lines = {t: n for n in block.body if isinstance(n, ast.Assign) for t in targets_of(n)}
    found: set[str] = set()
    waiting = list(block.results)
    while waiting:
        name = waiting.pop()
        if name in lines and name not in found:
            found.add(name)
            inside = ast.walk(lines[name].value)
            waiting += sorted({n.id for n in inside if isinstance(n, ast.Name) and n.id in lines})
    return found


def targets_of(node: ast.Assign) -> set[str]:
    """The names that a line gives a value to: one, or several from a tuple."""
    if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return {node.targets[0].id}
    found = set()
    for target in node.targets:
        inner = [target] if isinstance(target, ast.Name) else ast.walk(target)
        found |= {n.id for n in inner if isinstance(n, ast.Name)}
    return found


def build(
    block: Block, signature: Signature, operators: Mapping[str, Sequence[Signature]]
) -> tuple[Operator, list[Signature]]:
    """The operator of an `@op` block, and the operators that its definition calls."""
    if not block.results and not block.nondiff:
        hint = "write def f(x) -> y, or @nondiff; @rewrite(real) above lines lhs >> rhs"
        raise block.error(block.at, "the result has no name", hint)
    name = ", ".join(block.results) or "result"
    kind = signature.result or ("tuple" if len(block.results) > 1 else "real")
    result = Parameter(name, kind)
    reader = BodyReader(block, block.params, result, operators, signature.memo)
    body = reader.read()
    kind = _settle_kind(block, signature, body)
    result = Parameter(name, kind)
    _check_complete(block, body, result)
    silent = not carries(result)
    partials, pullbacks = ((), ()) if silent else sides(block, block.params, body)
    primitive = body.definition is None
    operator = Operator(
        block.name,
        block.params,
        result,
        block.at,
        doc=block.doc,
        cost=block.options.get("cost", body.cost),
        definition=body.definition.term if body.definition else None,
        partials=partials,
        pullbacks=pullbacks,
        pushforward=None if silent else body.forward,
        nondiff=block.nondiff,
        numpy=body.texts.get("numpy") or (_default_numpy(block) if primitive else ""),
        mpmath=body.texts.get("mpmath") or (_call_text(block) if primitive else ""),
        opencl=_all_spellings(block, body, primitive),
        domain=body.conditions.get("domain"),
        range=body.conditions.get("range"),
        unchecked=block.options.get("unchecked", ""),
    )
    return replace(operator, aliases=_aliases(operator, body)), reader.called


def _settle_kind(block: Block, signature: Signature, body: Body) -> str:
    declared = signature.result
    if body.definition is None:
        return declared
    found = kind_of_value(body.definition)
    if found is None:
        raise block.error(block.at, "the definition is no number, vector, matrix or tuple")
    if not declared:
        return found
    if declared in ("number", "any"):
        fits = found in ("real", "int", declared) or (found == "bool" and declared == "any")
        if found == "bool" and not body.kind:
            return found
        found = declared if fits else found
    if found != declared and not _same_family(found, declared):
        hint = f"declare it with `{block.results[0]}: {found}`"
        raise block.error(block.at, f"the result is {found}, not {declared}", hint)
    return declared


def _same_family(found: str, declared: str) -> bool:
    pair = {found[:3], declared[:3]}
    unsized = len(found) == 3 or len(declared) == 3
    return (len(pair) == 1 and pair <= {"vec", "mat"} and unsized) or (
        found == "int" and declared == "real"
    )


def _check_complete(block: Block, body: Body, result: Parameter) -> None:
    """No fourth state: a derivative, a definition, `@nondiff`, or nothing to differentiate."""
    if block.nondiff:
        if body.derivative:
            raise block.error(
                body.last or block.at, "@nondiff says that there is no derivative", "remove one"
            )
        return
    real = [p for p in block.params if carries(p)]
    if not carries(result):
        stated = [*body.partials.values(), *body.pullbacks.values()]
        if body.forward is not None or not all(is_zero(term) for term in stated):
            message = f"the result is {result.kind}: it carries no derivative"
            raise block.error(body.last or block.at, message, "remove the derivative lines")
        return
    if body.definition is None and not body.derivative and real:
        name, first = block.results[0], real[0].name
        raise block.error(
            block.at,
            f"{block.name} states no derivative",
            f"write d{name}_d{first} = … (0 where it is constant), or a definition "
            f"{name} = …, or @nondiff",
        )


def sides(
    block: Block, params: Sequence[Parameter], body: Body
) -> tuple[tuple[Term | None, ...], tuple[Term | None, ...]]:
    """Partials and pullbacks in the order of the parameters; all or none of each."""
    real = [p.name for p in params if carries(p)]
    for given, what in ((body.partials, "d"), (body.pullbacks, "bar")):
        if not given or (what == "bar" and (body.partials or body.forward is not None)):
            continue
        for name in real:
            if name not in given:
                line = f"{name}_bar" if what == "bar" else f"d{block.results[0]}_d{name}"
                others = ", ".join(given)
                message = f"the derivative by {name!r} is missing; there is one by {others}"
                raise block.error(block.at, message, f"write {line} = … (0 is a fine value)")
    partials: tuple[Term | None, ...] = ()
    if body.partials:
        partials = tuple(body.partials.get(p.name) for p in params)
    pullbacks: tuple[Term | None, ...] = ()
    if body.pullbacks:
        pullbacks = tuple(body.pullbacks.get(p.name) for p in params)
    return partials, pullbacks


def _call_text(block: Block) -> str:
    return f"{block.name}({', '.join(p.name for p in block.params)})"


def _default_numpy(block: Block) -> str:
    if numpy_arity(block.name) == len(block.params):
        return _call_text(block)
    if block.nondiff and "numpy" not in block.places:
        return ""
    hint = f'write numpy = "…" over {", ".join(p.name for p in block.params)}, or a definition'
    raise block.error(block.at, f"NumPy has no function {block.name!r}", hint)


def _all_spellings(block: Block, body: Body, primitive: bool) -> dict[Scalar, str]:
    spellings = dict(body.spellings)
    default = default_spelling(block.name, [p.name for p in block.params])
    if primitive and default:
        for dtype in dtypes_of(block.params):
            spellings.setdefault(dtype, default)
    if primitive and not spellings and not block.nondiff:
        names = ", ".join("{" + p.name + "}" for p in block.params)
        hint = f'write opencl = "name({names})", or a definition'
        raise block.error(block.at, f"OpenCL has no built-in {block.name!r}", hint)
    return {dtype: spellings[dtype] for dtype in Scalar if dtype in spellings}


def _aliases(operator: Operator, body: Body) -> tuple[str, ...]:
    """The stated aliases, then those that follow from the names."""
    name, count = operator.name, len(operator.params)
    found: dict[str, None] = {a: None for a in body.texts.get("aliases", "").split(",") if a}
    if callable(getattr(math, name, None)):
        found[f"math.{name}"] = None
    if name not in _NOT_ALIASES:
        function = vars(numpy).get(name)
        ufunc = isinstance(function, numpy.ufunc) and function.nin == count
        if ufunc or (callable(function) and (count == 1 or operator.is_composite)):
            found[f"numpy.{name}"] = None
        if not operator.is_composite:
            found[f"scipy.special.{name}"] = None
    called = plain_call(operator.numpy, [p.name for p in operator.params])
    if called and called.startswith("special."):
        found[f"scipy.{called}"] = None
    elif called:
        found[f"numpy.{called}"] = None
    return tuple(found)
