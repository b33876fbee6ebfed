"""Functions replaced by their definitions, once derivation has passed.

Takes a program with opaque functions (softplus, length), gives one over primitives. Inside a
derived program the `@primal` definition is used where there is one; some only beside another
function of the same arguments, with which they have parts in common.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace

from ...terms.applied import component_of, environment, overload, types_of
from ...terms.apply import instantiate
from ...terms.errors import DeriveError
from ...terms.loop import KEEP, LOOP, Loop
from ...terms.program import Program
from ...terms.rule import Operator, RuleSet
from ...terms.term import DETACH, Term, rebuild, toposort
from ...terms.types import Scalar

# Definitions may use other functions; one that leads back to itself is refused.
_DEPTH = 64

#: The body of an operator; the answer may depend on whether what it is used beside is there.
_Definition = Callable[[Operator, bool], Term | None]


def define(rules: RuleSet, roots: Sequence[Term], real: Scalar, *, derived: bool) -> list[Term]:
    """The roots over primitives only; `detach` and `keep` have done their work and are dropped."""

    def body(operator: Operator, beside: bool) -> Term | None:
        substituted = derived and operator.primal is not None and (beside or not operator.beside)
        return operator.primal if substituted else operator.definition

    return _put_in(rules, roots, real, body, (DETACH, KEEP))


def stand_ins(rules: RuleSet, roots: Sequence[Term], real: Scalar) -> list[Term]:
    """The roots with definitions for functions that state no derivative of their own.

    It is the substitute, if there is a `@primal` one, that is differentiated then.
    """

    def body(operator: Operator, _: bool) -> Term | None:
        own = operator.has_derivative or operator.nondiff
        return None if own else operator.primal or operator.definition

    return _put_in(rules, roots, real, body, ())


def _put_in(
    rules: RuleSet,
    roots: Sequence[Term],
    real: Scalar,
    definition: _Definition,
    dropped: Container[str],
) -> list[Term]:
    """The roots with operators replaced by definitions, and by those of what these use."""
    return _replaced(rules, roots, real, definition, dropped, {})


def _replaced(
    rules: RuleSet,
    roots: Sequence[Term],
    real: Scalar,
    definition: _Definition,
    dropped: Container[str],
    known: dict[Program, Program],
) -> list[Term]:
    """The same; `known` are bodies of loops that are done, and what they have become."""
    current = list(roots)
    for _ in range(_DEPTH):
        terms = toposort(current)
        names = dict.fromkeys([t.op for t in terms])
        defined = {
            op for op in names if any(definition(o, True) for o in rules.operators.get(op, ()))
        }
        if not any(op in defined or op in dropped or op == LOOP for op in names):
            return current
        there = {(t.op, t.args) for t in terms}
        done: dict[Term, Term] = {}
        changed = False
        for term in terms:
            args = tuple([done[a] for a in term.args])
            if term.op in dropped:
                done[term] = args[0]
                continue
            if term.op == LOOP:
                loop: Loop = term.attr
                now = known.get(loop.body)
                if now is None:
                    flat = _replaced(rules, loop.body.flat, real, definition, dropped, known)
                    now = known[loop.body] = loop.body.with_flat(flat)
                    known[now] = now
                changed |= now.flat != loop.body.flat
                done[term] = Term(LOOP, args, replace(loop, body=now), term.type)
                continue
            types = types_of(args, term.attr)
            operator = overload(rules, term.op, types) if term.op in defined else None
            beside = operator is not None and all((o, term.args) in there for o in operator.beside)
            body = None if operator is None else definition(operator, beside)
            if operator is None or body is None:
                done[term] = rebuild(term, args)
                continue
            changed = True
            here = term.type if term.type.is_real else real
            value = instantiate(rules, body, environment(operator, types, args), here)
            done[term] = value.leaves[component_of(term.attr)]
        current = [done[t] for t in current]
        if not changed:
            return current
    raise DeriveError(
        f"the definitions of functions do not come to an end after {_DEPTH} steps",
        hint="a function in a rule file is defined by itself: break the circle",
    )
