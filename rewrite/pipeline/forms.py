"""Forms: a function as it is differentiated, as it was written or with fewer operators.

    p*(a*x) + q*(a*y)    as    a*(p*x + q*y)    where nothing else needs the products with a

A sweep back has an adjoint for each value and a summand for each use of it, so for every operator
less there are two or three less in the derivative. Moved there, the factor would have to go out of
the adjoints of x and y, of its own, and of what uses these, all at once: none of it gains alone.
Jacobians in other orders see through brackets anyway. Takes a program that is ready to be
differentiated, gives an equal one that is cheaper, if there is one.
"""

from __future__ import annotations

from ...terms.loop import has_loops
from ...terms.program import Program
from ...terms.rule import RuleSet
from ...terms.types import Scalar
from ..egraph.cost import program_cost
from ..extraction.extract import Effort
from ..phases import Phase
from ..reuse import are_numbers_alike
from ..rounding import Errors
from ..scaling import factors, refactored
from .optimize import plain_program
from .report import Report
from .task import Options, Task

# A larger function is differentiated as it was written.
_LARGE = 2_000
# Where a product is rounded before a sum and not after it, errors of a small function are up to so
# much larger, or smaller.
_WORSE = 1.2


def refactored_form(form: Program, rules: RuleSet, options: Options) -> Program | None:
    """The function with factors outside of its sums; None where no factor saves an operator.

    Without loops: what a body shares with its next trip is not seen from here.
    """
    idle = options.math == "strict" or options.effort is Effort.FAST
    idle |= Phase.SCALES in options.without
    if idle or has_loops(form.flat) or len(form.terms()) > _LARGE:
        return None
    found = form
    for factor in factors(form.flat):
        remade = refactored(found.flat, factor)
        if remade is not None:
            other = found.with_terms(remade.terms)
            if program_cost(rules, other.flat) < program_cost(rules, found.flat):
                found = other
    return None if found is form else found


def is_as_good(
    derivative: Program, other: Program, rules: RuleSet, real: Scalar, options: Options
) -> bool:
    """Whether the derivative of another form loses no number and no digits of the first one.

    Both are compared by plain rules: what is made of them later has those judges that all have.
    """
    plain, new = (plain_program(p, rules, real, derived=True) for p in (derivative, other))
    task = Task.of(plain, rules, options, Report("", "", options.math, real.value))
    return (
        not task.witness.lost(new.flat)
        and are_numbers_alike(list(zip(plain.flat, new.flat, strict=True)), task.digits)
        and Errors(rules, plain.flat).ratio(new.flat) <= _WORSE
    )
