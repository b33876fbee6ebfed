"""Operators that cost less together: sin(x) and cos(x), by one call of sincos.

    cost(sin) = own(sin) + shared,   cost(cos) = own(cos) + shared,   together = both own + shared

Takes an e-graph as extraction sees it, gives one in which what is shared is an e-node of its own,
which those that share it use: it is paid once, and no search needs to know why.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from ...terms.rule import Joint, RuleSet
from ...terms.term import Term
from .graph import EGraphTable

SHARED = "shared"
T = TypeVar("T")


def with_shared_costs(table: EGraphTable, rules: RuleSet) -> EGraphTable:
    """The table with one class more for each set of operators that may be computed together.

    Its e-nodes keep their numbers; those of the new classes come after them.
    """
    groups = _groups(table, rules)
    if not groups:
        return table
    heads, children = list(table.heads), list(table.children)
    owner, costs = list(table.owner), list(table.costs)
    count = table.classes
    for joint, nodes in groups:
        shared = _saving(joint, heads[nodes[0]][2], [costs[n] for n in nodes])
        if not 0 < shared <= min(costs[n] for n in nodes):
            continue
        arguments, type_ = children[nodes[0]], heads[nodes[0]][2]
        for n in nodes:
            children[n] = (*children[n], count)
            costs[n] -= shared
        heads.append((SHARED, joint.name, type_))
        children.append(arguments)
        owner.append(count)
        costs.append(shared)
        count += 1
    return replace(table, heads=heads, children=children, owner=owner, costs=costs, classes=count)


def _groups(table: EGraphTable, rules: RuleSet) -> list[tuple[Joint, list[int]]]:
    """E-nodes over the same arguments that make up a joint operator, in order."""
    heads = enumerate(table.heads)
    plain = ((n, op, (table.children[n], type_)) for n, (op, attr, type_) in heads if attr is None)
    return _gathered(plain, rules)


def joined(terms: Iterable[Term], rules: RuleSet) -> list[tuple[Joint, list[Term]]]:
    """The terms that are computed together, with what computes them."""
    return _gathered(((t, t.op, (t.args, t.type)) for t in terms if t.attr is None), rules)


def _gathered(
    items: Iterable[tuple[T, str, Hashable]], rules: RuleSet
) -> list[tuple[Joint, list[T]]]:
    """What is whole of the joint operators among items, given as (item, operator, arguments)."""
    found: dict[tuple[str, Hashable], dict[str, T]] = {}
    for item, op, arguments in items:
        joint = rules.joints.get(op)
        if joint is not None:
            found.setdefault((joint.name, arguments), {}).setdefault(op, item)
    groups = []
    for parts in found.values():
        joint = rules.joints[next(iter(parts))]
        if len(parts) == len(joint.parts):
            groups.append((joint, [parts[op] for op in joint.parts]))
    return groups


def _saving(joint: Joint, type_: object, costs: list[float]) -> float:
    """What each of the operators but one saves where all are computed."""
    return (sum(costs) - joint.cost_in(type_)) / (len(costs) - 1)


def joint_savings(costs: Mapping[Term, float], rules: RuleSet) -> float:
    """By how much terms cost less than one by one, because some are computed together."""
    saved = 0.0
    for joint, terms in joined(costs, rules):
        each = [costs[t] for t in terms]
        shared = _saving(joint, terms[0].type, each)
        if 0 < shared <= min(each):
            saved += shared * (len(each) - 1)
    return saved
