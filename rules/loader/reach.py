"""Rules that could never apply, because a function in them is replaced by its definition before.

Takes rewrites and facts with the operators in scope, raises RuleError at the call; knows nothing
of e-graphs. Functions without a derivative are replaced while a program is read, all others
before algebra begins.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence

from ...terms.rule import Fact, Operator, Rewrite
from ...terms.term import Term, toposort
from .parse import Block


class Reach:
    """What is replaced by its definition: early, while a program is read, or before algebra."""

    def __init__(self, operators: Mapping[str, Sequence[Operator]]) -> None:
        scalar = {n: [o for o in group if not o.is_composite] for n, group in operators.items()}
        self.functions = {
            name: None
            for name, group in scalar.items()
            if group and not any(o.is_primitive for o in group)
        }
        self.early = {
            name: None for name in self.functions if not any(o.is_opaque for o in operators[name])
        }

    def check(self, block: Block, rules: Iterable[Rewrite | Fact]) -> None:
        """Raise RuleError for a call of a function that is gone when the rule applies."""
        for rule in rules:
            if all(p.kind == "int" for p in rule.params):
                continue  # also read where updates of loops are undone, over the functions
            if isinstance(rule, Fact):
                self._check(block, rule, rule.conclusion, "conclusion")
            elif rule.primal:
                self._check_substitute(block, rule)
            else:
                self._check(block, rule, rule.lhs, "left side")
                self._check(block, rule, rule.rhs, "right side")

    def _check(self, block: Block, rule: Rewrite | Fact, term: Term, where: str) -> None:
        name = _first(term, self.functions)
        if name is None:
            return
        hint = f"write what {name} stands for"
        if isinstance(rule, Rewrite):
            hint += ", or make it a substitute, before derivation: @primal"
        does = "would name" if where == "right side" else "never applies: it names"
        message = (
            f"this rule {does} {name!r} in its {where}, and functions with a definition "
            "are replaced by it before"
        )
        raise block.error(_call(block, name, rule.at.line), message, hint)

    def _check_substitute(self, block: Block, rule: Rewrite) -> None:
        name = _first(rule.lhs, self.early)
        if name is None:
            return
        hint = f"state a derivative in the block of {name}, or write what it stands for"
        message = (
            f"this substitute never applies: {name!r} states no derivative, so it is replaced "
            "by its definition before"
        )
        raise block.error(_call(block, name, rule.at.line), message, hint)


def _first(term: Term, names: Collection[str]) -> str | None:
    """The first operator of a term that is one of `names`."""
    return next((node.op for node in toposort([term]) if node.op in names), None)


def _call(block: Block, name: str, line: int) -> ast.AST:
    """The call of a function on a line of the block, or the line's statement."""
    nodes = [n for statement in block.body for n in ast.walk(statement)]
    on_line = [n for n in nodes if getattr(n, "lineno", 0) >= line]
    calls = [
        n for n in on_line
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name
    ]  # fmt: skip
    return calls[0] if calls else on_line[0]
