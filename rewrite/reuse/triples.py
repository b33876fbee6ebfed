"""Triples: a value as two operators on three others that are there anyway.

    a*(u + x)*k + b*(v + y)*k    as    k*(p + q),    where p = a*u + b*v, q = a*x + b*y are there

Resubstitution, one step further. The sums, differences and products of all pairs of values are a
table, modulo a small prime; what is missing from a third value to the one that is wanted is looked
up in it. So it takes the square of the number of values in time and memory, not its third power.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...terms.term import CONST, Term, const
from ...terms.types import Scalar
from ..fingerprints import SMALL
from .known import CONSTANTS, Known
from .resubstitution import Pairs

_MOST = 600  # terms: time and memory are their number squared
_EACH = 2  # ways that one value is offered in
_TRIED = 256  # pairs for one value: where there are more, many values are multiples of one
_BITS = 30  # of a key
_SPARSE = 16  # a table is so many times as large as what is in it; up to so many bits of a key,
_LEAST, _LARGEST = 12, 20  # since the time of a larger one is waiting for memory

#: An operator, and its operands by number.
_Pair = tuple[str, int, int]


def in_two_steps(known: Known) -> Pairs:
    """Pairs of a value and two operators that equal it, which are cheaper than what they replace.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> a, b, x, y = [var(name, Scalar.F64) for name in "abxy"]
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> p, q = op("mul", a, x), op("mul", b, x)
    >>> value = op("sub", op("mul", a, op("mul", x, y)), op("mul", op("mul", y, x), b))
    >>> known = Known([p, q, value], lambda term: float(bool(term.args)))
    >>> [(_, new)] = in_two_steps(known)
    >>> new == op("mul", y, op("sub", p, q))
    True
    """
    if len(known.terms) > _MOST:
        return
    saved = known.saved(3)
    for kind in dict.fromkeys(t.type for t in saved if isinstance(t.type, Scalar)):
        values = _Values(known, kind)
        found = {t: 0 for t in saved if t.type is kind and known.prints[t]}
        for term, new, inner in values.found(list(found)):
            is_new = inner not in known.place  # or one operator would do
            is_worth = found[term] < _EACH and known.paid(new) < saved[term]
            if is_new and is_worth and known.is_so(term, new):
                found[term] += 1
                yield term, new


class _Missing(NamedTuple):
    """wanted = `op` of a third value and what has this residue; by row and column."""

    op: str
    row: int
    column: int
    residue: int

    @property
    def key(self) -> int:
        """The same for the negative of what is missing."""
        return min(self.residue, SMALL - self.residue)


class _Values:
    """The values of one type, each once but for its sign, and what their pairs are."""

    def __init__(self, known: Known, kind: Scalar) -> None:
        self.known, self.prints, self.residues = known, known.prints, known.residues
        own = [t for t in known.terms if t.type is kind and self.residues[t]]
        distinct: dict[int, Term] = {}
        for term in known.ranked([*own, *(const(value, kind) for value in CONSTANTS)]):
            distinct.setdefault(min(self.residues[term], SMALL - self.residues[term]), term)
        self.terms = list(distinct.values())
        small = [self.residues[t] for t in self.terms]
        self.small = np.array(small, np.int64)
        self.inverse = np.array([pow(r, -1, SMALL) for r in small], np.int64)
        self.first, self.second = np.triu_indices(len(small))
        one, other = self.small[self.first], self.small[self.second]
        self.pairs: Mapping[str, Any] = {
            "add": _keys(one + other),
            "sub": _keys(one + (SMALL - other)),
            "mul": _keys(one * other),
        }
        keys = np.concatenate(list(self.pairs.values())).astype(np.int32)  # in half the time
        self.once = _Table(keys)
        # Two values have a difference, which is missing from one to the other: a key that comes
        # once may say no more than that.
        self.twice = _Table(_repeated(keys))
        self.alone = {0, *_keys(self.small).tolist()}

    def found(self, wanted: Sequence[Term]) -> Iterator[tuple[Term, Term, Term]]:
        """Values, what they equal, and the inner operator of that."""
        allowed = self._allowed(wanted)
        missing = list(self._missing(wanted, allowed))
        there = self._there({one.key for one in missing})
        tried = [0] * len(wanted)
        for one in missing:
            for pair in there.get(one.key, ()):
                if tried[one.row] == _TRIED:
                    break
                if allowed[one.row, pair[1]] and allowed[one.row, pair[2]]:
                    tried[one.row] += 1
                    made = self._made(wanted[one.row], one, pair)
                    if made is not None:
                        yield wanted[one.row], *made

    def _allowed(self, wanted: Sequence[Term]) -> Any:
        """For each of `wanted`, by rows, what it may be made of: nothing above it, nor its own,
        nor what is no number where it is one.
        """
        known = self.known
        size = (len(known.terms) + 7) // 8
        bits = b"".join([known.below.get(v, 0).to_bytes(size, "little") for v in self.terms])
        below = np.frombuffer(bits, np.uint8).reshape(len(self.terms), size)
        places = [known.place[t] for t in wanted]
        allowed = np.unpackbits(below, axis=1, bitorder="little")[:, places].T == 0
        column = {value: i for i, value in enumerate(self.terms)}
        poles: dict[frozenset[int], list[int]] = {}
        for value, i in column.items():
            poles.setdefault(known.poles[value], []).append(i)
        for row, term in enumerate(wanted):
            allowed[row, [column[t] for t in known.alone[term] if t in column]] = False
            for there, columns in poles.items():
                if not there <= known.poles[term]:
                    allowed[row, columns] = False
        return allowed

    def _missing(self, wanted: Sequence[Term], allowed: Any) -> Iterator[_Missing]:
        """What is missing to the values from all others, where pairs may be that, but no value."""
        here = np.array([self.residues[t] for t in wanted], np.int64)[:, None]
        for op, table, residues in (
            ("mul", self.once, here * self.inverse % SMALL),
            ("add", self.twice, (here + (SMALL - self.small)) % SMALL),
            ("sub", self.twice, (here + self.small) % SMALL),
        ):
            rows, columns = table.where(_keys(residues), allowed)
            found = residues[rows, columns].tolist()
            for row, column, residue in zip(rows.tolist(), columns.tolist(), found, strict=True):
                one = _Missing(op, row, column, residue)
                if one.key not in self.alone:
                    yield one

    def _there(self, keys: set[int]) -> dict[int, list[_Pair]]:
        """The pairs that have these keys, in the order of the program."""
        table = _Table(np.array(sorted(keys), np.int64))
        found: dict[int, list[_Pair]] = {}
        for op, each in self.pairs.items():
            (places,) = table.where(each)
            for i, key in zip(places.tolist(), each[places].tolist(), strict=True):
                if key in keys:
                    found.setdefault(key, []).append((op, int(self.first[i]), int(self.second[i])))
        return found

    def _made(self, term: Term, one: _Missing, pair: _Pair) -> tuple[Term, Term] | None:
        """The value over three others, and what is inside; None where only residues agree."""
        inside, a, b = pair[0], self.terms[pair[1]], self.terms[pair[2]]
        outer = self.terms[one.column]
        if a.op == b.op == CONST or (outer.op == CONST and CONST in (a.op, b.op)):
            return None
        pairwise = _operated(inside, self.prints[a], self.prints[b])
        for sign in (1, -1):
            value = _operated(one.op, sign * pairwise, self.prints[outer])
            if (value - self.prints[term]) % self.prints.prime == 0:
                return _written(one.op, outer, inside, a, b, sign)
        return None


def _operated(op: str, a: int, b: int) -> int:
    return a * b if op == "mul" else a + b if op == "add" else a - b


def _written(op: str, outer: Term, inside: str, a: Term, b: Term, sign: int) -> tuple[Term, Term]:
    """`op` of sign * inside(a, b) and `outer`, with its inner operator; signs go where they can."""

    def made(name: str, *args: Term) -> Term:
        return Term(name, args, None, outer.type)

    if inside == "sub" and sign < 0:
        a, b, sign = b, a, 1
    inner = made(inside, a, b)
    if op == "add":
        return made("add" if sign > 0 else "sub", outer, inner), inner
    if sign > 0:
        return (made("sub", inner, outer) if op == "sub" else made("mul", outer, inner)), inner
    return made("neg", made("add" if op == "sub" else "mul", outer, inner)), inner


class _Table:
    """A set of keys of 30 bits, which says for certain only what is not in it."""

    def __init__(self, keys: Any) -> None:
        bits = _bits(keys)
        self.mask, self.shift = 2**bits - 1, _BITS - bits
        self.low, self.high = np.zeros(2**bits, bool), np.zeros(2**bits, bool)
        self.low[keys & self.mask] = True
        self.high[keys >> self.shift] = True

    def where(self, keys: Any, allowed: Any = True) -> tuple[Any, ...]:
        """The places of the keys that may be in it, by axis; most are not by their low bits."""
        places = np.nonzero(allowed & self.low[keys & self.mask])
        left = self.high[keys[places] >> self.shift]
        return tuple([axis[left] for axis in places])


def _bits(keys: Any) -> int:
    """How many bits of a key tell apart what is in a table of so many."""
    return min(max((_SPARSE * len(keys)).bit_length(), _LEAST), _LARGEST)


def _repeated(keys: Any) -> Any:
    """The keys that are there twice: only those are sorted that have low bits of others."""
    bits = _bits(keys)
    low, order = keys & (2**bits - 1), np.arange(len(keys), dtype=np.int32)
    last, shared = np.empty(2**bits, np.int32), np.zeros(2**bits, bool)
    last[low] = order  # where several are put in one place, the last one stays
    shared[low[last[low] != order]] = True
    some = np.sort(keys[shared[low]])
    return some[1:][some[1:] == some[:-1]]


def _keys(residues: Any) -> Any:
    """The smaller of a residue and that of the negative."""
    residues = residues % SMALL
    return np.minimum(residues, SMALL - residues)
