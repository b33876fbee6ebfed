"""Takes statements in order, decides where each value is declared.

A value that is used in the block that computes it is defined there. Any other is declared in
the innermost block around its definitions and uses, before the `if` that assigns it. Knows
nothing of regions or of any language's text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ...terms.loop import LOAD
from ...terms.term import LEAVES, Term
from .fusing import reads
from .statement import Assign, Declare, Define, Else, ElseIf, End, If, Statement


def declare(
    statements: Sequence[Statement],
    roots: Sequence[Term],
    inline: Collection[Term],
    uses: Mapping[Term, int],
    named: Collection[Term],
    sums: Mapping[Term, int],
) -> tuple[list[Statement], frozenset[Term]]:
    """The statements with their declarations, and the terms that need no statement.

    Copies of values used once are fused away; a condition that only its `if` reads is written
    there, unless it is in `named`. `sums` are computed as `fma`.
    """
    plain = [s for s in statements if not (isinstance(s, Define) and s.term in inline)]
    if not any(isinstance(s, If) for s in plain):
        return plain, frozenset(inline)
    fused = _fuse(plain, inline, uses)
    blocks = _survey(fused, roots, inline, sums)
    tests = _tests(fused, blocks, named)
    kept = [s for s in fused if not (isinstance(s, Define) and s.term in tests)]
    inline = frozenset([*inline, *tests])
    if tests:
        blocks = _survey(kept, roots, inline, sums)
    return _else_ifs(_insert(kept, blocks)), inline


@dataclass
class _Blocks:
    """The blocks of a statement list: parent, depth, and where each is opened."""

    parent: list[int] = field(default_factory=lambda: [0])
    depth: list[int] = field(default_factory=lambda: [0])
    opened: list[int] = field(default_factory=lambda: [0])  # the position of its `if`
    home: dict[Term, int] = field(default_factory=dict)  # around definitions and uses
    first: dict[Term, int] = field(default_factory=dict)  # the block of the first definition
    assigned: set[Term] = field(default_factory=set)
    reads: dict[Term, int] = field(default_factory=dict)  # in the text

    def open(self, parent: int, position: int) -> int:
        self.parent.append(parent)
        self.depth.append(self.depth[parent] + 1)
        self.opened.append(position)
        return len(self.parent) - 1

    def common(self, a: int, b: int) -> int:
        while a != b:
            if self.depth[a] < self.depth[b]:
                a, b = b, a
            a = self.parent[a]
        return a

    def touch(self, term: Term, block: int) -> None:
        home = self.home.get(term, block)
        self.home[term] = home if home == block else self.common(home, block)


def _walk(statements: Sequence[Statement]) -> tuple[_Blocks, list[int]]:
    """The tree of blocks, and the block of each statement (an `if` lies in its outer one)."""
    blocks = _Blocks()
    block_of: list[int] = []
    block = 0
    for position, statement in enumerate(statements):
        match statement:
            case If():
                block_of.append(block)
                block = blocks.open(block, position)
            case Else():
                outer = blocks.parent[block]
                block_of.append(outer)
                block = blocks.open(outer, blocks.opened[block])
            case End():
                block = blocks.parent[block]
                block_of.append(block)
            case _:
                block_of.append(block)
    return blocks, block_of


def _fuse(
    statements: Sequence[Statement], inline: Collection[Term], uses: Mapping[Term, int]
) -> list[Statement]:
    """`t = f(x); s = t;` becomes `s = f(x);` where t has no other use.

    A select that is itself assigned in an inner `if` becomes the variable of the outer one.
    """
    blocks, block_of = _walk(statements)
    defined: dict[Term, int] = {}
    assigned: dict[Term, int] = {}  # the block around the `if`
    for position, statement in enumerate(statements):
        if isinstance(statement, Define):
            defined[statement.term] = block_of[position]
        elif isinstance(statement, Assign):
            assigned[statement.target] = blocks.parent[block_of[position]]
    fused: set[Term] = set()
    alias: dict[Term, Term] = {}
    for position, statement in enumerate(statements):
        if not isinstance(statement, Assign) or uses.get(statement.value) != 1:
            continue
        value = statement.value
        if value in assigned:
            if assigned[value] == block_of[position]:
                alias[value] = statement.target
        elif value not in inline and defined.get(value) == block_of[position]:
            fused.add(value)
    final = _followed(alias)
    result: list[Statement] = []
    for statement in statements:
        match statement:
            case Define(term=term) if term in fused:
                continue
            case Assign(target=target, value=value):
                if value in alias:
                    continue
                result.append(Assign(final.get(target, target), value, value in fused))
            case _:
                result.append(statement)
    return result


def _followed(alias: Mapping[Term, Term]) -> dict[Term, Term]:
    """Aliases of aliases resolved; the outer target was written down later."""
    final: dict[Term, Term] = {}
    for term, target in reversed(list(alias.items())):
        final[term] = final.get(target, target)
    return final


def _survey(
    statements: Sequence[Statement],
    roots: Sequence[Term],
    inline: Collection[Term],
    sums: Mapping[Term, int],
) -> _Blocks:
    blocks, block_of = _walk(statements)

    def use(term: Term, block: int) -> None:
        stack = [term]  # an inline condition may hold an inline negation
        while stack:
            term = stack.pop()
            if term in inline:
                stack.extend(term.args)
            elif term.op not in LEAVES:
                blocks.touch(term, block)
                blocks.reads[term] = blocks.reads.get(term, 0) + 1

    for statement, block in zip(statements, block_of, strict=True):
        match statement:
            case Define(term=term):
                blocks.first.setdefault(term, block)
                blocks.touch(term, block)
                for arg in reads(term, sums):
                    use(arg, block)
            case Assign(target=target, value=value, compute=compute):
                blocks.first.setdefault(target, block)
                blocks.assigned.add(target)
                blocks.touch(target, block)
                for arg in reads(value, sums) if compute else (value,):
                    use(arg, block)
            case If(condition=condition):
                use(condition, block)
    for root in roots:
        use(root, 0)
    return blocks


def _tests(
    statements: Sequence[Statement], blocks: _Blocks, named: Collection[Term]
) -> dict[Term, None]:
    """Conditions that are read once, by an `if` in the block that computes them.

    Not what is read from a memory: it is read where it stands, before the next write.
    """
    _, block_of = _walk(statements)
    found: dict[Term, None] = {}
    for statement, block in zip(statements, block_of, strict=True):
        if not isinstance(statement, If):
            continue
        term = statement.condition
        once = blocks.reads.get(term) == 1 and term not in blocks.assigned and term.op != LOAD
        if once and term not in named and blocks.first.get(term) == block:
            found[term] = None
    return found


def _insert(statements: Sequence[Statement], blocks: _Blocks) -> list[Statement]:
    """Declarations before the `if` that holds the first definition."""
    before: dict[int, list[Term]] = {}
    outside: set[Term] = set()
    for term, block in blocks.first.items():
        home = blocks.home[term]
        if home == block and term not in blocks.assigned:
            continue
        outside.add(term)
        while blocks.parent[block] != home:
            block = blocks.parent[block]
        before.setdefault(blocks.opened[block], []).append(term)
    result: list[Statement] = []
    for position, statement in enumerate(statements):
        result.extend(Declare(term) for term in before.get(position, ()))
        if isinstance(statement, Define) and statement.term in outside:
            statement = Assign(statement.term, statement.term, compute=True)
        result.append(statement)
    return result


def _else_ifs(statements: Sequence[Statement]) -> list[Statement]:
    """`else { if (c) { … } }` becomes `else if (c) { … }`."""
    end_of: dict[int, int] = {}  # of each `if`
    sides: list[tuple[int, int]] = []  # each `else` with the end of its `if`
    stack: list[list[int]] = []
    for position, statement in enumerate(statements):
        match statement:
            case If():
                stack.append([position])
            case Else():
                stack[-1].append(position)
            case End():
                opened, *elses = stack.pop()
                end_of[opened] = position
                sides.extend((e, position) for e in elses)
    skipped: set[int] = set()
    replaced: dict[int, Statement] = {}
    for position, end in sides:
        inner = statements[position + 1]
        if isinstance(inner, If) and end_of[position + 1] == end - 1:
            replaced[position] = ElseIf(inner.condition)
            skipped.update((position + 1, end - 1))
    pairs = enumerate(statements)
    return [replaced.get(i, statement) for i, statement in pairs if i not in skipped]
