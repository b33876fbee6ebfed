"""Where expressions change their form: the numbers beside which rules are tried.

Takes rule expressions, gives numbers. Knows nothing of samples and judges.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

from ...terms.rule import Parameter, RuleSet
from ...terms.term import CONST, VAR, Term, const_value, substitute, toposort

#: What has a kink, or a jump, where its arguments are equal.
COMPARISONS = frozenset(["lt", "le", "gt", "ge", "eq", "ne", "min", "max", "clamp", "min_max"])
# Where waves turn, and 1 - sin(x) or 1 + cos(x) has no digits left.
_TURNS = {"sin": math.pi / 2, "cos": math.pi}
_CALLS = 1_000  # that are looked into for thresholds
_UNKNOWNS, _FORMS = 2, 4  # of one expression that are followed

#: A sum: the factors of what is unknown, and a number.
Form = tuple[Mapping[Term, float], float]


def thresholds(*terms: Term | None, rules: RuleSet | None = None) -> list[float]:
    """The numbers but 0, less their signs, that make sums 0 or comparisons change.

    What is compared with, too, if the other side is more than a sum of one unknown. With rules,
    also those of the functions that are called.

    >>> from ...terms.term import const, var
    >>> x = var("x")
    >>> thresholds(Term("lt", (Term("abs", (x,)), const(0.125))))
    [0.125]
    >>> thresholds(Term("lt", (Term("sub", (x, const(5.0))), const(0.25))))
    [0.25, 5.0, 5.25]
    """
    forms: dict[Term, list[Form]] = {}
    found: dict[float, None] = {}
    roots = [t for t in terms if t is not None]
    for term in toposort(roots if rules is None else expanded(roots, rules)):
        forms[term] = _forms(term, [forms[a] for a in term.args])
        for value in _solved(term, forms):
            if value and math.isfinite(value):
                found[abs(value)] = None
    return sorted(found)


def _solved(term: Term, forms: Mapping[Term, Sequence[Form]]) -> Iterator[float]:
    """The unknowns with which something of one node is 0, and numbers that it compares with."""
    sides = [forms[a] for a in term.args]
    if term.op in COMPARISONS:
        yield from (number for side in sides for unknowns, number in side if not unknowns)
        for one, other in itertools.combinations(sides, 2):
            for form in (_sum(a, b, -1) for a in one for b in other):
                yield _root(form)
                yield from _inside(form, forms)
    elif term.op in ("add", "sub"):
        yield from map(_root, forms[term])
    elif turn := _TURNS.get(term.op):
        yield from (_root((unknowns, n - t)) for unknowns, n in sides[0] for t in (turn, -turn))


def _root(form: Form) -> float:
    """The value of the only unknown at which the sum is 0; otherwise 0, which is tried anyway."""
    unknowns, number = form
    return -number / next(iter(unknowns.values())) if len(unknowns) == 1 else 0.0


def _inside(form: Form, forms: Mapping[Term, Sequence[Form]]) -> Iterator[float]:
    """Where the sum is 0 whose only unknown is a square."""
    unknown, value = next(iter(form[0]), None), _root(form)
    if unknown is not None and unknown.op == "mul" and value > 0:
        one, other = unknown.args
        for unknowns, number in forms[one] if one is other else ():
            yield from (_root((unknowns, number + s * math.sqrt(value))) for s in (1, -1))


def _forms(term: Term, parts: Sequence[Sequence[Form]]) -> list[Form]:
    """What an expression may be as a sum; one that is none is an unknown itself."""
    found: list[Form] = []
    match term.op:
        case _ if term.op == CONST and not isinstance(const_value(term), bool):
            found = [({}, float(const_value(term)))]
        case "neg":
            found = [_scaled(a, -1) for a in parts[0]]
        case "abs":
            found = [_scaled(a, sign) for a in parts[0] for sign in (1, -1)]
        case "add" | "sub":
            sign = 1 if term.op == "add" else -1
            found = [_sum(a, b, sign) for a in parts[0] for b in parts[1]]
        case "mul":
            pairs = [(a, b) for a in parts[0] for b in parts[1]]
            found = [_scaled(b, a[1]) for a, b in pairs if not a[0]]
            found = found or [_scaled(a, b[1]) for a, b in pairs if not b[0]]
        case "div":
            found = [_scaled(a, 1 / b[1]) for a in parts[0] for b in parts[1] if not b[0] and b[1]]
    found = [form for form in found[:_FORMS] if len(form[0]) <= _UNKNOWNS]
    return found or [({term: 1.0}, 0.0)]


def _scaled(form: Form, factor: float) -> Form:
    unknowns, number = form
    return {t: factor * k for t, k in unknowns.items() if factor * k}, factor * number


def _sum(one: Form, other: Form, sign: int) -> Form:
    (ours, number), (theirs, more) = one, other
    factors = {t: ours.get(t, 0.0) + sign * theirs.get(t, 0.0) for t in (*ours, *theirs)}
    return {t: k for t, k in factors.items() if k}, number + sign * more


def expanded(roots: Sequence[Term], rules: RuleSet) -> list[Term]:
    """The expressions, and the definitions of what they call with its arguments."""
    found = list(roots)
    seen: set[Term] = set()
    for root in found:  # it grows
        for call in toposort([root]):
            if call in seen or len(seen) > _CALLS or not call.args:
                continue
            seen.add(call)
            for callee in rules.operators.get(call.op, ()):
                if callee.definition is not None and callee.arity() == len(call.args):
                    found.append(_called(callee.definition, callee.params, call.args))
    return found


def _called(definition: Term, params: Sequence[Parameter], args: Sequence[Term]) -> Term:
    given = {p.name: arg for p, arg in zip(params, args, strict=True)}
    free = [t for t in toposort([definition]) if t.op == VAR and t.attr in given]
    return substitute([definition], {t: given[t.attr] for t in free})[0]
