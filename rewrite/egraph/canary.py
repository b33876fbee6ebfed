"""Signs that an e-graph has been led into a contradiction.

Takes an e-graph as plain data, gives what is wrong with it. Rules such as x/x = 1 and
0*x = 0 are true where a program is defined, but contradict each other at a divisor that is 0
whatever the inputs are; one dead branch with such a divisor would make all numbers equal.
Knows nothing of the rules.
"""

from __future__ import annotations

from ...terms.term import CONST, VAR, Term, const_value
from .classes import Classes

# Where the last argument of these is 0, the result is not a number.
_DIVISIONS = frozenset({"div", "rcp", "rsqrt", "quotient", "fmod", "log", "log2", "log10"})
_ROUNDING = 1e-9  # constants that are folded in two orders differ


def contradiction(classes: Classes) -> str:
    """Why the e-graph cannot be trusted; empty where there is no sign of it.

    Two numbers in one class, an input that equals another or a number, a division by 0.
    """
    leaves: dict[int, Term] = {}
    for node in classes.nodes:
        if node.leaf is None or node.leaf.op not in (CONST, VAR):
            continue
        other = leaves.setdefault(node.owner, node.leaf)
        if other is not node.leaf and not _same(other, node.leaf):
            return f"{other!r} = {node.leaf!r}"
    for node in classes.nodes:
        if node.leaf is None and node.head[0] in _DIVISIONS:
            divisor = leaves.get(node.args[-1])
            if divisor is not None and divisor.op == CONST and const_value(divisor) == 0:
                return f"{node.head[0]} of 0"
    return ""


def _same(a: Term, b: Term) -> bool:
    """Whether two leaves are one number, up to rounding."""
    if a.op != CONST or b.op != CONST:
        return False
    x, y = const_value(a), const_value(b)
    return x == y or (x != x and y != y) or abs(x - y) <= _ROUNDING * max(abs(x), abs(y))
