"""What definitions expand to.

Takes operators, refuses definitions that use themselves or grow out of bounds; knows nothing
of syntax.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...terms.errors import RuleError, Span
from ...terms.rule import Operator
from ...terms.term import Term, toposort

MAX_SIZE = 100_000
MAX_LEVELS = 200
_Node = tuple[str, int]
_Calls = dict[_Node, list[_Node]]


def check_expansion(
    operators: Mapping[str, Sequence[Operator]], precise: _Calls, changed: Mapping[_Node, Span]
) -> None:
    """Raise RuleError where a definition uses itself, or expands to too much.

    `precise` says which overloads an operator calls; for the others, which were checked
    before, the names in their definitions do. `changed` says where substitutes stand.
    """
    done: dict[_Node, tuple[int, int]] = {}
    for name, overloads in operators.items():
        for index in range(len(overloads)):
            if (name, index) not in done:
                _visit((name, index), operators, precise, done, changed)


def _visit(
    root: _Node,
    operators: Mapping[str, Sequence[Operator]],
    precise: _Calls,
    done: dict[_Node, tuple[int, int]],
    changed: Mapping[_Node, Span],
) -> None:
    path: dict[_Node, list[_Node]] = {root: _calls(root, operators, precise)}
    stack = [root]
    while stack:
        node = stack[-1]
        waiting = path[node]
        if waiting:
            callee = waiting.pop()
            if callee in path:
                circle = stack[stack.index(callee) :]
                names = [*(n for n, _ in circle), callee[0]]
                blamed = next((n for n in reversed(circle) if n in changed), node)
                operator = operators[blamed[0]][blamed[1]]
                raise _fault(
                    operator,
                    f"the definition uses itself: {_chain(names)}",
                    "define it by other operators",
                    changed.get(blamed),
                )
            if callee not in done:
                path[callee] = _calls(callee, operators, precise)
                stack.append(callee)
            continue
        stack.pop()
        del path[node]
        done[node] = _measure(node, operators, precise, done)


def _chain(names: Sequence[str]) -> str:
    shown = [*names[:4], "…", *names[-2:]] if len(names) > 7 else names
    return " -> ".join(shown)


def _bodies(operator: Operator) -> list[Term]:
    return [term for term in (operator.definition, operator.primal) if term is not None]


def _calls(
    node: _Node, operators: Mapping[str, Sequence[Operator]], precise: _Calls
) -> list[_Node]:
    if node in precise:
        return list(dict.fromkeys(precise[node]))
    name, index = node
    own = operators[name][index]
    found: dict[_Node, None] = {}
    for term in toposort(_bodies(own)):
        overloads = operators.get(term.op, ())
        scalar = [i for i, o in enumerate(overloads) if not o.is_composite]
        # `a * b` over vectors means the scalar operator, component by component.
        other = range(len(overloads)) if own.is_composite and term.op != name else ()
        found.update(((term.op, i), None) for i in scalar or other)
    return list(found)


def _measure(
    node: _Node,
    operators: Mapping[str, Sequence[Operator]],
    precise: _Calls,
    done: dict[_Node, tuple[int, int]],
) -> tuple[int, int]:
    """Size and depth of the definition with everything in it expanded."""
    operator = operators[node[0]][node[1]]
    bodies = _bodies(operator)
    if not bodies:
        return 1, 1
    callees: dict[str, tuple[int, int]] = {}
    for callee in _calls(node, operators, precise):
        size, depth = callees.get(callee[0], (1, 1))
        callees[callee[0]] = max(size, done[callee][0]), max(depth, done[callee][1])
    size, depths = 1, dict[Term, int]()
    for term in toposort(bodies):
        inner_size, inner_depth = callees.get(term.op, (1, 1))
        size += inner_size
        depths[term] = inner_depth + max((depths[a] for a in term.args), default=0)
    depth = max(depths[body] for body in bodies)
    if size > MAX_SIZE or depth > MAX_LEVELS:
        what = f"{MAX_SIZE} terms" if size > MAX_SIZE else f"{MAX_LEVELS} levels"
        hint = "give one of the operators in it a derivative or a spelling of its own"
        raise _fault(operator, f"the definition expands to more than {what}", hint)
    return size, depth


def _fault(operator: Operator, message: str, hint: str, at: Span | None = None) -> RuleError:
    return RuleError(f"[{operator.name}] {message}", at or operator.at, hint)
