"""Primal substitutes of rule files: stable forms put in before a program is differentiated.

Takes a program, gives one in which every directed `@primal` pattern is replaced; the pattern
itself can no longer be chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from ...terms.errors import RuleError
from ...terms.loop import has_loops, map_loops
from ...terms.program import Note, Program
from ...terms.rule import Rewrite, RuleSet, Tag
from ...terms.term import Term, fold, toposort
from ..egraph.classes import Node, build
from ..egraph.egraph import Graph
from ..egraph.encode import ACCURATE, SQUARES, Symbols, typed
from ..egraph.engine import Engine, Kept
from ..egraph.rulebook import by_rule, meeting_types, rewrite_rule
from ..egraph.saturate import (
    FACTS,
    Kinds,
    Operators,
    concerned,
    fact_rules,
    reachable,
    rule_name,
)
from ..factors.common import SUMS
from ..factors.digits import accurate
from ..factors.ratios import matched
from .exponentials.compounded import without_limits
from .exponentials.hyperbolics import by_scaled, by_tangents
from .exponentials.means import without_means
from .exponentials.parts import beside_one
from .exponentials.rates import by_rates
from .exponentials.saturating import without_saturation
from .exponentials.shares import is_of_exponentials, without_overflow
from .exponentials.tails import without_tails
from .gaps.chosen import by_arms
from .gaps.counted import by_first_trips
from .gaps.directions import by_sides_over_lengths
from .gaps.gaps import without_gaps
from .limits.areas import by_areas
from .limits.flats import flattened
from .limits.fractional import of_powers_of_lengths
from .limits.iterated import without_iterations
from .limits.lengths import written_once
from .limits.lone_points import without_lone_points
from .limits.polar import of_directions
from .limits.removable import without_removable
from .limits.shortened import in_lowest_terms, without_lengths, without_zeros
from .limits.steeper import by_steeper_poles
from .logarithms.halos import by_masses
from .logarithms.latitudes import by_latitudes
from .logarithms.multiples import of_multiples
from .logarithms.naturals import by_naturals
from .roots.axes import by_sides
from .roots.beside import beside_zeros
from .roots.conjugates import without_cancellation
from .roots.evens import of_squares_of_roots
from .roots.halves import of_odd_powers, of_whole_powers
from .roots.one_root import by_one_root
from .roots.squares import of_squares, squares_in_loops
from .roots.units import by_components
from .roots.weighted import of_weighted_squares

_RULESET = "primal"
# Shipped patterns end after 3 rounds; others may move through all levels of a program.
_ROUNDS, _MATCHES, _PROGRAMS = 60, 20_000, 60
_LATELY = 6  # rounds in which a pattern that grows is seen again
_GROWS = (
    "write it towards terms that no @primal pattern matches again, or as a @rewrite, which keeps "
    "both sides"
)


def substitute_primals(
    program: Program,
    rules: RuleSet,
    tags: Sequence[Tag],
    fired: dict[str, int],
    given: Collection[Term] = (),
) -> Program:
    """The program with `@primal` patterns replaced; counts of what fired are added.

    Only patterns of the given tags: in strict mode no pattern that changes a bit may fire. Those
    that gain nothing but digits fire where digits count. Those of sums of squares come last: what
    divides by a root as it was written, sin(s)/s, may not do so any more. `given` are inputs that
    are such sums where the loop is that this is the body of.
    """
    if has_loops(program.flat) and Tag.REAL in tags:
        program = without_iterations(program, rules)
    if has_loops(program.flat):
        known_inside = squares_in_loops(program.flat, given)
        patterns = [r for r in rules.rewrites if r.primal]

        def inside(body: Program) -> Program:
            found = substitute_primals(body, rules, tags, fired, known_inside[body])
            return by_first_trips(found, patterns, rules) if Tag.REAL in tags else found

        inner = map_loops(program.flat, inside)
        program = program.with_terms(inner)
    primal = [r for r in rules.rewrites if r.primal and r.tag in tags]
    if Tag.REAL in tags:
        program = without_zeros(program, rules)
        program = by_naturals(by_tangents(program, rules), primal, is_of_exponentials, rules)
        program = of_multiples(program, primal, is_of_exponentials, rules)
        program = without_means(without_overflow(program, rules), rules)
        program = without_saturation(program, rules)
        program = of_directions(by_sides(by_components(program, rules), rules), rules)
        program = written_once(program)
        program = without_tails(program, rules)
        program = beside_one(without_limits(program, rules), rules)
        program = by_one_root(by_areas(program, rules), primal, rules)
        program = by_masses(by_latitudes(program, rules), rules)
        program = of_powers_of_lengths(without_lengths(program, rules), rules)
        program = by_sides_over_lengths(by_arms(program, primal, rules), primal, rules)
    types, ops = concerned(program.flat)
    known = ops.union(SUMS if ops.intersection(SUMS) else ())  # -a + b may be met as b - a
    known |= {"div"} if known.issuperset({"log", *SUMS}) else set()  # log(a) - log(b) as log(a/b)
    known |= {"div"} if "atan2" in known else set()  # cos(atan2(y, x)) as x/l
    patterns = reachable(primal, known)
    known |= {rule.rhs.op for rule in patterns}  # x*log(x/y) over x - y, as a function of its own
    along = [rule for rule in patterns if rule.lhs.args[-1].op == "hypot"]  # x/l, after f(l)/l
    others = [rule for rule in patterns if rule not in along]
    program = without_removable(program, others, types, known, rules, fired)
    if Tag.REAL in tags:
        program = without_gaps(program, primal, rules, fired)
    program = without_removable(program, along, types, known, rules, fired)
    if Tag.REAL in tags:
        program = without_cancellation(program, rules)
    written = program
    for stage in ((False, False), (True, False), (False, True)):
        if stage == (False, True) and Tag.REAL in tags:
            program = of_squares_of_roots(program, primal, rules, fired)
        patterns = [rule for rule in primal if (rule.squares, rule.last) == stage]
        program = _substituted(program, rules, patterns, fired, given)
    if Tag.REAL not in tags:
        return program
    program = by_rates(in_lowest_terms(program, written, rules), rules)
    program = by_scaled(program, rules)
    for form in (of_whole_powers, of_odd_powers, of_weighted_squares):
        program = form(program, rules)
    program = by_steeper_poles(beside_zeros(program, primal, rules), rules)
    return without_lone_points(flattened(program, rules), rules)


def _substituted(
    program: Program,
    rules: RuleSet,
    primal: Sequence[Rewrite],
    fired: dict[str, int],
    given: Collection[Term],
) -> Program:
    """The program with these patterns replaced, until none is left that could be."""
    seen: list[list[Term]] = []
    while program.flat not in seen and len(seen) < _PROGRAMS:
        seen.append(program.flat)
        program, names, settled = _replaced(program, rules, primal, given)
        for name, count in names.items():
            fired[name] = fired.get(name, 0) + count
        if settled:
            return program
    raise RuleError(
        f"@primal patterns lead back to themselves: {', '.join(sorted(names))}",
        next(r for r in primal if f"{r.at} {r.name}" in names).at,
        "the right side must not contain what the left side matches",
    )


def _replaced(
    program: Program, rules: RuleSet, primal: Sequence[Rewrite], given: Collection[Term]
) -> tuple[Program, dict[str, int], bool]:
    """The program with patterns replaced, how often each one was, and whether none had to stay.

    Patterns may meet in one term, and then what one of them replaces is what another one found:
    in exp(log(exp(x))) the logarithm is x, and exp(x), which it stands in, equal to exp(log(y)).
    Where no term is left that no pattern replaces, one stays; in the program that comes out, it
    may be no instance of a pattern any more.
    """
    types, ops = concerned(program.flat)
    patterns = list(dict.fromkeys(reachable(primal, ops)))
    squares = of_squares(program.flat, given) if any(rule.squares for rule in patterns) else {}
    if not squares:
        patterns = [rule for rule in patterns if not rule.squares]
    if not _occurs(patterns, types, program.flat, squares):
        return program, {}, True
    with _matching(program, rules, types, ops, patterns) as graph:
        if any(rule.digits for rule in patterns):
            graph.mark(ACCURATE, accurate(program.flat))
        if squares:
            graph.mark(SQUARES, squares)
        graph.run(FACTS, saturate=True)
        names = _matched(graph, program.flat, patterns)
        if not names:
            return program, {}, True
        classes = graph.read(whole=False)
        chosen = _lowest(classes.nodes)
        settled = all(classes.loaded[t] in chosen for t in program.flat)
        if not settled:
            classes = graph.read()
            chosen = _lowest(classes.nodes)
    kept = [t for t in program.notes if classes.loaded[t] in chosen]
    built: dict[int, Term] = {}
    flat = [build(chosen, classes.loaded[t], built) for t in program.flat]
    notes: dict[Term, Note] = {}
    for term in kept:
        notes.setdefault(build(chosen, classes.loaded[term], built), program.notes[term])
    return program.with_flat(flat, notes=notes), names, settled


def _matched(graph: Graph, flat: Sequence[Term], patterns: Sequence[Rewrite]) -> dict[str, int]:
    """How often each pattern was replaced, until none is left that could be.

    Raises RuleError where there is no end: what a pattern makes is matched again and again.
    """
    levels = fold(flat, lambda _, below: 1 + max(below, default=0))
    rounds = _ROUNDS + 2 * max(levels.values(), default=0)
    most = _MATCHES + 20 * len(levels)
    counts: dict[str, int] = {}
    lately: list[dict[str, int]] = []
    while len(lately) < rounds and sum(counts.values()) < most:
        fired = graph.run(_RULESET)
        lately.append(by_rule(fired.matches))
        for name, count in lately[-1].items():
            counts[name] = counts.get(name, 0) + count
        if not fired.changed:
            return counts
    growing = sorted({name for names in lately[-_LATELY:] for name in names})
    raise RuleError(
        f"@primal patterns never come to an end: {', '.join(growing)}, "
        f"{sum(counts.values())} times in {len(lately)} rounds and counting",
        next(rule for rule in patterns if f"{rule.at} {rule.name}" in growing).at,
        _GROWS,
    )


def _occurs(
    patterns: Sequence[Rewrite], types: Kinds, flat: Sequence[Term], squares: Collection[Term]
) -> bool:
    """Whether the program has the shape of any pattern, whatever the conditions say.

    Most programs have none: they need no e-graph, where the first match is one of these.
    """
    by_op: dict[str, list[Term]] = {}
    for term in toposort(flat):
        by_op.setdefault(term.op, []).append(term)
    return any(
        matched(typed(rule.lhs, meet), term) is not None
        for rule in patterns
        for term in by_op.get(rule.lhs.op, ())
        if not rule.squares or term in squares
        for meet in types
    )


@contextmanager
def _matching(
    program: Program, rules: RuleSet, types: Kinds, ops: Operators, patterns: Sequence[Rewrite]
) -> Iterator[Graph]:
    """The e-graph of a program, with the patterns, in an engine that is kept for the next one."""
    key = id(rules), types, ops, tuple(patterns)
    kept = _KEPT.take(key)
    if kept is None or kept[0] is not rules:
        kept = rules, Engine()
        kept[1].send(_lines(kept[1].symbols, rules, types, ops, patterns))
    with Graph([*program.flat, *program.notes], engine=kept[1]) as graph:
        yield graph
    _KEPT.put(key, kept)


_KEPT: Kept[tuple[RuleSet, Engine]] = Kept(6)


def _lines(
    symbols: Symbols, rules: RuleSet, types: Kinds, ops: Operators, patterns: Sequence[Rewrite]
) -> list[str]:
    """The patterns for the e-graph, and what their conditions ask for."""
    lines = [f"(ruleset {_RULESET})", f"(ruleset {FACTS})"]
    lines += fact_rules(symbols, rules, types, ops, patterns)
    for rule in patterns:
        for meet in meeting_types(rule, types):
            name = rule_name(rule.name, rule.at, meet)
            lines.append(rewrite_rule(symbols, rule, meet, _RULESET, name))
    return lines


def _lowest(nodes: Sequence[Node]) -> dict[int, Node]:
    """For every class the e-node of the lowest term; of equally low ones the first.

    A class holds several where several patterns met: exp(x)/(1 + exp(x)) is sigmoid(x), and also
    exp(x) times sigmoid(-x).
    """
    users: dict[int, list[int]] = {}
    missing = [len(dict.fromkeys(node.args)) for node in nodes]
    for i, node in enumerate(nodes):
        for arg in dict.fromkeys(node.args):
            users.setdefault(arg, []).append(i)
    chosen: dict[int, Node] = {}
    level = [i for i, count in enumerate(missing) if not count]
    while level:
        first = [i for i in level if chosen.setdefault(nodes[i].owner, nodes[i]) is nodes[i]]
        above: list[int] = []
        for i in first:
            for user in users.get(nodes[i].owner, ()):
                missing[user] -= 1
                if not missing[user]:
                    above.append(user)
        level = sorted(above)
    return chosen
