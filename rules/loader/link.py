"""Blocks to a rule set.

Takes the blocks of files that are given together and the rule set below them, gives the rule
set of both; knows nothing of paths.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TypeVar

from ...terms.errors import Span
from ...terms.rule import Fact, Operator, Rewrite, RuleSet
from .calls import Shape, Signature, Unresolved, shape_of_kind
from .expansion import check_expansion
from .linear import check_forward
from .operators import build, declared_kind, has_definition, infer_kind, result_kind
from .overlays import apply, find
from .parse import Block, is_rewrite
from .reach import Reach
from .rewrites import build_facts, build_rewrites
from .several import split

_Node = tuple[str, int]
_Key = tuple[str, tuple[Shape, ...]]
_Named = TypeVar("_Named", Rewrite, Fact)


def link(blocks: Sequence[Block], base: RuleSet, files: Sequence[str]) -> RuleSet:
    """The rule set `base` with the blocks of one level on top."""
    return _Linker(blocks, base).rule_set(files)


class _Linker:
    """The state of one link: signatures by name, operators by name, and who calls whom."""

    def __init__(self, blocks: Sequence[Block], base: RuleSet) -> None:
        self.blocks = [part for block in blocks for part in split(block)]
        self.base = base
        self.signatures: dict[str, list[Signature]] = {}
        self.operators: dict[str, list[Operator]] = {}
        self.calls: dict[_Node, list[_Node]] = {}
        self.changed: dict[_Node, Span] = {}  # where the substitutes of operators stand
        self.owners: dict[str, str] = dict(base.by_alias)
        self.rank: dict[int, _Node] = {}  # id of a signature -> its operator
        for name, overloads in base.operators.items():
            for operator in overloads:
                kind = operator.result.kind
                known = Signature(name, operator.params, kind, operator.at, shape_of_kind(kind))
                if operator.definition is not None and operator.definition.op == "tuple":
                    known.count = len(operator.definition.args)
                self._declare(known)
            self.operators[name] = list(overloads)

    def _declare(self, signature: Signature) -> None:
        overloads = self.signatures.setdefault(signature.name, [])
        self.rank[id(signature)] = signature.name, len(overloads)
        overloads.append(signature)

    def rule_set(self, files: Sequence[str]) -> RuleSet:
        """Operators first, then what changes them, then rewrites and facts, in file order."""
        self._build_operators(self._declare_all())
        self._apply_overlays()
        if self.calls or self.changed:  # all others were checked before
            check_expansion(self.operators, self.calls, self.changed)
        rewrites, facts = self._rules()
        return RuleSet(
            {name: tuple(overloads) for name, overloads in self.operators.items()},
            (*self.base.rewrites, *rewrites),
            (*self.base.facts, *facts),
            (*self.base.sources, *files),
        )

    def _declare_all(self) -> list[tuple[Block, Signature]]:
        places: dict[_Key, Signature] = {
            _key(s): s for group in self.signatures.values() for s in group
        }
        found = []
        for block in self.blocks:
            if block.kind != "op":
                continue
            tuple_result = len(block.results) > 1
            declared = "tuple" if tuple_result else declared_kind(block)
            kind = result_kind(block.params, declared, has_definition(block))
            signature = Signature(block.name, block.params, kind, block.at, shape_of_kind(kind))
            signature.count = len(block.results) if tuple_result else 0
            key = _key(signature)
            if key in places:
                self._duplicate(block, places[key])
            places[key] = signature
            self._declare(signature)
            found.append((block, signature))
        return found

    def _duplicate(self, block: Block, first: Signature) -> None:
        hint = f"it is already defined at {first.at}"
        if id(first) in self.rank and self.rank[id(first)][0] in self.base.operators:
            hint += "; change it with @derivative, @opencl or @primal, or choose another name"
        raise block.error(block.at, f"the operator {block.name!r} is defined twice", hint)

    def _build_operators(self, pending: Sequence[tuple[Block, Signature]]) -> None:
        """First the kinds of all results, then every operator."""
        self._infer_kinds(pending)
        forward: list[tuple[Block, Operator]] = []
        for block, signature in pending:
            operator, called = build(block, signature, self.signatures)
            operator = self._own_aliases(block, operator)
            self.operators.setdefault(block.name, []).append(operator)
            self.calls[self.rank[id(signature)]] = self._nodes(called)
            forward += [(block, operator)] if operator.pushforward is not None else []
        for block, operator in forward:
            check_forward(block, block.params, operator.pushforward, self.operators)

    def _infer_kinds(self, pending: Sequence[tuple[Block, Signature]]) -> None:
        """Results whose definition decides; what it calls comes first."""
        blocks = {id(signature): block for block, signature in pending}
        for _, first in pending:
            stack = [first] if not first.result else []
            waiting = {id(first)}
            while stack:
                signature = stack[-1]
                block = blocks[id(signature)]
                try:
                    signature.result = infer_kind(block, signature, self.signatures)
                    signature.shape = shape_of_kind(signature.result)
                    waiting.discard(id(stack.pop()))
                except Unresolved as need:
                    if id(need.signature) in waiting:
                        names = " -> ".join(s.name for s in (*stack[-4:], need.signature))
                        message = f"the definition uses itself: {names}"
                        hint = "define it by other operators"
                        raise block.error(block.at, message, hint) from None
                    stack.append(need.signature)
                    waiting.add(id(need.signature))

    def _nodes(self, signatures: Iterable[Signature]) -> list[_Node]:
        return [self.rank[id(signature)] for signature in signatures]

    def _own_aliases(self, block: Block, operator: Operator) -> Operator:
        """Aliases that are free; a stated one that is taken is an error."""
        stated = _stated_aliases(block)
        free = []
        for alias in operator.aliases:
            owner = self.owners.setdefault(alias, operator.name)
            if owner == operator.name:
                free.append(alias)
            elif alias in stated:
                message = f"the alias {alias!r} already means {owner!r}"
                hint = "remove it from one of the two"
                if owner not in self.base.operators:
                    hint = f"{owner!r} is at {self.operators[owner][0].at}; {hint}"
                raise block.error(stated[alias], message, hint)
        kept = tuple(free)
        return operator if kept == operator.aliases else replace(operator, aliases=kept)

    def _apply_overlays(self) -> None:
        seen: dict[tuple[str, str, int], Block] = {}
        for block in self.blocks:
            if block.kind not in ("derivative", "opencl", "primal") or is_rewrite(block):
                continue
            index = find(block, self.operators)
            key = block.kind, block.name, index
            if key in seen:
                message = f"@{block.kind} for {block.name!r} is there twice"
                raise block.error(block.at, message, f"the first is at {seen[key].at}")
            seen[key] = block
            changed = self.operators[block.name][index]
            operator, called = apply(block, changed, self.signatures, self.operators)
            self.operators[block.name][index] = operator
            if block.kind == "primal":
                node = block.name, index
                self.changed[node] = block.at
                if node in self.calls:
                    self.calls[node] += self._nodes(called)

    def _rules(self) -> tuple[list[Rewrite], list[Fact]]:
        rewrites: list[Rewrite] = []
        facts: list[Fact] = []
        seen: dict[tuple[str, str], Block] = {}
        reach = Reach(self.operators)
        names = {rule.name for rule in self.base.rewrites}
        names |= {fact.name for fact in self.base.facts}
        for block in self.blocks:
            if not is_rewrite(block) and block.kind != "fact":
                continue
            key = block.source.file, block.name
            if key in seen:
                message = f"the rule {block.name!r} is defined twice"
                raise block.error(block.at, message, f"the first is at {seen[key].at}")
            seen[key] = block
            if block.kind == "fact":
                stated = build_facts(block, self.signatures)
                reach.check(block, stated)
                facts += _renamed(stated, block, names)
            else:
                found = build_rewrites(block, self.signatures)
                reach.check(block, found)
                rewrites += _renamed(found, block, names)
        return rewrites, facts


def _key(signature: Signature) -> _Key:
    """What tells overloads apart: the shapes; an operator of scalars has one arity only."""
    return signature.name, () if signature.scalar else signature.shapes


def _renamed(rules: list[_Named], block: Block, names: set[str]) -> list[_Named]:
    """Rules of one name in two files get the file's name in front of theirs."""
    prefix = ""
    own = [rule.name for rule in rules]
    while any(prefix + name in names for name in own):
        prefix += f"{PurePath(block.source.file).stem}:"
    names |= {prefix + name for name in own}
    return [replace(rule, name=prefix + rule.name) for rule in rules] if prefix else rules


def _stated_aliases(block: Block) -> Mapping[str, ast.AST]:
    for node in block.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="aliases")], value=ast.Constant(value=str(text))):
                return {alias.strip(): node.value for alias in text.split(",")}
    return {}
