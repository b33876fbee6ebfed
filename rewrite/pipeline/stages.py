"""All stages of a derivation in order: substitutes, derivative, algebra, the cheapest program.

Takes a program that was read, gives the program of its derivative as it was built and as it is to
be computed; the report is filled in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from ...terms.program import Program, without_arrays
from ...terms.rule import MATH_TAGS, RuleSet, Tag
from ...terms.term import is_zero
from ...terms.types import Scalar
from ..derivation.derive import Derivation
from ..derivation.orders import Order
from ..egraph.cost import program_cost
from ..egraph.magnitudes import magnitudes
from ..extraction.extract import Effort
from ..phases import Phase
from ..substitutes.roots.halves import of_whole_powers
from ..substitutes.substitutes import substitute_primals
from .forms import is_as_good, refactored_form
from .optimize import optimize, plain_program
from .report import Form, Report
from .search import WORTH, Begun, first_round, promise
from .simpler import simpler_form
from .task import Options, Task

# A second order is built where it has about so many terms: larger derivatives take one, unseen.
_LARGE = 10_000
#: The modes that are one sweep back, whatever the function.
_SWEEPS = ("bwd", "value_and_grad")
# Derivatives of another form whose first round is by so much dearer seldom end cheaper.
_HOPE = {Effort.DEFAULT: 1.02, Effort.BEST: 1.1}
# So do those whose plain programs are no cheaper than that of the function as it was written.
_PLAIN = {Effort.DEFAULT: 0.95, Effort.BEST: 1.1}
# A derivative of fewer terms takes about as long as the search for a simpler form.
_SMALL = {Effort.DEFAULT: 100, Effort.BEST: 0}
_DEARER = 1.4  # plain programs by so much dearer than another one never became the cheapest


def differentiate(
    primal: Program,
    mode: str,
    rules: RuleSet,
    real: Scalar,
    options: Options,
    report: Report,
    derived: bool,
) -> tuple[Program, Program]:
    """The derivative, and the cheapest program found that equals it.

    `derived` says that definitions made for derivatives stand in, also in mode "primal".
    """
    options = replace(options, magnitudes=magnitudes(primal.flat))
    derivative, begun, form = primal, None, primal
    with report.phase("derive"):
        if mode != "primal":
            form = substitute_primals(primal, rules, MATH_TAGS[options.math], report.substitutes)
            derivative, begun = derivative_of(form, mode, rules, real, options, report)
        elif Tag.REAL in MATH_TAGS[options.math]:
            derivative = of_whole_powers(primal, rules)
        derivative = without_arrays(derivative)
    report.terms["primal"] = len(primal.terms())
    report.terms["derived"] = len(derivative.terms())
    best = optimize(derivative, rules, real, options, report, derived, begun=begun)
    if mode != "primal":
        written = _Written(form, mode, derivative, report.cost_before, best)
        found = _of_simpler(written, rules, real, options, report, derived)
        derivative, best = (derivative, best) if found is None else found
    if mode in ("jacobian", "hessian"):
        report.entries = sum(map(is_zero, best.flat)), len(best.flat)
    return derivative, best


def in_form(
    which: Form, form: Program, mode: str, rules: RuleSet, real: Scalar, options: Options
) -> Program:
    """The function as it was differentiated, by what the report says."""
    if which is Form.REFACTORED:
        return refactored_form(form, rules, options) or form
    if which is Form.SIMPLER:
        frozen = Derivation.of(form, mode, rules, real).program
        return simpler_form(frozen, rules, real, options) or form
    return form


def derivative_of(
    form: Program, mode: str, rules: RuleSet, real: Scalar, options: Options, report: Report
) -> tuple[Program, Begun | None]:
    """The derivative, accumulated in the order that promises the cheapest program.

    Where there was a choice, with the first round of the search, which was made for it.
    """
    derivation = Derivation.of(form, mode, rules, real, report.substitutes)
    wanted = _orders(derivation, options)
    if mode in _SWEEPS or (mode == "jacobian" and wanted == (Order.REVERSE,)):
        return _swept(derivation, refactored_form(form, rules, options), options, report), None
    return _accumulated(derivation, wanted, options, report)


def _orders(derivation: Derivation, options: Options) -> tuple[Order, ...]:
    """The orders that are tried."""
    wanted = derivation.orders()
    if Phase.ORDERS in options.without:
        return tuple(order for order in wanted if order is not Order.MIXED)[:1]
    return wanted


def _accumulated(
    derivation: Derivation, wanted: Sequence[Order], options: Options, report: Report
) -> tuple[Program, Begun | None]:
    """The derivative in one of the orders, and the first round where there was a choice."""
    rules, real = derivation.rules, derivation.real
    several = options.effort is not Effort.FAST
    fired: dict[Order, dict[str, int]] = {order: {} for order in wanted}
    built: dict[Order, Program] = {}
    for order in wanted:
        if not built or (several and derivation.size(order) <= _LARGE):
            must = not built and order is wanted[-1]
            program = derivation.built(order, fired[order], must=must)
            built.update({} if program is None else {order: program})
    chosen, begun = next(iter(built)), None
    if len(built) > 1:
        found = _promises(built, rules, real, options, report)
        report.orders = {order: cost for order, (cost, _) in found.items()}
        # A difference that is not worth a round is none: then the usual order goes on.
        least = min(report.orders.values())
        chosen = next(o for o, cost in report.orders.items() if cost <= least * (1 + WORTH))
        begun = found[chosen][1]
    report.order = chosen
    for name, count in fired[chosen].items():
        report.derivative_rules[name] = report.derivative_rules.get(name, 0) + count
    return built[chosen], begun


def _swept(
    derivation: Derivation, other: Program | None, options: Options, report: Report
) -> Program:
    """The derivative by one sweep back: of another form where that keeps all numbers."""
    mode, rules, real = derivation.mode, derivation.rules, derivation.real
    fired: dict[str, int] = {}
    found = derivation.built(Order.REVERSE, fired)
    assert found is not None  # no order but this one
    if other is not None and derivation.size(Order.REVERSE) <= _LARGE:
        again: dict[str, int] = {}
        new = Derivation.of(other, mode, rules, real).built(Order.REVERSE, again)
        assert new is not None
        if is_as_good(found, new, rules, real, options):
            report.form, found, fired = Form.REFACTORED, new, again
    for name, count in fired.items():
        report.derivative_rules[name] = report.derivative_rules.get(name, 0) + count
    return found


@dataclass(frozen=True, slots=True)
class _Written:
    """A function, the mode that it is derived in, its derivative, and the cheapest one found."""

    form: Program
    mode: str
    derivative: Program
    plain: float  # what it costs by plain rules
    best: Program


def _of_simpler(
    written: _Written,
    rules: RuleSet,
    real: Scalar,
    options: Options,
    report: Report,
    derived: bool,
) -> tuple[Program, Program] | None:
    """The derivative of the function that was made cheap before, where that ends cheaper.

    It is searched only where its first round comes near to what is known; first rounds do not rank
    programs so well that one could do without the search of the function as it was written.
    """
    if options.effort not in _HOPE or report.terms["plain"] < _SMALL[options.effort]:
        return None
    new = report.other(Form.SIMPLER)
    with report.phase("derive"):
        found = _hoped_for(written, rules, real, options, new)
    if found is None:
        return None
    new.terms["derived"] = len(found.terms())
    best = optimize(found, rules, real, options, new, derived)
    report.spent(new)
    if new.cost_after >= report.cost_after:
        return None
    report.becomes(new)
    return found, best


def _hoped_for(
    written: _Written, rules: RuleSet, real: Scalar, options: Options, report: Report
) -> Program | None:
    """The derivative of the simpler form, if its first round promises that it ends cheaper."""
    frozen = Derivation.of(written.form, written.mode, rules, real)
    other = simpler_form(frozen.program, rules, real, options)
    if other is None:
        return None
    derivation = replace(frozen, program=other)
    if derivation.size(derivation.orders()[0]) > _LARGE:
        return None
    cheapest = _cheapest_as_built(derivation, options, report)
    if cheapest is None:
        return None
    built, plain = cheapest
    if program_cost(rules, plain.flat) > _PLAIN[options.effort] * written.plain:
        return None
    begun = first_round(Task.of(plain, rules, options, report.fresh()))
    enough = _HOPE[options.effort] * program_cost(rules, written.best.flat)
    if begun.chosen is None or program_cost(rules, begun.chosen.flat) > enough:
        return None
    is_good = is_as_good(written.derivative, built, rules, real, options)
    return built if is_good else None


def _cheapest_as_built(
    derivation: Derivation, options: Options, report: Report
) -> tuple[Program, Program] | None:
    """The derivative in the order whose plain program is cheapest, and that plain program.

    None where all orders are too large to be tried.
    """
    rules, real = derivation.rules, derivation.real
    found: tuple[Program, Program] | None = None
    least = inf
    for order in _orders(derivation, options):
        fired: dict[str, int] = {}
        built = derivation.built(order, fired, must=False)
        if built is None:
            continue
        built = without_arrays(built)
        plain = plain_program(built, rules, real, derived=True)
        cost = program_cost(rules, plain.flat)
        if cost < least:
            least, found = cost, (built, plain)
            report.order, report.derivative_rules = order, fired
    return found


def _promises(
    built: Mapping[Order, Program], rules: RuleSet, real: Scalar, options: Options, report: Report
) -> dict[Order, tuple[float, Begun | None]]:
    """What derivatives in several orders cost after a short search; those that hope for it.

    Where factors are infinite, a mixed order can lose a number that a sweep gives: then it is out.
    """
    strict = options.math == "strict"
    plain = {
        order: plain_program(program, rules, real, derived=True, strict=strict)
        for order, program in built.items()
    }
    tasks = {o: Task.of(p, rules, options, report.fresh()) for o, p in plain.items()}
    sweep = next(task for order, task in tasks.items() if order is not Order.MIXED)
    sound = {o: t for o, t in tasks.items() if not sweep.witness.lost(t.plain.flat)}
    costs = {order: task.cost(task.plain) for order, task in sound.items()}
    least = min(costs.values())
    return {o: promise(sound[o]) for o, cost in costs.items() if cost <= _DEARER * least}
