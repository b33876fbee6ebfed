"""Where the lines of a block stand: found again in the blocks of the rule files.

Takes an operator and the name of a line, gives the place of its expression. Knows nothing of what
is checked there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from ...terms.errors import RuleError, Span
from ...terms.rule import Operator, RuleSet
from ..loader.derivatives import names_of
from ..loader.operators import targets_of
from ..loader.overlays import find
from ..loader.parse import Block, parse
from ..loader.source import decode
from ..loader.spelling import check_spelling, rename_spelling

_HERE = Path(__file__).parent.parent


class Places:
    """The blocks of all files of a rule set, last file first."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.files = [_blocks(source) for source in reversed(rules.sources)]

    def derivative(self, operator: Operator, line: str) -> Span:
        """The expression of a derivative line; of the first one of the block for ""."""
        for block in self._about(operator, "derivative"):
            for name in _spellings(operator, block, line):
                if found := _value(block, name):
                    return found
        return operator.at

    def primal(self, operator: Operator) -> Span:
        """The definition in a `@primal` block."""
        for block in self._about(operator, "primal"):
            if block.kind == "primal" and (found := _value(block, block.results[0])):
                return found
        return operator.at

    def spelling(self, operator: Operator, text: str) -> Span:
        """An OpenCL spelling, in an `@opencl` block or in that of the operator."""
        for block in self._about(operator, "opencl"):
            names = {b.name: p.name for b, p in zip(block.params, operator.params, strict=True)}
            for node in block.body:
                value = node.value if isinstance(node, ast.Assign) else None
                said = value.value if isinstance(value, ast.Constant) else None
                plain = isinstance(said, str) and not check_spelling(said, list(names))
                if value and plain and rename_spelling(str(said), names) == text:
                    return block.source.span(value)
        return operator.at

    def line(self, operator: Operator, name: str) -> Span:
        """The right side of `name = …` in the block that defines the operator."""
        for block in self._about(operator, "op"):
            if found := _value(block, name):
                return found
        return operator.at

    def aliases(self, operator: Operator) -> tuple[Span, tuple[str, ...]]:
        """What the block of the operator says in `aliases = "…"`, and where."""
        for block in self._about(operator, "op"):
            for node in block.body:
                match node:
                    case ast.Assign(
                        targets=[ast.Name(id="aliases")], value=ast.Constant(value=str(text)) as at
                    ):
                        stated = tuple(alias.strip() for alias in text.split(","))
                        return block.source.span(at), stated
        return operator.at, ()

    def _about(self, operator: Operator, kind: str) -> Iterator[Block]:
        """The blocks of a kind that change this overload, and the one that defines it."""
        name = operator.name.partition(".")[0]  # of several results, one operator for each
        for blocks in self.files:
            named = blocks.get(name, [])
            yield from (b for b in named if b.kind == kind != "op" and self._means(b, operator))
            yield from (b for b in named if b.kind == "op" and b.at == operator.at)

    def _means(self, block: Block, operator: Operator) -> bool:
        """Whether the block changes this overload, and not another one."""
        overloads = self.rules.operators.get(block.name, ())
        try:
            named = bool(block.results) or block.kind == "opencl"  # others are rewrites
            return named and overloads[find(block, self.rules.operators)] is operator
        except RuleError:
            return False


def _spellings(operator: Operator, block: Block, line: str) -> Iterator[str]:
    """How a block may call a line: its own names, the forward line, any derivative line."""
    forward = []
    for result in block.results:
        own = names_of(operator.params, operator.result.name)
        here = names_of(block.params, result)
        if result == operator.result.name or len(block.results) == 1:
            yield from (b for a, b in zip(own.partials, here.partials, strict=True) if a == line)
            if len(block.results) > 1:  # a backward line of several is stated as partials
                pairs = zip(own.partials, here.backward, strict=True)
                yield from (b for a, b in pairs if a == line)
            yield from (b for a, b in zip(own.backward, here.backward, strict=True) if a == line)
            if line.endswith("_bar"):
                return
            yield here.forward
            forward += [*here.partials, *here.backward]
    yield from forward if not line else ()


def _value(block: Block, name: str) -> Span | None:
    """The place of the expression in `name = expression`."""
    for node in block.body:
        if isinstance(node, ast.Assign) and name in targets_of(node):
            return block.source.span(node.value)
    return None


def _blocks(source: str) -> Mapping[str, list[Block]]:
    """The blocks of a file, by name; none where it cannot be read again."""
    path = Path(source)
    try:
        path = path if path.is_file() else _HERE / source
        return _parsed(path.read_bytes(), source) if path.is_file() else {}
    except (OSError, ValueError, RuleError):
        return {}


@lru_cache(maxsize=64)
def _parsed(data: bytes, source: str) -> Mapping[str, list[Block]]:
    found: dict[str, list[Block]] = {}
    for block in parse(decode(data, source), source).blocks:
        found.setdefault(block.name, []).append(block)
    return found
