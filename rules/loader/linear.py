"""Forward lines over vectors: whether they are linear in the tangents.

Takes a term and its tangents, raises NotLinear. Knows nothing of syntax or files.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...terms.term import VAR, Term, fold, toposort
from ..show import show_expression
from .derivatives import NotLinear, is_zero

# Operators that are linear in each composite argument on its own.
_LINEAR = frozenset(("component", "sum", "rows", "columns", "each", "neg", "transpose"))
_BILINEAR = frozenset(("mul", "dot", "cross"))


def check_composite_linear(term: Term, tangents: Sequence[Term]) -> None:
    """Raise NotLinear unless a forward rule over vectors is linear in the tangents."""
    carriers = _carriers(term, tangents)

    def step(node: Term, flags: tuple[bool, ...]) -> bool:
        return node in carriers if node.op == VAR else _composite_flag(node, flags)

    if not fold([term], step)[term] and not is_zero(term):
        raise NotLinear(f"{show_expression(term)} does not depend on a tangent")


def _carriers(term: Term, tangents: Sequence[Term]) -> frozenset[Term]:
    """The tangents, and the loop variables over sequences that hold tangents."""
    loops = [node for node in toposort([term]) if node.op == "each"]
    carriers = frozenset(tangents)
    size = 0
    while size != len(carriers):  # a loop variable may carry another one: up to 100 levels
        size = len(carriers)
        touched = _touched(term, carriers)
        carriers |= {
            Term(VAR, (), node.attr, node.args[0].type) for node in loops if touched[node.args[0]]
        }
    return carriers


def _touched(term: Term, carriers: frozenset[Term]) -> dict[Term, bool]:
    return fold([term], lambda node, flags: node in carriers or any(flags))


def _composite_flag(node: Term, flags: tuple[bool, ...]) -> bool:
    if not any(flags):
        return False
    count, op = sum(flags), node.op
    if op in ("add", "sub", "list", "tuple"):
        fine = all(f or is_zero(a) for f, a in zip(flags, node.args, strict=True))
    elif op in _BILINEAR:
        fine = count == 1
    elif op == "div":
        fine = not flags[1]
    elif op == "select":
        fine = not flags[0]
    else:
        fine = op in _LINEAR
    if not fine:
        raise NotLinear(f"{show_expression(node, 80)} is not linear in the tangents")
    return True
