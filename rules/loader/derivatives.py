"""Derivative lines of a block: which names they bind, and forward rules as partials.

Takes names and terms, gives partials; knows nothing of syntax or files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...terms.rule import Parameter
from ...terms.term import CONST, VAR, Term, const, const_value, fold
from ..show import show_expression

ZERO = const(0.0)
ONE = const(1.0)


def carries(param: Parameter) -> bool:
    """Whether values of this kind carry derivatives: everything but int and bool."""
    return param.kind not in ("int", "bool")


@dataclass(frozen=True, slots=True)
class Names:
    """The names that derivative lines of `f(x, y) -> z` may bind or use."""

    partials: Mapping[str, str]  # dz_dx -> x
    backward: Mapping[str, str]  # x_bar -> x
    tangents: Mapping[str, str]  # dx -> x
    forward: str  # dz
    cotangent: str  # z_bar

    def all(self) -> list[str]:
        """Every reserved name of the block."""
        more = [self.forward, self.cotangent] if self.forward else []
        return [*self.partials, *self.backward, *self.tangents, *more]


def names_of(params: Sequence[Parameter], result: str) -> Names:
    """The derivative names of an operator; without a result there is nothing to bind.

    >>> names_of([Parameter("x")], "y").all()
    ['dy_dx', 'x_bar', 'dx', 'dy', 'y_bar']
    """
    names = [p.name for p in params if carries(p)]
    return Names(
        {f"d{result}_d{n}": n for n in names} if result else {},
        {f"{n}_bar": n for n in names} if result else {},
        {f"d{n}": n for n in names} if result else {},
        f"d{result}" if result else "",
        f"{result}_bar" if result else "",
    )


class NotLinear(Exception):
    """A forward rule is not a linear form; the message says where and why."""


# Coefficients by tangent; None stands for "free of tangents".
_Form = dict[Term, Term] | None


def coefficients(term: Term, tangents: Sequence[Term]) -> list[Term]:
    """The coefficient of every tangent in a linear form: a*dx + b*dy -> [a, b].

    A tangent that does not occur has the structural zero.

    >>> from ...terms.term import var
    >>> x, dx = var("x"), var("dx")
    >>> coefficients(Term("mul", (x, dx)), [dx])
    [x]
    """
    wanted = frozenset(tangents)
    done = fold([term], lambda node, forms: _form(node, forms, wanted))
    form = done[term]
    if form is None:
        if not is_zero(term):
            raise NotLinear(f"{show_expression(term)} does not depend on a tangent")
        form = {}
    return [form.get(tangent, ZERO) for tangent in tangents]


def is_zero(term: Term) -> bool:
    """Whether the term is the constant 0 (of either sign)."""
    return term.op == CONST and const_value(term) == 0


def _form(node: Term, forms: tuple[_Form, ...], tangents: frozenset[Term]) -> _Form:
    if node.op == VAR:
        return {node: ONE} if node in tangents else None
    if all(form is None for form in forms):
        return None
    args = node.args
    match node.op:
        case "add" | "sub":
            left, right = (_linear(f, a, node) for f, a in zip(forms, args, strict=True))
            return _add(left, _negated(right) if node.op == "sub" else right)
        case "neg":
            return _negated(_linear(forms[0], args[0], node))
        case "mul" if None in forms:
            index = 0 if forms[0] is not None else 1
            factor = args[1 - index]
            return {t: _product(factor, c, index) for t, c in _known(forms[index]).items()}
        case "div" if forms[1] is None:
            return {t: Term("div", (c, args[1])) for t, c in _known(forms[0]).items()}
        case "fma" | "mad" if None in forms[:2]:
            product = _form(Term("mul", args[:2]), forms[:2], tangents) or {}
            return _add(product, _linear(forms[2], args[2], node))
        case "select" if forms[0] is None:
            then, other = (_linear(f, a, node) for f, a in zip(forms[1:], args[1:], strict=True))
            keys = {**then, **other}
            return {
                t: Term("select", (args[0], then.get(t, ZERO), other.get(t, ZERO))) for t in keys
            }
    raise NotLinear(f"{show_expression(node, 80)} is not linear in the tangents")


def _known(form: _Form) -> dict[Term, Term]:
    return form or {}


def _linear(form: _Form, term: Term, node: Term) -> dict[Term, Term]:
    if form is not None:
        return form
    if is_zero(term):
        return {}
    shown = show_expression(term, 80)
    raise NotLinear(f"{shown} in {show_expression(node, 80)} does not depend on a tangent")


def _add(left: dict[Term, Term], right: dict[Term, Term]) -> dict[Term, Term]:
    total = dict(left)
    for tangent, coefficient in right.items():
        known = total.get(tangent)
        total[tangent] = coefficient if known is None else Term("add", (known, coefficient))
    return total


def _negated(form: dict[Term, Term]) -> dict[Term, Term]:
    return {
        t: const(-const_value(c)) if c.op == CONST else Term("neg", (c,)) for t, c in form.items()
    }


def _product(factor: Term, coefficient: Term, index: int) -> Term:
    if coefficient is ONE:
        return factor
    pair = (factor, coefficient) if index else (coefficient, factor)
    return Term("mul", pair)
