"""Forward lines over vectors: whether they are linear in the tangents.

Takes a block, its forward line as a term and all operators, raises RuleError: an operator is linear
in what its definition is linear in. Knows nothing of files.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from ...terms.rule import Operator, Parameter
from ...terms.term import VAR, Term, fold, toposort, var
from ..show import show_expression
from .calls import scalar_of_kind
from .derivatives import NotLinear, is_zero, names_of
from .parse import Block

# What is no operator, or has no definition, and is linear in the one argument that has tangents.
_LINEAR = frozenset(("component", "sum", "rows", "columns", "neg"))
_ALIKE = frozenset(("add", "sub", "list", "tuple"))  # all arguments have tangents, or are 0

Operators = Mapping[str, Sequence[Operator]]


def check_forward(
    block: Block, params: Sequence[Parameter], forward: Term | None, operators: Operators
) -> None:
    """Raise RuleError unless the forward line of a block over vectors is linear in the tangents."""
    if forward is None:
        return
    names = names_of(params, block.results[0])
    kinds = {p.name: scalar_of_kind(p.kind) for p in params}
    tangents = [var(d, kinds[name]) for d, name in names.tangents.items()]
    try:
        if not _Linear(operators).depends(forward, tangents) and not is_zero(forward):
            raise NotLinear(f"{show_expression(forward)} does not depend on a tangent")
    except NotLinear as fault:
        hint = (
            f"a forward rule is linear in {', '.join(names.tangents)}: {names.forward} = (…) * d…"
        )
        raise block.error(_line(block, names.forward), str(fault), hint) from None


def _line(block: Block, name: str) -> ast.AST:
    """The expression of a line."""
    return next(
        node.value
        for node in block.body
        if isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
    )


class _Linear:
    """Which expressions depend on what, linearly; of calls it is found once."""

    def __init__(self, operators: Operators) -> None:
        self.operators = operators
        self.calls: dict[tuple[str, tuple[bool, ...]], bool | None] = {}

    def depends(self, term: Term, tangents: Sequence[Term]) -> bool:
        """Whether the term depends on the tangents; raise NotLinear where it is not linear."""
        carriers = _carriers(term, tangents)

        def step(node: Term, flags: tuple[bool, ...]) -> bool:
            return node in carriers if node.op == VAR else self._node(node, flags)

        return fold([term], step)[term]

    def _node(self, node: Term, flags: tuple[bool, ...]) -> bool:
        if not any(flags):
            return False
        found = self._flag(node, flags)
        if found is None:
            raise NotLinear(f"{show_expression(node, 80)} is not linear in the tangents")
        return found

    def _flag(self, node: Term, flags: tuple[bool, ...]) -> bool | None:
        """Whether a node has tangents, as its arguments have them; None where it is not linear."""
        alike = all(f or is_zero(a) for f, a in zip(flags, node.args, strict=True))
        match node.op:
            case op if op in _ALIKE:
                return True if alike else None
            case "mul":
                return True if sum(flags) == 1 else None
            case "div":
                return None if flags[1] else True
            case "select":
                fine = all(f or is_zero(a) for f, a in zip(flags[1:], node.args[1:], strict=True))
                return True if fine and not flags[0] else None
            case "fma":
                fine = sum(flags[:2]) == 1 and (flags[2] or is_zero(node.args[2]))
                return True if fine else None
            case "each":
                return flags[1]
            case op if op in _LINEAR:
                return True
        with_zeros = tuple([f or is_zero(a) for f, a in zip(flags, node.args, strict=True)])
        found = self._call(node.op, flags)  # a 0 is linear in whatever there is
        return self._call(node.op, with_zeros) if found is None else found

    def _call(self, name: str, flags: tuple[bool, ...]) -> bool | None:
        """An operator of a definition, in all its overloads: which one is meant, shapes say."""
        key = name, flags
        if key not in self.calls:
            self.calls[key] = True  # for overloads that call one another: if so, it is
            overloads = [o for o in self.operators.get(name, ()) if o.arity() == len(flags)]
            found = {self._defined(operator, flags) for operator in overloads}
            self.calls[key] = found.pop() if len(found) == 1 else None
        return self.calls[key]

    def _defined(self, operator: Operator, flags: tuple[bool, ...]) -> bool | None:
        if operator.definition is None:
            return None
        pairs = zip(operator.params, flags, strict=True)
        tangents = [var(p.name, scalar_of_kind(p.kind)) for p, flag in pairs if flag]
        try:
            return self.depends(operator.definition, tangents)
        except NotLinear:
            return None


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
