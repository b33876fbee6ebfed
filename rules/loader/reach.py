"""Rules that could never apply, because a function in them is replaced by its definition before.

Takes rewrites and facts with the operators in scope, raises RuleError at the call; knows nothing
of e-graphs. Functions without a derivative are replaced while a program is read, all others
before algebra begins.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from ...terms.rule import Fact, Operator, Rewrite
from ...terms.term import Term, toposort
from .parse import Block

_Operators = Mapping[str, Sequence[Operator]]


def check_reach(block: Block, rules: Iterable[Rewrite | Fact], operators: _Operators) -> None:
    """Raise RuleError for a call of a function that is gone when the rule applies."""
    for rule in rules:
        if all(p.kind == "int" for p in rule.params):
            continue  # also read where updates of loops are undone, over the functions themselves
        if isinstance(rule, Fact):
            _check(block, rule, rule.conclusion, "conclusion", operators)
        elif rule.primal:
            _check_substitute(block, rule, operators)
        else:
            _check(block, rule, rule.lhs, "left side", operators)
            _check(block, rule, rule.rhs, "right side", operators)


def _check(
    block: Block, rule: Rewrite | Fact, term: Term, where: str, operators: _Operators
) -> None:
    for name in _functions(term, operators):
        hint = f"write what {name} stands for"
        if isinstance(rule, Rewrite):
            hint += ", or make it a substitute, before derivation: @primal"
        does = "would name" if where == "right side" else "never applies: it names"
        message = (
            f"this rule {does} {name!r} in its {where}, and functions with a definition "
            "are replaced by it before"
        )
        raise block.error(_call(block, name, rule.at.line), message, hint)


def _check_substitute(block: Block, rule: Rewrite, operators: _Operators) -> None:
    for name in _functions(rule.lhs, operators):
        if not any(o.has_derivative or o.primal is not None for o in operators[name]):
            hint = f"state a derivative in the block of {name}, or write what it stands for"
            message = (
                f"this substitute never applies: {name!r} states no derivative, so it is replaced "
                "by its definition before"
            )
            raise block.error(_call(block, name, rule.at.line), message, hint)


def _functions(term: Term, operators: _Operators) -> list[str]:
    """The functions of numbers in a term that have definitions, in its order."""
    found: dict[str, None] = {}
    for node in toposort([term]):
        scalar = [o for o in operators.get(node.op, ()) if not o.is_composite]
        if scalar and not any(o.is_primitive for o in scalar):
            found[node.op] = None
    return list(found)


def _call(block: Block, name: str, line: int) -> ast.AST:
    """The call of a function on a line of the block, or the line's statement."""
    nodes = [n for statement in block.body for n in ast.walk(statement)]
    on_line = [n for n in nodes if getattr(n, "lineno", 0) >= line]
    calls = [
        n for n in on_line
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name
    ]  # fmt: skip
    return calls[0] if calls else on_line[0]
