"""Fingerprints at points where square roots are numbers whose squares are what is below the root.

    d*d == x*x + y*y    for    d = hypot(x, y)

Half of all residues are squares, so the point is one of several: that where all are. A root has two
values there, and nothing says which one is positive. That does not matter where what is below it is
no square itself, of values and other roots (sqrt(x*x) is x or -x): then all that is true of one
root is true of the other. It is none if at some point it is no square, though all others are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from ...terms.term import Term, toposort
from ..fingerprints import SMALL, Fingerprints

_ROOTS = {"sqrt": "sqrt", "rsqrt": "sqrt", "hypot": "hypot"}
_MOST = 8  # roots that are looked at
_POINTS = 32  # half of them are left with each root that is taken
_FEWEST = 2  # points that tell squares from others
_SPARE = 16  # times so many points as are expected to be tried


def rooted(terms: Sequence[Term], prime: int) -> Fingerprints:
    """Fingerprints of terms that know the first few roots, of which none is made of the others.

    >>> from ...terms.term import var
    >>> from ...terms.types import Scalar
    >>> x, y = var("x", Scalar.F64), var("y", Scalar.F64)
    >>> def op(name, *args): return Term(name, args, None, Scalar.F64)
    >>> d = op("hypot", x, y)
    >>> square, total = op("mul", d, d), op("add", op("mul", x, x), op("mul", y, y))
    >>> prints = rooted(toposort([square, total]), SMALL)
    >>> prints[square] == prints[total]
    True
    """
    roots, point = _at(terms, prime)
    found = Fingerprints((), prime, point)
    if not all([_is_given(root, found) for root in roots]):
        return Fingerprints(terms, prime)
    found.add(terms)
    return found


def with_roots(
    terms: Sequence[Term], prime: int, make: Callable[[int], Fingerprints]
) -> Fingerprints:
    """Fingerprints of another kind, made for that point, with the roots that are there."""
    roots, point = _at(terms, prime)
    found = make(point)
    for root in roots:
        _is_given(root, found)
    found.add(terms)
    return found


def _at(terms: Sequence[Term], prime: int) -> tuple[tuple[Term, ...], int]:
    """The first roots that are no values of others, and a point where all are numbers."""
    roots = _independent(tuple(_roots(terms)))
    return roots, _point(roots, prime) if roots else 0


def _roots(terms: Sequence[Term]) -> Iterator[Term]:
    """The first roots, those inside of others before these, each once, however it is spelled."""
    seen: dict[object, None] = {}
    for term in terms:
        if term.op in _ROOTS and term.type.is_real and len(seen) < _MOST:
            key = _ROOTS[term.op], term.args, term.type
            if key not in seen:
                seen[key] = None
                yield term


@lru_cache(maxsize=64)
def _independent(roots: tuple[Term, ...]) -> tuple[Term, ...]:
    """The first roots of what is no square of values and roots before."""
    points = [Fingerprints((), SMALL, point) for point in range(1, _POINTS + 1)]
    found: list[Term] = []
    for root in roots:
        if len(points) < _FEWEST:
            break
        left = [prints for prints in points if _is_given(root, prints)]
        if 0 < len(left) < len(points):
            points = left
            found.append(root)
    return tuple(found)


@lru_cache(maxsize=64)
def _point(roots: tuple[Term, ...], prime: int) -> int:
    """The first point where what is below all roots is a square; else one like any other."""
    for point in range(1, _SPARE << len(roots)):
        prints = Fingerprints((), prime, point)
        if all(_is_given(root, prints) for root in roots):
            return point
    return 0


def _is_given(root: Term, prints: Fingerprints) -> bool:
    """Whether what is below a root is a square (Euler's criterion); the root is known then."""
    prints.add(toposort(root.args))
    args, prime = [prints[a] for a in root.args], prints.prime
    n = (args[0] if len(args) == 1 else args[0] ** 2 + args[1] ** 2) % prime
    value = pow(n, (prime + 1) // 4, prime)
    is_square = value != 0 and value * value % prime == n
    if is_square:
        prints.give(_ROOTS[root.op], root, value)
    return is_square
