"""The e-graph of a program.

Takes terms and rule texts, gives plain tables of e-nodes and reports of what fired; knows
nothing of derivatives or costs. Programs enter as tables, one per operator, never as one
command per node: 90,000 nodes load in two seconds instead of minutes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...terms.loop import LOOP
from ...terms.term import CONST, VAR, Term, const, const_value, toposort
from ...terms.types import Scalar
from .classes import Classes, Row, canonical
from .encode import (
    LEAF,
    NODE,
    SORT,
    Head,
    constant_symbol,
    head_of,
    is_odd,
    numbered,
    odd_symbol,
    payload_sort,
)
from .engine import Engine
from .graph import finite


@dataclass(frozen=True, slots=True)
class Fired:
    """What one run of a rule set did."""

    matches: dict[str, int]
    changed: bool


class _Ids(dict[Any, int]):
    """Numbers for the engine's values, whose own hashes and comparisons are slow."""

    def __missing__(self, value: Any) -> int:
        self[value] = number = len(self)
        return number


class Graph:
    """One e-graph, filled with the terms below `roots`.

    With an `engine`, its rules are there from the start, and when the graph closes it is as it was.
    `equal` holds pairs of a term below the roots and another one, which are to be equal.
    """

    def __init__(
        self,
        roots: Iterable[Term],
        *,
        engine: Engine | None = None,
        equal: Sequence[tuple[Term, Term]] = (),
    ) -> None:
        self._engine, self._lent = engine or Engine(), engine is not None
        self.symbols = self._engine.symbols.copy() if self._lent else self._engine.symbols
        if self._lent:
            self._engine.run(["(push)"])
        self._leaves: list[Term] = []
        self._folds: dict[tuple[Head, tuple[str, ...]], str] = {}  # tables of constant folding
        self._load(toposort([*roots, *(new for _, new in equal)]))
        if equal:
            self._equate(equal)

    def close(self) -> None:
        """Give the engine back as it was, or remove its tables on disk."""
        if self._lent:
            self._engine.run(["(pop)"])
        else:
            self._engine.close()

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None or not self._lent:  # after an error nobody uses a lent engine again
            self.close()

    def send(self, lines: Sequence[str]) -> list[Any]:
        """Run egglog commands, new declarations first."""
        return self._engine.run([*self.symbols.declarations().split("\n"), *lines])

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

    def _load(self, terms: list[Term]) -> None:
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
            elif term.op == LOOP:
                wide.append((i, term))
            else:
                head = head_of(term)
                shared = numbered(head)
                number = [] if shared is None else [str(term.attr)]
                row = "\t".join([str(i), *(str(index[a]) for a in term.args), *number])
                tables.setdefault(shared or head, []).append(row)
        lines = ["(ruleset load)"]
        for k, (key, rows) in enumerate(tables.items()):
            Path(self._engine.folder, f"t{k}.tsv").write_text("\n".join(rows) + "\n")
            lines += self._load_rule(k, key)
        for i, term in wide:
            args = " ".join([f"({NODE} {index[a]})" for a in term.args])
            lines.append(f"(union ({NODE} {i}) ({self.symbols.of(head_of(term))} {args}))")
        self.send([*lines, "(run-schedule (run load))"])

    def _load_rule(self, k: int, key: Head | str) -> list[str]:
        """A table, and the rule that turns its rows into nodes.

        A row names its arguments by their own rows, `(node 7)`, whether these are nodes by then
        or not. So one run is enough, however deep the program is.
        """
        if isinstance(key, str):
            kind = payload_sort(key)
            columns, premises, node = [kind], [f"(t{k} i a0)"], f"({key} a0)"
        else:
            columns = ["i64"] * len(key[2])
            rows = [f"a{j}" for j in range(len(columns))]
            premises = [f"(t{k} i {' '.join(rows)})"]
            args = [f"({NODE} {a})" for a in rows]
            if numbered(key) == key:
                columns.append("i64")
                premises = [f"(t{k} i {' '.join(rows)} n)"]
                args.append("n")
            node = f"({self.symbols.of(key)} {' '.join(args)})"
        return [
            f"(relation t{k} (i64 {' '.join(columns)}))",
            f'(input t{k} "t{k}.tsv")',
            f"(rule ({' '.join(premises)}) ((union ({NODE} i) {node}))"
            f' :ruleset load :name "load {k}")',
        ]

    def _equate(self, pairs: Sequence[tuple[Term, Term]]) -> None:
        """Make terms that were loaded equal, pair by pair."""
        index = {term: i for i, term in enumerate(self._terms)}
        rows = [f"{index[a]}\t{index[b]}" for a, b in pairs]
        Path(self._engine.folder, "equal.tsv").write_text("\n".join(rows) + "\n")
        premises = f"(equal i j) (= a ({NODE} i)) (= b ({NODE} j))"
        lines = ["(relation equal (i64 i64))", '(input equal "equal.tsv")', "(ruleset equate)"]
        lines.append(f'(rule ({premises}) ((union a b)) :ruleset equate :name "other groups")')
        self.send([*lines, "(run-schedule (run equate))"])

    def mark(self, relation: str, marked: Collection[Term]) -> None:
        """A relation holds for the classes of terms that were loaded."""
        rows = [str(i) for i, term in enumerate(self._terms) if term in marked]
        table = f"{relation}_rows"
        Path(self._engine.folder, f"{table}.tsv").write_text("\n".join(rows) + "\n")
        lines = [f"(relation {table} (i64))", f'(input {table} "{table}.tsv")']
        lines.append(f"(ruleset mark_{relation})")
        premises = f"({table} i) (= e ({NODE} i))"
        options = f':ruleset mark_{relation} :name "mark {relation}"'
        lines.append(f"(rule ({premises}) (({relation} e)) {options})")
        self.send([*lines, f"(run-schedule (run mark_{relation}))"])

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
            Path(self._engine.folder, f"{name}.tsv").write_text("\n".join(rows) + "\n")
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
        functions = self._engine.graph.freeze().functions
        constants: dict[Any, Term] = {}
        for name, function in functions.items():
            if name.startswith(("const@", "odd@")):
                for row in function.rows:
                    constants[row.output] = self._leaf(name, row.inputs[0])
        found = []
        for name, head in self.symbols.heads.items():
            if name in functions:
                for row in functions[name].rows:
                    args = row.inputs
                    if not args or args[0] not in constants or row.subsumed:
                        continue  # most: rows are many, and those over constants few
                    if all(a in constants for a in args):
                        found.append((head, tuple([constants[a] for a in args])))
        return sorted(found, key=lambda node: (self.symbols.names[node[0]], *map(repr, node[1])))

    def read(self, *, whole: bool = True) -> Classes:
        """Every e-node that can still be chosen, in an order that no hash decides.

        With `whole=False` also where nothing is left to choose from.
        """
        functions = self._engine.graph.freeze().functions
        ids = _Ids()
        raw: list[Row] = []
        subsumed: list[Row] = []
        for name, function in functions.items():
            if function.output_sort != SORT or name == NODE:
                continue
            raw += self._rows(name, [row for row in function.rows if not row.subsumed], ids)
            subsumed += self._rows(name, [row for row in function.rows if row.subsumed], ids)
        if subsumed and whole:
            # Directed rules may subsume each other's results: abs(-y) >> abs(y) also matches
            # abs(y) where y = -(-y). What a class cannot do without comes back.
            known = finite((args, owner) for _, _, args, owner, _ in raw)
            raw += [row for row in subsumed if row[3] not in known]
        loaded = self._loaded(functions, ids)
        owners = [loaded[t] for t in self._terms]
        return canonical(raw, owners, self._terms)[0]

    def read_all(
        self, relations: Sequence[str]
    ) -> tuple[Classes, dict[str, list[tuple[int, ...]]]]:
        """Every e-node, those that are not to be chosen included, and the rows of relations."""
        functions = self._engine.graph.freeze().functions
        ids = _Ids()
        raw: list[Row] = []
        for name, function in functions.items():
            if function.output_sort == SORT and name != NODE:
                raw += self._rows(name, function.rows, ids)
        loaded = self._loaded(functions, ids)
        owners = [loaded[t] for t in self._terms]
        classes, number = canonical(raw, owners, self._terms)
        found = {}
        for name in relations:
            rows = functions[name].rows if name in functions else []
            named = [[number.get(ids[v]) for v in row.inputs] for row in rows]
            found[name] = sorted(
                {tuple([v for v in row if v is not None]) for row in named if None not in row}
            )
        return classes, found

    def _rows(self, name: str, rows: Iterable[Any], ids: _Ids) -> list[Row]:
        head = self.symbols.heads.get(name)
        if head is not None and numbered(head) == head:
            op, _, operands, type_ = head
            found: list[Row] = []
            for row in rows:
                *args, last = row.inputs
                number = self._engine.graph.value_to_i64(last)
                own = (op, number, operands, type_)
                found.append(
                    (f"{name} {number}", own, tuple([ids[a] for a in args]), ids[row.output], None)
                )
            return found
        if head is not None:
            find = ids.__getitem__
            return [
                (name, head, tuple(map(find, row.inputs)), find(row.output), None) for row in rows
            ]
        leaves = [(self._leaf(name, row.inputs[0]), ids[row.output]) for row in rows]
        return [(name, head_of(leaf), (), owner, leaf) for leaf, owner in leaves]

    def _loaded(self, functions: Any, ids: _Ids) -> dict[Term, int]:
        number = self._engine.graph.value_to_i64
        return {self._terms[number(r.inputs[0])]: ids[r.output] for r in functions[NODE].rows}

    def _leaf(self, name: str, value: Any) -> Term:
        if name == LEAF:
            return self._leaves[self._engine.graph.value_to_i64(value)]
        kind, _, type_name = name.partition("@")
        type_ = Scalar(type_name)
        if kind == "odd":
            return Term(CONST, (), int(self._engine.graph.value_to_string(value)), type_)
        if type_.is_real:
            return const(self._engine.graph.value_to_f64(value), type_)
        return const(self._engine.graph.value_to_i64(value), type_)


def _constant_row(term: Term) -> tuple[str, str]:
    value = const_value(term)
    if term.type.is_real and is_odd(value):
        return odd_symbol(term.type), str(term.attr)
    text = repr(float(value)) if term.type.is_real else str(int(value))
    return constant_symbol(term.type), text
