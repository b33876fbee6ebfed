"""Functions replaced by their definitions, once derivation has passed.

Takes a program with opaque functions (softplus, length), gives one over primitives. Inside a
derived program the `@primal` definition is used where there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..terms.apply import instantiate
from ..terms.errors import DeriveError
from ..terms.loop import LOOP, Loop
from ..terms.rule import Operator, RuleSet
from ..terms.term import DETACH, Term, rebuild, toposort
from ..terms.types import Scalar, leaf_types
from ..terms.value import Value, scalar

# Definitions may use other functions; one that leads back to itself is refused.
_DEPTH = 64


def define(rules: RuleSet, roots: Sequence[Term], real: Scalar, *, derived: bool) -> list[Term]:
    """The roots over primitives only; `detach` is dropped, it has done its work."""
    current = list(roots)
    for _ in range(_DEPTH):
        done: dict[Term, Term] = {}
        changed = False
        for term in toposort(current):
            args = tuple([done[a] for a in term.args])
            if term.op == DETACH:
                done[term] = args[0]
                continue
            if term.op == LOOP:
                loop: Loop = term.attr
                flat = define(rules, loop.body.flat, real, derived=derived)
                changed |= flat != loop.body.flat
                inner = replace(loop, body=loop.body.with_flat(flat))
                done[term] = Term(LOOP, args, inner, term.type)
                continue
            operator = rules.get(term.op)
            body = _body(operator, derived) if operator is not None else None
            if operator is None or body is None:
                done[term] = rebuild(term, args)
                continue
            changed = True
            here = term.type if term.type.is_real else real
            value = instantiate(rules, body, _environment(operator, term, args), here)
            done[term] = value.term
        current = [done[t] for t in current]
        if not changed:
            return current
    raise DeriveError(
        f"the definitions of functions do not come to an end after {_DEPTH} steps",
        hint="a function in a rule file is defined by itself: break the circle",
    )


def _body(operator: Operator, derived: bool) -> Term | None:
    if derived and operator.primal is not None:
        return operator.primal
    return operator.definition


def _environment(operator: Operator, term: Term, args: Sequence[Term]) -> dict[str, Value]:
    if not operator.is_composite:
        return {p.name: scalar(a) for p, a in zip(operator.params, args, strict=True)}
    env: dict[str, Value] = {}
    start = 0
    for param, type_ in zip(operator.params, term.attr, strict=True):
        size = len(leaf_types(type_))
        env[param.name] = Value(type_, tuple(args[start : start + size]))
        start += size
    return env
