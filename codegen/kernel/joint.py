"""Takes statements, gives them with operators that one built-in computes joined: sin and cos.

One call of sincos costs little more than either function. It is also what keeps Intel's CPU
compiler (2025.3) alive: its vectorizer joins such pairs itself, and crashes where the angle
of one pair comes from another, as in the derivative of sin(sin(x)).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...terms.rule import Joint
from ...terms.term import Term
from ..schedule.statement import Define, DefineJoint, Else, ElseIf, End, If, Statement

_Key = tuple[int, str, tuple[Term, ...]]


def joined(
    statements: Sequence[Statement], joints: Mapping[str, Joint], plain: Callable[[Term], bool]
) -> list[Statement]:
    """The statements with what is computed together where the first part of it stands.

    All parts are over the same arguments in one block; `plain` says whether a term is spelled
    as OpenCL's own function.
    """
    blocks = _blocks(statements)
    parts: dict[_Key, dict[str, int]] = {}
    keys: dict[int, _Key] = {}
    for index, (statement, block) in enumerate(zip(statements, blocks, strict=True)):
        joint = joints.get(statement.term.op) if isinstance(statement, Define) else None
        if isinstance(statement, Define) and joint is not None and plain(statement.term):
            keys[index] = block, joint.name, statement.term.args
            parts.setdefault(keys[index], {})[statement.term.op] = index
    result: list[Statement] = []
    for index, statement in enumerate(statements):
        found = parts.get(keys[index], {}) if index in keys else {}
        joint = joints[next(iter(found))] if found else None
        if joint is None or len(found) < len(joint.parts):
            result.append(statement)
        elif index == min(found.values()):
            terms = [_term(statements[found[part]]) for part in joint.parts]
            result.append(DefineJoint(tuple(terms), joint))
    return result


def _term(statement: Statement) -> Term:
    assert isinstance(statement, Define)
    return statement.term


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
