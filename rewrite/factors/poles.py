"""Where terms are 0, infinite or steep: the variables that are 0 there, and by which powers.

Takes terms one by one, arguments first; knows nothing of what it is for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...terms.term import CONST, VAR, Term, const_value
from ...terms.types import Scalar

FEW = 8  # variables, or factors, that are looked at beside each other
PRODUCTS = ("mul", "div", "neg")
#: Operators through which a pole goes as it is.
ALGEBRA = ("add", "sub", "mul", "div", "neg", "rcp", "abs", "sqrt", "cbrt", "pow")
_ROOTS = ("sqrt", "cbrt")
_TIMES = {"neg": 1.0, "abs": 1.0, "sqrt": 1 / 2, "cbrt": 1 / 3, "rcp": -1.0}
_DEEP = 4.0  # of 1/(1 + a/x**4) the first three derivatives are 0 where x is

Variables = frozenset[Term]
NONE: Variables = frozenset()


@dataclass
class Poles:
    """Of terms, the variables that are 0 where they are 0, where they or slopes are infinite."""

    zeros: dict[Term, Variables] = field(default_factory=dict)
    poles: dict[Term, Variables] = field(default_factory=dict)
    steep: dict[Term, Variables] = field(default_factory=dict)
    many: set[Term] = field(default_factory=set)  # those of which more is not known
    #: And the powers of variables that terms are like where these are 0, those below 0 of sums.
    powers: dict[Term, Mapping[Term, float]] = field(default_factory=dict)

    def is_deep(self, term: Term) -> bool:
        """Whether a term is infinite as a high power of each variable with which it is."""
        return all(self.powers[term].get(v, 0.0) <= -_DEEP for v in self.poles[term])

    def _power(self, term: Term) -> Mapping[Term, float]:
        """The powers of a term, from those of its arguments."""
        each = [self.powers[a] for a in term.args]
        names = dict.fromkeys([v for of in each for v in of]) if len(each) <= FEW else {}
        match term.op:
            case "mul":
                return {v: sum(of.get(v, 0.0) for of in each) for v in names}
            case "div":
                return {v: each[0].get(v, 0.0) - each[1].get(v, 0.0) for v in names}
            case "add" | "sub":
                least = {v: min(of.get(v, 0.0) for of in each) for v in names}
                return {v: power for v, power in least.items() if power < 0}
            case op if op in _TIMES:
                return {v: _TIMES[op] * power for v, power in each[0].items()}
            case "pow" if term.args[1].op == CONST:
                times = float(const_value(term.args[1]))
                return {v: times * power for v, power in each[0].items()}
            case op if op == VAR and isinstance(term.type, Scalar) and term.type.is_real:
                return {term: 1.0}
        return {}

    def add(self, term: Term) -> None:
        """Look at a term, after its arguments."""
        zeros, poles = [[known[a] for a in term.args] for known in (self.zeros, self.poles)]
        found = NONE, NONE
        match term.op:
            case "mul":
                found = zeros[0] | zeros[1], poles[0] | poles[1]
            case "div":
                found = zeros[0], poles[0] | zeros[1]
            case "rcp":
                found = NONE, zeros[0]
            case "pow" if term.args[1].op == CONST:
                up = float(const_value(term.args[1])) > 0
                found = (zeros[0], poles[0]) if up else (NONE, zeros[0])
            case op if op in ("neg", "abs", *_ROOTS):
                found = zeros[0], poles[0]
            case "add" | "sub":
                found = NONE, poles[0] | poles[1]
            case op if op == VAR and isinstance(term.type, Scalar) and term.type.is_real:
                found = frozenset({term}), NONE
        self.zeros[term], self.poles[term] = found
        self.powers[term] = self._power(term)
        self.steep[term] = found[0] if term.op in _ROOTS else NONE
        if term.op in PRODUCTS:
            self.steep[term] = NONE.union(*(self.steep[a] for a in term.args))
        for known in (self.zeros, self.poles, self.steep):
            if len(known[term]) > FEW:
                self.many |= known.pop(term)
                known[term] = NONE
