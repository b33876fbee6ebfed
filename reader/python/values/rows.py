"""The rows of matrices: `m[i]` is a vector that the matrix holds, as a list holds its elements.

    r = m[1]; r.x = 5.0    =>    m[1].x is 5.0, for all who hold the matrix

A matrix has its rows, the same vectors whenever they are read. Where rows change, the matrix is
one of the new rows. Knows nothing of syntax and of variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....terms.types import Mat, Scalar
from ....terms.value import Value, cast, stack
from .blends import Blend, Changes, Where, atoms, blended, changed_with, parts, simple


def is_matrix(value: Any) -> bool:
    """Whether a value is a matrix, whose rows are vectors that others may hold."""
    return isinstance(value, Value) and isinstance(value.type, Mat)


@dataclass(slots=True)
class Rows:
    """The rows of the matrices of a program, by the ids of the matrices."""

    known: dict[int, tuple[Value, tuple[Value, ...]]] = field(default_factory=dict)
    #: Matrices that are elements of long lists (see lent.py), by the ids of their rows.
    lent: dict[int, list[Value]] = field(default_factory=dict)
    columns: dict[int, Value] = field(default_factory=dict)  # by their ids

    def of(self, matrix: Value) -> tuple[Value, ...]:
        """The rows: of one matrix or another, each is a row of the one or of the other."""
        if id(matrix) not in self.known:
            for part in parts([matrix], self.known):
                self.give(part, self._blended(part) if isinstance(part, Blend) else part.items())
        return self.known[id(matrix)][1]

    def give(self, matrix: Value, rows: Sequence[Value]) -> None:
        """A matrix has these rows, which others may hold."""
        self.known[id(matrix)] = matrix, tuple(rows)

    def keep(self, matrix: Value, rows: Sequence[Value]) -> None:
        """Give a matrix those of the rows whose numbers it has, where nobody has read it yet."""
        if id(matrix) not in self.known and not isinstance(matrix, Blend):
            pairs = zip(rows, matrix.items(), strict=True)
            self.give(matrix, [old if same_numbers(old, own) else own for old, own in pairs])

    def vectors(self, values: Iterable[Value]) -> list[Value]:
        """The vectors among values, and the rows of the matrices among them."""
        return [part for v in values for part in (self.of(v) if is_matrix(v) else (v,))]

    def parts(self, value: Value) -> list[Value]:
        """A vector, or the rows of a matrix, and the vectors that each of them may be."""
        return [part for v in self.vectors([value]) for part in (v, *simple(v))]

    def atoms(self, value: Value) -> dict[int, Where]:
        """The vectors that a vector, or a row of a matrix, may be, and what holds where it is."""
        found: dict[int, Where] = {}
        for vector in self.vectors([value]):
            for atom, where in atoms(vector).items():
                found[atom] = found.get(atom, where) & where
        return found

    def changed(
        self, old: Value, new: Value, live: Iterable[Value], real: Scalar, anew: bool = False
    ) -> Changes:
        """What vectors and matrices in use become where `old` becomes `new`: by their ids.

        A row that keeps its numbers stays the vector that it is, unless all of `new` is `anew`.
        """
        pairs, live = [(old, new)], list(live)
        if is_matrix(old) and is_matrix(new):
            if not anew:
                self.keep(new, self.of(old))
            both = zip(self.of(old), self.of(new), strict=True)
            pairs = [(a, b) for a, b in both if a is not b]
        after = changed_with(pairs, self.vectors(live), real)
        if is_matrix(old) and not isinstance(old, Blend):
            after[id(old)] = old, new
        matrices = [v for v in (*live, old) if is_matrix(v)]
        for part in parts(matrices, {id(new): new}):
            if isinstance(part, Blend) or part is not old:
                self._put(part, after)
        if isinstance(old, Blend) and is_matrix(old):
            after[id(new)] = new, after.setdefault(id(old), (old, new))[1]
        return after

    def _put(self, matrix: Value, after: Changes) -> None:
        """Note what a matrix becomes, where rows of it, or what it is one of, have changed."""
        own = [after.get(id(row), (row, row))[1] for row in self.of(matrix)]
        kept = all(a is b for a, b in zip(own, self.of(matrix), strict=True))
        whole = matrix if kept else _of_rows(own, matrix)
        if isinstance(matrix, Blend):
            sides = [after.get(id(v), (v, v))[1] for v in (matrix.then, matrix.other)]
            if not kept or sides[0] is not matrix.then or sides[1] is not matrix.other:
                whole = Blend(whole.type, whole.leaves, matrix.condition, *sides)
        if whole is not matrix:
            self.give(whole, own)
            after[id(matrix)] = matrix, whole

    def _blended(self, whole: Blend) -> list[Value]:
        sides = (self.known[id(side)][1] for side in (whole.then, whole.other))
        rows = zip(whole.items(), *sides, strict=True)
        return [a if a is b else blended(row, whole.condition, a, b) for row, a, b in rows]


def same_numbers(one: Value, other: Value) -> bool:
    """Whether vectors are of one type, and each component is the same term."""
    leaves = zip(one.leaves, other.leaves, strict=True)
    return one.type == other.type and all(a is b for a, b in leaves)


def _of_rows(rows: Sequence[Value], old: Value) -> Value:
    """The matrix of these rows, in the place of another one: of one width, the widest."""
    assert isinstance(old.type, Mat)
    elem, leaves = old.type.elem, [t for row in rows for t in row.leaves]
    if not elem.is_real and any(t.type.is_real for t in leaves):
        whole = stack(rows)
        assert whole is not None
        return whole
    return Value(old.type, tuple(cast(t, elem) for t in leaves))
