"""Second derivatives where a norm is 0: the limit of a slope, not the slope of its guard.

The slope of r = sqrt(x*x + y*y) is x/r, and 0 by its guard at the origin: right for gradients, as
what is smooth there has none. But derived once more, the guard is a constant, and exp(-r*r) would
be flat. With the cotangent g = f'(r), which is 0 at the tip of what is smooth there,

    x_bar = x * g / r    =>    x_bar = x * dg/dr    where r = 0 (L'Hopital)

Takes local nodes of a gradient that will be derived again, gives their expansions with that limit,
whose derivative is dg/dr by x and 0 by all else. A cone, f(r) = r, whose cotangent is not 0 at the
tip, has no second derivative there, and 0 as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...terms.loop import LOOP
from ...terms.program import Program, Slot
from ...terms.term import (
    CALL,
    DETACH,
    SELECT,
    Term,
    const,
    is_const,
    is_zero,
    substitute,
    toposort,
    var,
)
from ...terms.types import Scalar
from ..egraph.numbers import points, values
from .define import define
from .forward import pushforward
from .local import PULL, Kind, Setting, expand

#: Operators that are x/y for the operator whose result is y.
_DIRECTIONS = {"abs": "sign"}
_NAME = "the norm"  # of a variable, as no program can call one
_FLAT = 1e-6
_MOST = 40  # so many times the terms of a program are looked at for all its norms
_SERIES = 250  # terms that a function of one term may be: each norm is looked at with those


@dataclass
class Tips:
    """The norms of a program whose gradient is derived again."""

    program: Program
    setting: Setting
    smooth: dict[Kind, Term | None] = field(default_factory=dict)
    changes: dict[tuple[Term, Term], Term | None] = field(default_factory=dict)
    cones: dict[tuple[Term, ...], bool] = field(default_factory=dict)
    left: int = 0

    def __post_init__(self) -> None:
        self.left = _MOST * (_SERIES + len(self.program.terms()))

    def __call__(self, kind: Kind, node: Term, args: Sequence[Term], slope: Term) -> Term:
        """What stands for the expansion of a local node, given its arguments expanded."""
        times_norm = self._times_norm(kind, node)
        if times_norm is None:
            return slope
        *inputs, norm, cotangent = args
        ends = cotangent, *inputs, norm
        if ends not in self.cones:  # as often as a norm has sides
            is_size = node.attr.op in _DIRECTIONS
            self.cones[ends] = not is_size and self._is_cone(cotangent, [*inputs, norm])
        if self.cones[ends]:
            return slope
        if (cotangent, norm) not in self.changes:
            self.changes[cotangent, norm] = self._change(cotangent, norm)
        change = self.changes[cotangent, norm]
        if change is None:
            return slope
        own = Term(DETACH, (change,), None, change.type)
        table = dict(zip(kind.names, (*args[:-1], own), strict=True))
        (limit,) = substitute([times_norm], table)
        tip = Term("eq", (norm, const(0.0, norm.type)), None, Scalar.BOOL)
        return Term(SELECT, (tip, limit, slope), None, slope.type)

    def _times_norm(self, kind: Kind, node: Term) -> Term | None:
        """A backward rule times the norm, if it is one by the norm; None for any other."""
        if node.attr.side != PULL or node.attr.unit:
            return None
        if kind not in self.smooth:
            norm = kind.names[-2]
            direction = _DIRECTIONS.get(node.attr.op)
            ones = {t: const(1.0, t.type) for t in kind.steps if _is_guarded(t, norm)}
            ones |= {t: t.args[0] for t in kind.steps if t.op == direction}
            self.smooth[kind] = substitute([kind.expansion], ones)[0] if ones else None
        return self.smooth[kind]

    def _change(self, cotangent: Term, norm: Term) -> Term | None:
        """The derivative of a cotangent by the norm; None if it does not depend on that."""
        free = var(_NAME, norm.type)
        (root,) = substitute([cotangent], {norm: free})
        slot = Slot(_NAME, root.type)
        program = replace(self.program, results=(slot,), roots=((root,),))
        self.left -= len(program.terms())
        if self.left < 0 or free not in program.terms():
            return None
        _, (change,) = pushforward(program, {free: const(1.0, norm.type)}, self.setting)
        if change is None or is_zero(change):
            return None
        (expanded,) = expand(self.setting, [change])
        return substitute([expanded], {free: norm})[0]

    def _is_cone(self, cotangent: Term, zeros: Sequence[Term]) -> bool:
        """Whether a cotangent is not 0 where a norm and its operands are, whatever else is given.

        Nor is it where it is no number.

        Not of absolute values: that of log(1 + exp(-abs(z))) is not, and max(z, 0) makes up for it.
        """
        rules = self.setting.rules
        (root,) = substitute([cotangent], {t: const(0.0, t.type) for t in zeros})
        terms = toposort([root])
        self.left -= len(terms)
        if self.left < 0 or any(t.op in (CALL, LOOP) for t in terms):
            return False  # as far as is known
        (root,) = define(rules, [root], self.setting.real, derived=True)
        number = values(rules, [root], points([root], special=False))[root]
        return not (np.abs(number) <= _FLAT).any()


def _is_guarded(term: Term, norm: Term) -> bool:
    """Whether a term is the norm or its reciprocal, and a number where that is 0."""
    if term.op != SELECT:
        return False
    condition, number, other = term.args
    at_zero = condition.op == "eq" and condition.args[0] is norm and is_zero(condition.args[1])
    inverse = other.op == "div" and is_const(other.args[0], 1.0) and other.args[1] is norm
    return at_zero and number.op == "const" and (other is norm or inverse)
