"""Primal substitutes of rule files: stable forms put in before a program is differentiated.

Takes a program, gives one in which every directed `@primal` pattern is replaced; the pattern
itself can no longer be chosen.
"""

from __future__ import annotations

from ..terms.program import Note, Program
from ..terms.rule import RuleSet
from ..terms.term import Term, toposort
from ..terms.types import Scalar
from .egraph import Graph, Node, build
from .encode import meeting_types, rewrite_rule
from .saturate import by_rule, rule_name

_RULESET = "primal"


def substitute_primals(program: Program, rules: RuleSet, fired: dict[str, int]) -> Program:
    """The program with `@primal` patterns replaced; counts of what fired are added."""
    terms = program.terms()
    ops = {t.op for t in terms}
    patterns = [
        rule
        for rule in rules.rewrites
        if rule.primal and all(t.op in ops for t in toposort([rule.lhs]) if t.args)
    ]
    if not patterns:
        return program
    types = [t for t in Scalar if t in {term.type for term in terms}]
    with Graph([*program.flat, *program.notes]) as graph:
        lines = [f"(ruleset {_RULESET})"]
        for rule in patterns:
            for meet in meeting_types(rule, types):
                name = rule_name(rule.name, rule.at, meet)
                lines.append(rewrite_rule(graph.symbols, rule, meet, _RULESET, name))
        graph.send(lines)
        report = graph.run(_RULESET, saturate=True)
        if not any(report.matches.values()):
            return program
        classes = graph.read()
    for name, count in by_rule(report.matches).items():
        fired[name] = fired.get(name, 0) + count
    # A class holds several nodes only where several patterns met: the first, in an order that
    # does not depend on hashing, stands for all of them.
    chosen: dict[int, Node] = {}
    for node in classes.nodes:
        chosen.setdefault(node.owner, node)
    kept = [t for t in program.notes if classes.loaded[t] in chosen]
    built: dict[int, Term] = {}
    flat = [build(chosen, classes.loaded[t], built) for t in program.flat]
    notes: dict[Term, Note] = {}
    for term in kept:
        notes.setdefault(build(chosen, classes.loaded[term], built), program.notes[term])
    return program.with_flat(flat, notes=notes)
