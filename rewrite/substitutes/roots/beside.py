"""Roots and logarithms beside factors that are 0 where they are: nothing infinite times 0.

    sqrt(x) * sin(x)            at x = 0:    0.5/sqrt(x) * sin(x) = inf * 0
    sqrt(a*x) * (1 - exp(-x))   the same, but not at a = 0, where the slope by a is infinite

    log(x) * sin(x)             the value is -inf * 0

The slope of such a root is any number there, and so is such a logarithm; the slopes of these are
none, as a derivative may be infinite. Where they are used otherwise, they stay. Takes a program,
gives one.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from ....terms.program import Program
from ....terms.rule import Rewrite, RuleSet
from ....terms.term import Term, const, rebuild, toposort
from ...factors.factored import Factor, Product
from ...guards import guards
from ..gaps.distances import itself
from ..gaps.quotients import Quotients
from ..gaps.remainders import Remainders

_BESIDE = {"sqrt": "root_beside_zero", "log": "log_beside_zero"}
_MOST = 8  # so many are looked at


def beside_zeros(program: Program, patterns: Sequence[Rewrite], rules: RuleSet) -> Program:
    """The program with roots and logarithms that are kept from infinity where 0 hides them."""
    roots = [*program.flat, *program.notes]
    order = toposort(roots)
    steep = [term for term in order if term.op in _BESIDE][:_MOST]
    if not steep:
        return program
    users: dict[Term, list[Term]] = {}
    for term in order:
        for arg in dict.fromkeys(term.args):
            users.setdefault(arg, []).append(term)
    needed, quotients = guards(roots), Quotients(patterns)
    new: dict[Term, Term] = {}
    for root in steep:
        product = Product.of(root.args[0]) if needed[root].parent is None else None
        for factor in product.factors if product is not None and root not in program.flat else ():
            at = _Zero(factor, quotients, rules, root.op == "log")
            if factor.power > 0 and at.hides(root, users, frozenset(program.flat)):
                new[root] = Term(_BESIDE[root.op], (*root.args, factor.term), None, root.type)
                break
    return _with(program, new) if new else program


class _Zero:
    """Where a factor is 0."""

    def __init__(
        self, factor: Factor, quotients: Quotients, rules: RuleSet, by_algebra: bool
    ) -> None:
        self.by_algebra = by_algebra
        zero, one = (const(number, factor.term.type) for number in (0.0, 1.0))
        given = {factor.term: (zero, one)}
        for _, by_variable in itself(factor):
            given |= by_variable
        self.at = Remainders(factor.term, given, quotients, rules, Product())

    def hides(
        self, root: Term, users: Mapping[Term, Sequence[Term]], results: Container[Term]
    ) -> bool:
        """Whether a root is only used in products with another factor that is 0 there."""
        stack, seen = [root], {root}
        while stack:
            here = stack.pop()
            if here in results or here not in users:
                return False
            for user in users[here]:
                if not self._is_product(user, here):
                    return False
                others = [a for a in user.args if a is not here]
                if user.op == "mul" and any(map(self._vanishes, others)):
                    continue
                if user not in seen:
                    seen.add(user)
                    stack.append(user)
        return True

    def _vanishes(self, term: Term) -> bool:
        """Whether a term is 0 there; of roots, not by algebra alone, which has them cancel."""
        if not self.at.vanishes(term) or self.by_algebra:
            return self.at.vanishes(term)
        return self.at.rest(term) is None or bool(self.at.used)

    def _is_product(self, user: Term, factor: Term) -> bool:
        """Whether a term is a product with a factor, above the line."""
        return user.op in ("mul", "neg") or (user.op == "div" and user.args[1] is not factor)


def _with(program: Program, new: Mapping[Term, Term]) -> Program:
    """The program with other terms in the place of some, of which arguments may be such, too."""
    done: dict[Term, Term] = {}
    for term in toposort([*program.flat, *program.notes]):
        here = rebuild(term, tuple([done[a] for a in term.args]))
        if term in new:
            here = rebuild(new[term], (*here.args, done[new[term].args[1]]))
        done[term] = here
    return program.with_terms(done)
