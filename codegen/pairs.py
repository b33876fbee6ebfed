"""Takes statements, gives them with the sine and cosine of one angle computed together.

One call of sincos costs little more than either function. It is also what keeps Intel's CPU
compiler (2025.3) alive: its vectorizer joins such pairs itself, and crashes where the angle
of one pair comes from another, as in the derivative of sin(sin(x)).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..terms.term import Term
from .statement import Define, DefinePair, Else, ElseIf, End, If, Statement

_TWIN = {"sin": "cos", "cos": "sin"}


def paired(statements: Sequence[Statement], plain: Callable[[Term], bool]) -> list[Statement]:
    """The statements with sin(x) and cos(x) of one block joined where the first of them stands.

    `plain` says whether a term is spelled as OpenCL's own function.
    """
    blocks = _blocks(statements)
    places: dict[tuple[int, str, Term], int] = {}
    for index, (statement, block) in enumerate(zip(statements, blocks, strict=True)):
        if isinstance(statement, Define) and statement.term.op in _TWIN and plain(statement.term):
            places[block, statement.term.op, statement.term.args[0]] = index
    result: list[Statement] = []
    for index, (statement, block) in enumerate(zip(statements, blocks, strict=True)):
        twin = None
        if isinstance(statement, Define) and statement.term.op in _TWIN:
            angle = statement.term.args[0]
            if places.get((block, statement.term.op, angle)) == index:
                twin = places.get((block, _TWIN[statement.term.op], angle))
        if twin is None:
            result.append(statement)
        elif twin > index:
            result.append(_pair(statement, statements[twin]))
    return result


def _pair(first: Statement, second: Statement) -> DefinePair:
    assert isinstance(first, Define) and isinstance(second, Define)
    sine, cosine = first.term, second.term
    return DefinePair(sine, cosine) if sine.op == "sin" else DefinePair(cosine, sine)


def _blocks(statements: Sequence[Statement]) -> list[int]:
    """For every statement a number of the block that it stands in."""
    blocks, open_blocks, count = [], [0], 0
    for statement in statements:
        if isinstance(statement, Else | ElseIf | End):
            open_blocks.pop()
        blocks.append(open_blocks[-1] if open_blocks else 0)
        if isinstance(statement, If | Else | ElseIf):
            count += 1
            open_blocks.append(count)
    return blocks
