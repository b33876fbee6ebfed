"""The e-graph: the only file that imports egglog.

Takes terms and rule texts, gives plain tables of e-nodes and reports of what fired; knows
nothing of derivatives or costs. Programs enter as tables, one per operator, never as one
command per node: 90,000 nodes load in two seconds instead of minutes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..terms.errors import ExtractError
from ..terms.loop import LOOP
from ..terms.term import CONST, VAR, Term, const, const_value, toposort
from ..terms.types import Scalar
from .encode import (
    LEAF,
    NODE,
    SORT,
    Head,
    Symbols,
    constant_symbol,
    head_of,
    is_odd,
    number_in,
    numbered,
    odd_symbol,
    payload_sort,
)
from .graph import finite

_LOAD = "(run-schedule (saturate (run load)))"

#: A row of the e-graph: head, classes of the arguments, class, and the term of a leaf.
_Row = tuple[Head, tuple[Any, ...], Any, Term | None]


@dataclass(frozen=True, slots=True)
class Node:
    """An e-node: a head over classes, or a leaf that stands for a term."""

    head: Head
    args: tuple[int, ...]
    owner: int
    leaf: Term | None = None


@dataclass(frozen=True)
class Classes:
    """The e-graph as plain data: nodes in a canonical order, classes numbered from 0."""

    nodes: list[Node]
    count: int
    loaded: dict[Term, int]  # the class of every term that was loaded

    def constants(self) -> dict[int, Term]:
        """The classes that hold a constant."""
        return {n.owner: n.leaf for n in self.nodes if n.leaf is not None and n.leaf.op == CONST}


@dataclass(frozen=True, slots=True)
class Fired:
    """What one run of a rule set did."""

    matches: dict[str, int]
    changed: bool


class Graph:
    """One e-graph, filled with the terms below `roots`.

    With `frozen`, only the roots themselves are operators: their arguments are leaves, and no
    rule sees into them. That e-graph is one level deep, however deep the program is.
    """

    def __init__(self, roots: Iterable[Term], *, frozen: bool = False) -> None:
        from egglog import bindings

        self._bindings = bindings
        self._folder = tempfile.TemporaryDirectory(prefix="egad-")
        self._graph = bindings.EGraph(fact_directory=self._folder.name)
        self.symbols = Symbols()
        self._leaves: list[Term] = []
        self._folds: dict[tuple[Head, tuple[str, ...]], str] = {}  # tables of constant folding
        if frozen:
            nodes = list(dict.fromkeys(roots))
            arguments = dict.fromkeys(a for t in nodes for a in t.args)
            self._load(nodes, {a: self._leaf_index(a) for a in arguments})
        else:
            self._load(toposort(roots), {})

    def close(self) -> None:
        """Remove the tables on disk."""
        self._folder.cleanup()

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, lines: Sequence[str]) -> list[Any]:
        """Run egglog commands, new declarations first."""
        text = "\n".join([self.symbols.declarations(), *lines])
        try:
            return list(self._graph.run_program(*self._graph.parse_program(text, "egad")))
        except BaseException as error:  # a panic of the engine is no Exception
            if isinstance(error, KeyboardInterrupt | MemoryError):
                raise
            raise ExtractError(
                f"the e-graph refused a generated rule: {error}",
                hint="this is a fault of egad: please report it with your function",
            ) from error

    def run(self, ruleset: str, *, saturate: bool = False) -> Fired:
        """Run a rule set once, or until nothing changes."""
        step = f"(saturate (run {ruleset}))" if saturate else f"(run {ruleset})"
        report = self.send([f"(run-schedule {step})"])[0].report
        return Fired(dict(report.num_matches_per_rule), bool(report.updated))

    def sizes(self) -> dict[str, int]:
        """The number of rows of every function and relation, subsumed ones included."""
        return dict(self.send(["(print-size)"])[0].sizes)

    def size(self) -> int:
        """The number of e-nodes, subsumed ones included."""
        return sum(n for name, n in self.sizes().items() if name in self.symbols.heads)

    def _leaf_index(self, term: Term) -> int:
        self._leaves.append(term)
        return len(self._leaves) - 1

    def _load(self, terms: list[Term], frozen: dict[Term, int]) -> None:
        self._terms = terms
        index = {term: i for i, term in enumerate(terms)}
        tables: dict[Head | str, list[str]] = {}
        wide: list[tuple[int, Term]] = []  # a rule for so many arguments takes long to compile
        for i, term in enumerate(terms):
            if term.op == VAR:
                tables.setdefault(LEAF, []).append(f"{i}\t{self._leaf_index(term)}")
            elif term.op == CONST:
                symbol, payload = _constant_row(term)
                tables.setdefault(symbol, []).append(f"{i}\t{payload}")
            elif term.op == LOOP and not frozen:
                wide.append((i, term))
            else:
                head, places = head_of(term), frozen or index
                shared = numbered(head)
                number = [] if shared is None else [str(term.attr)]
                row = "\t".join([str(i), *(str(places[a]) for a in term.args), *number])
                tables.setdefault(shared or head, []).append(row)
        lines = ["(ruleset load)"]
        for k, (key, rows) in enumerate(tables.items()):
            Path(self._folder.name, f"t{k}.tsv").write_text("\n".join(rows) + "\n")
            lines += self._load_rule(k, key, bool(frozen))
        lines.append(_LOAD)
        for i, term in wide:
            args = " ".join([f"({NODE} {index[a]})" for a in term.args])
            lines += [f"(set ({NODE} {i}) ({self.symbols.of(head_of(term))} {args}))", _LOAD]
        self.send(lines)

    def _load_rule(self, k: int, key: Head | str, frozen: bool) -> list[str]:
        """A table, and the rule that turns its rows into nodes once their arguments are."""
        if isinstance(key, str):
            kind = payload_sort(key)
            columns, premises, node = [kind], [f"(t{k} i a0)"], f"({key} a0)"
        else:
            columns = ["i64"] * len(key[2])
            rows = [f"a{j}" for j in range(len(columns))]
            premises = [f"(t{k} i {' '.join(rows)})"]
            if frozen:
                args = [f"({LEAF} {a})" for a in rows]
            else:
                args = [f"x{j}" for j in range(len(rows))]
                premises += [f"(= {x} ({NODE} {a}))" for x, a in zip(args, rows, strict=True)]
            if numbered(key) == key:
                columns.append("i64")
                premises[0] = f"(t{k} i {' '.join(rows)} n)"
                args.append("n")
            node = f"({self.symbols.of(key)} {' '.join(args)})"
        return [
            f"(relation t{k} (i64 {' '.join(columns)}))",
            f'(input t{k} "t{k}.tsv")',
            f"(rule ({' '.join(premises)}) ((set ({NODE} i) {node}))"
            f' :ruleset load :name "load {k}")',
        ]

    def join(self, folded: Sequence[tuple[Head, tuple[Term, ...], Term]]) -> None:
        """Operators over constants join their values: a table per operator, as programs load.

        One command for each would compile a rule for each: gigabytes for a few thousand.
        """
        tables: dict[tuple[Head, tuple[str, ...]], list[str]] = {}
        for head, args, value in folded:
            symbols, payloads = zip(*[_constant_row(t) for t in (*args, value)], strict=True)
            tables.setdefault((head, symbols), []).append("\t".join(payloads))
        lines = [] if self._folds else ["(ruleset fold)"]
        for key, rows in tables.items():
            if key not in self._folds:
                self._folds[key] = f"f{len(self._folds)}"
                lines += self._fold_rule(self._folds[key], *key)
            name = self._folds[key]
            Path(self._folder.name, f"{name}.tsv").write_text("\n".join(rows) + "\n")
            lines.append(f'(input {name} "{name}.tsv")')
        self.send([*lines, "(run-schedule (run fold))"])

    def _fold_rule(self, name: str, head: Head, symbols: Sequence[str]) -> list[str]:
        columns = " ".join(payload_sort(s) for s in symbols)
        cells = [f"a{j}" for j in range(len(symbols))]
        *args, value = [f"({s} {a})" for s, a in zip(symbols, cells, strict=True)]
        node = f"({self.symbols.of(head)} {' '.join(args)})"
        return [
            f"(relation {name} ({columns}))",
            f"(rule (({name} {' '.join(cells)})) ((union {node} {value}))"
            f' :ruleset fold :name "fold {name}")',
        ]

    def over_constants(self) -> list[tuple[Head, tuple[Term, ...]]]:
        """The e-nodes that can be chosen and have only constants as arguments, sorted."""
        functions = self._graph.freeze().functions
        constants: dict[Any, Term] = {}
        for name, function in functions.items():
            if name.startswith(("const@", "odd@")):
                for row in function.rows:
                    constants[row.output] = self._leaf(name, row.inputs[0])
        found = []
        for name, head in self.symbols.heads.items():
            if name in functions:
                for row in functions[name].rows:
                    if not row.subsumed and all(a in constants for a in row.inputs):
                        found.append((head, tuple([constants[a] for a in row.inputs])))
        return sorted(found, key=lambda node: (self.symbols.names[node[0]], *map(repr, node[1])))

    def read(self) -> Classes:
        """Every e-node that can still be chosen, in an order that no hash decides."""
        functions = self._graph.freeze().functions
        raw: list[_Row] = []
        subsumed: list[_Row] = []
        for name, function in functions.items():
            if function.output_sort != SORT or name == NODE:
                continue
            raw += self._rows(name, [row for row in function.rows if not row.subsumed])
            subsumed += self._rows(name, [row for row in function.rows if row.subsumed])
        if subsumed:
            # Directed rules may subsume each other's results: abs(-y) >> abs(y) also matches
            # abs(y) where y = -(-y). What a class cannot do without comes back.
            known = finite((args, owner) for _, args, owner, _ in raw)
            raw += [row for row in subsumed if row[2] not in known]
        loaded = self._loaded(functions)
        return _canonical(raw, [loaded[t] for t in self._terms], self._terms, self.symbols)[0]

    def read_all(
        self, relations: Sequence[str]
    ) -> tuple[Classes, dict[str, list[tuple[int, ...]]]]:
        """Every e-node, those that are not to be chosen included, and the rows of relations."""
        functions = self._graph.freeze().functions
        raw: list[_Row] = []
        for name, function in functions.items():
            if function.output_sort == SORT and name != NODE:
                raw += self._rows(name, function.rows)
        loaded = self._loaded(functions)
        owners = [loaded[t] for t in self._terms]
        classes, number = _canonical(raw, owners, self._terms, self.symbols)
        found = {}
        for name in relations:
            rows = [row.inputs for row in functions[name].rows] if name in functions else []
            found[name] = sorted(
                {tuple([number[v] for v in row]) for row in rows if all(v in number for v in row)}
            )
        return classes, found

    def _rows(self, name: str, rows: Iterable[Any]) -> list[_Row]:
        head = self.symbols.heads.get(name)
        if head is not None and numbered(head) == head:
            number, (op, _, operands, type_) = self._graph.value_to_i64, head
            return [
                ((op, number(n), operands, type_), tuple(args), row.output, None)
                for row in rows
                for *args, n in [row.inputs]
            ]
        if head is not None:
            return [(head, tuple(row.inputs), row.output, None) for row in rows]
        leaves = [(self._leaf(name, row.inputs[0]), row.output) for row in rows]
        return [(head_of(leaf), (), owner, leaf) for leaf, owner in leaves]

    def _loaded(self, functions: Any) -> dict[Term, Any]:
        ids = self._graph.value_to_i64
        return {self._terms[ids(r.inputs[0])]: r.output for r in functions[NODE].rows}

    def _leaf(self, name: str, value: Any) -> Term:
        if name == LEAF:
            return self._leaves[self._graph.value_to_i64(value)]
        kind, _, type_name = name.partition("@")
        type_ = Scalar(type_name)
        if kind == "odd":
            return Term(CONST, (), int(self._graph.value_to_string(value)), type_)
        if type_.is_real:
            return const(self._graph.value_to_f64(value), type_)
        return const(self._graph.value_to_i64(value), type_)


def _constant_row(term: Term) -> tuple[str, str]:
    value = const_value(term)
    if term.type.is_real and is_odd(value):
        return odd_symbol(term.type), str(term.attr)
    text = repr(float(value)) if term.type.is_real else str(int(value))
    return constant_symbol(term.type), text


def _canonical(
    raw: list[_Row],
    owners: list[Any],
    terms: list[Term],
    symbols: Symbols,
) -> tuple[Classes, dict[Any, int]]:
    """Number the classes: loaded terms first, then by the smallest node over numbered ones."""
    number: dict[Any, int] = {}
    for owner in owners:
        number.setdefault(owner, len(number))
    waiting: dict[Any, list[int]] = {}
    missing = []
    ready: list[tuple[Any, Any]] = []

    def key(i: int) -> tuple[Any, ...]:
        head, args, _, leaf = raw[i]
        if leaf is not None:
            return (0, leaf.op, leaf.type.value, str(leaf.attr))
        return (1, symbols.of(head), *(number[a] for a in args), number_in(head))

    for i, (_, args, owner, _) in enumerate(raw):
        unknown = {a for a in args if a not in number}
        missing.append(len(unknown))
        for a in unknown:
            waiting.setdefault(a, []).append(i)
        if not unknown and owner not in number:
            ready.append((key(i), owner))
    while ready:
        found = []
        for _, owner in sorted(ready, key=lambda pair: pair[0]):
            if owner not in number:
                number[owner] = len(number)
                found.append(owner)
        ready = []
        for owner in found:
            for i in waiting.get(owner, ()):
                missing[i] -= 1
                if missing[i] == 0 and raw[i][2] not in number:
                    ready.append((key(i), raw[i][2]))
    nodes = [
        Node(head, tuple([number[a] for a in args]), number[owner], leaf)
        for head, args, owner, leaf in raw
        if owner in number and all(a in number for a in args)
    ]
    nodes.sort(key=lambda n: _node_key(n, symbols))
    loaded = {t: number[o] for t, o in zip(terms, owners, strict=True)}
    return Classes(nodes, len(number), loaded), number


def _node_key(node: Node, symbols: Symbols) -> tuple[Any, ...]:
    if node.leaf is not None:
        return (node.owner, 0, node.leaf.type.value, str(node.leaf.attr), ())
    return (node.owner, 1, symbols.of(node.head), "", node.args, number_in(node.head))


def build(
    nodes: Mapping[int, Node],
    root: int,
    built: dict[int, Term],
    leaves: Mapping[Term, Term] | None = None,
) -> Term:
    """The term of a class under a choice of one e-node per class; `built` remembers all.

    `leaves` may put other terms in the place of leaves.
    """
    opened: set[int] = set()
    stack = [root]
    while stack:
        owner = stack[-1]
        if owner in built:
            stack.pop()
            continue
        node = nodes[owner]
        if node.leaf is not None:
            built[owner] = leaves.get(node.leaf, node.leaf) if leaves else node.leaf
        elif owner in opened or all(a in built for a in node.args):
            op, attr, _, type_ = node.head
            built[owner] = Term(op, tuple([built[a] for a in node.args]), attr, type_)
        else:
            opened.add(owner)
            for arg in reversed([a for a in node.args if a not in built]):
                if arg in opened:
                    raise ExtractError("the choice of e-nodes has a cycle: a fault of egad")
                stack.append(arg)
    return built[root]
