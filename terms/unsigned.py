"""Integers without a sign, by operations on integers that have one: their 32 bits are the same.

While a function is read, a term of one of three types stands for such a number. UINT is what was
asked for (`egad.uint`, `numpy.uint32`) and counts modulo 2**32. WIDE and LOOSE are integers of
Python: WIDE is known to be in 0 .. 2**32 - 1 (`h & 0xFFFFFFFF`), of LOOSE only the low 32 bits are
known, so nothing may ask for more; but a constant beyond 32 bits knows itself, and is a real beside
reals. Takes operators and terms, gives terms over bits; `lowered`
makes all bits plain integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .bits import (
    COUNT,
    LARGEST,
    difference,
    divided,
    equal,
    masked,
    moved,
    shifted,
    signed,
    turned,
    where,
)
from .errors import Span, TraceError, Unknown
from .term import CAST, CONST, SELECT, Term, const, const_value, toposort
from .types import Scalar

#: Applies an operator to integers with a sign.
Plain = Callable[[str, Sequence[Term]], Term]

_UINT, _WIDE, _LOOSE, _I32 = Scalar.UINT, Scalar.WIDE, Scalar.LOOSE, Scalar.I32
_BOOL = Scalar.BOOL
#: Whose low 32 bits follow from those of the operands.
_MODULAR = frozenset(
    {"add", "sub", "mul", "neg", "bit_and", "bit_or", "bit_xor", "bit_not", "shl", "shift_left"}
)
_COMPARE = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})
_ORDERED = _COMPARE | {"min", "max"}
_DIVIDING = frozenset({"floor_div", "quotient", "shift_right", "shr"})
_SMALL = frozenset({"bit_and", "bit_or", "bit_xor", "shr", "add", SELECT})
_DEPTH = 6  # how far is looked for what keeps an integer small
#: What leaves an integer that is not negative as it is.
_UNCHANGED = frozenset({"abs", "round", "floor", "ceil", "trunc"})
_HINT = "keep its low 32 bits first: (…) & 0xFFFFFFFF"


def bits(term: Term) -> Term:
    """The low 32 bits of an integer or a truth value, as an integer with a sign."""
    if term.type is _I32:
        return term
    if term.op == CONST:
        return const(signed(int(const_value(term))), _I32)
    if term.op == CAST and term.args[0].type is _I32:
        return term.args[0]
    return Term(CAST, (term,), None, _I32)


def typed(term: Term, type_: Scalar) -> Term:
    """The number without a sign that has these bits."""
    if term.op == CONST:
        return const(int(const_value(term)) % COUNT, type_)
    return Term(CAST, (bits(term),), None, type_)


def meeting(terms: Sequence[Term]) -> Scalar | None:
    """The type in which integers meet; None where all have a sign."""
    kinds = {t.type for t in terms}
    if _UINT in kinds:
        return _UINT
    if _LOOSE in kinds:
        return _LOOSE
    if _WIDE in kinds:
        return _WIDE if all(limit(t) is not None for t in terms) else _LOOSE
    return None


def limit(term: Term) -> int | None:
    """The largest value of an integer that is not negative; None where it may be.

    >>> limit(const(7, Scalar.I32)), limit(const(-7, Scalar.I32)), limit(const(7, Scalar.LOOSE))
    (7, None, None)
    """
    if term.type is Scalar.BOOL:
        return 1
    if term.type is _LOOSE or term.type.is_real:
        return None
    if term.op == CONST:
        value = int(const_value(term))
        return value if value >= 0 else None
    found = _largest(bits(term), _DEPTH)
    return found if found is not None else COUNT - 1 if term.type.is_unsigned else None


def has_sign(term: Term) -> bool:
    """Whether an integer without a sign is the same as one with it, whatever its bits."""
    most = limit(term)
    return most is not None and most <= LARGEST


def _largest(term: Term, depth: int) -> int | None:
    """The largest value of an integer with a sign that operations near it keep from being less
    than 0."""
    if term.op == CONST:
        value = int(const_value(term))
        return value if value >= 0 else None
    if term.op == CAST and term.args[0].type is Scalar.BOOL:
        return 1
    if (term.op == CAST and term.args[0].type.is_unsigned) or not depth:
        return None
    if term.op not in _SMALL:
        return None
    parts = [_largest(a, depth - 1) for a in term.args[term.op == SELECT :]]
    natural = [p for p in parts if p is not None]
    if term.op == "bit_and":
        return min(natural, default=None)
    if len(natural) < len(parts):
        return None
    match term.op:
        case "shr":
            count = term.args[1]
            return natural[0] >> (int(const_value(count)) & 31 if count.op == CONST else 0)
        case "add":
            return sum(natural) if sum(natural) <= LARGEST else None
        case "bit_or" | "bit_xor":
            return (1 << max(natural).bit_length()) - 1
    return max(natural)


def real_of(term: Term, real: Scalar) -> Term:
    """The number as a real: the nearest one.

    Both halves are exact reals, and so is the product; the sum is rounded once.
    """
    known(term, None)
    inner, most = bits(term), limit(term)
    if most is not None and most <= LARGEST:
        return Term(CAST, (inner,), None, real)
    if real is Scalar.F16:  # 2**16 is beyond it
        return Term(CAST, (real_of(term, Scalar.F32),), None, real)
    high = Term(CAST, (shifted(inner, 16),), None, real)
    low = Term(CAST, (masked(inner, 0xFFFF),), None, real)
    return Term("add", (Term("mul", (high, const(65536.0, real)), None, real), low), None, real)


def of_real(term: Term, type_: Scalar) -> Term:
    """A real without its fraction, where it is in -2**31 .. 2**32."""
    half = const(2.0**31, term.type)
    above = Term(CAST, (Term("sub", (term, half), None, term.type),), None, _I32)
    large = Term("bit_xor", (above, const(-(2**31), _I32)), None, _I32)
    condition = Term("ge", (term, half), None, Scalar.BOOL)
    return typed(where(condition, large, Term(CAST, (term,), None, _I32)), type_)


def index_of(term: Term, at: Span | None) -> Term:
    """The number as an index: with a sign, and too large where it is beyond 31 bits."""
    known(term, at)
    inner, most = bits(term), limit(term)
    if most is not None and most <= LARGEST:
        return inner
    beyond = Term("lt", (inner, const(0, _I32)), None, Scalar.BOOL)
    return where(beyond, const(LARGEST, _I32), inner)


def operation(name: str, args: Sequence[Term], plain: Plain, at: Span | None) -> Term | None:
    """The operator at terms of which some have no sign; None where it has nothing to do with that.

    Raises TraceError for what would need more of an integer than its low 32 bits.
    """
    if name == SELECT:
        return None
    if name in _COMPARE:
        args = _as_integers(args)
    if name in _ORDERED and len(args) == 2 and args[0].type.is_real == args[1].type.is_real:
        found = _beside_beyond(name, args[0], args[1])
        if found is not None:
            return found
    real = any(t.type.is_real for t in args)
    if name in _MODULAR and not real:
        if name in ("shl", "shift_left") and beyond(args[1]) is not None:
            known(args[1], at)
        return _modular(name, args, plain)
    if name in ("floor_mod", "fmod") and not real:
        return _remainder(args[0], args[1], plain, at)
    for term in args:
        if name in _DIVIDING or beyond(term) is None:  # as a real, it is what it is
            known(term, at)
    if real:
        return None
    if name in ("shift_right", "shr"):
        return _to_the_right(args[0], args[1], plain)
    if name in ("floor_div", "quotient"):
        return _quotient(args[0], args[1], at)
    if name in _COMPARE:
        return _compared(name, args[0], args[1])
    if name in ("min", "max"):
        return _extreme(name, args[0], args[1])
    if name == "clamp":
        return _either("min", _either("max", args[0], args[1]), args[2])
    if name in _UNCHANGED:
        return args[0]
    if name == "sign":
        zero, one = const(0, _I32), const(1, _I32)
        return where(equal(bits(args[0]), zero), zero, one)
    return None


def beyond(term: Term) -> int | None:
    """The value of a constant that has more than 32 bits; None of any other term.

    >>> beyond(const(2**40, Scalar.LOOSE)), beyond(const(2**31, Scalar.WIDE))
    (1099511627776, None)
    """
    if term.op != CONST or term.type is not _LOOSE:
        return None
    value = int(const_value(term))
    return None if 0 <= value < COUNT else value


def _beside_beyond(name: str, a: Term, b: Term) -> Term | None:
    """A comparison with a constant beyond 32 bits, or the smaller or larger one: all known."""
    x, y = beyond(a), beyond(b)
    other = b if x is not None else a
    if (x is None) == (y is None) or other.type is _LOOSE:
        return None
    less = x < 0 if x is not None else y is not None and y > 0
    if name in ("min", "max"):
        return a if less == (name == "min") else b
    return const(name == "ne" if name in ("eq", "ne") else less == (name in ("lt", "le")), _BOOL)


def known(term: Term, at: Span | None) -> None:
    """Raise TraceError for an integer of which only the low 32 bits are known.

    Unknown, where trips that are written out may tell what it is.
    """
    number = beyond(term)
    if number is not None:
        raise TraceError(
            f"{number} has more than the 32 bits of an integer",
            at,
            f"{_HINT}; or write it as a real: float(…)",
        )
    if term.type is _LOOSE:
        within = next((n for t in toposort([term]) if (n := beyond(t)) is not None), None)
        if within is not None:
            raise Unknown(
                f"this integer may be negative or beyond 32 bits: it is made of {within}",
                at,
                f"{_HINT}; or write it as a real: float(…)",
            )
        raise Unknown(
            "this integer may be negative or beyond 32 bits: what it is then is not known here",
            at,
            f"{_HINT}; or compute with egad.uint, which wraps",
        )


def _as_integers(args: Sequence[Term]) -> list[Term]:
    """Real constants without a fraction as integers: nothing is rounded when they are compared."""
    found = []
    for t in args:
        value = const_value(t) if t.op == CONST else 0.5
        plain = t.type.is_real and 0 <= value < COUNT and float(value).is_integer()
        found.append(const(int(value), _WIDE) if plain else t)
    return found


def _modular(name: str, args: Sequence[Term], plain: Plain) -> Term:
    result = plain(name, [bits(t) for t in args])
    if any(t.type is _UINT for t in args):
        return typed(result, _UINT)
    most = [limit(t) for t in args]
    natural = [m for m in most if m is not None]
    if name == "bit_and" and natural:
        return result if min(natural) <= LARGEST else typed(result, _WIDE)
    exact = name in ("bit_or", "bit_xor") and len(natural) == len(args)
    return typed(result, _WIDE if exact else _LOOSE)


def _to_the_right(a: Term, n: Term, plain: Plain) -> Term:
    """a >> n, zeros behind it."""
    type_ = _UINT if _UINT in (a.type, n.type) else a.type
    if type_ is _I32:
        return plain("shift_right", [a, bits(n)])
    value, places = bits(a), bits(n)
    most = limit(n)
    if places.op != CONST:
        # The bits that come from the right of 2**32 are cleared: 2 << 31 - n is 2**(32 - n).
        inside = places if most is not None and most <= 31 else masked(places, 31)
        kept = moved("shl", const(2, _I32), difference(const(31, _I32), inside))
        mask = difference(kept, const(1, _I32))
        found = Term("bit_and", (moved("shr", value, inside), mask), None, _I32)
        if inside is not places:  # by a negative count, or a larger one, nothing is left
            small = Term("eq", (inside, places), None, Scalar.BOOL)
            found = where(small, found, const(0, _I32))
        return typed(found, type_)
    count = int(const_value(places))
    if not 0 <= count <= 31:
        return const(0, type_)
    found = shifted(value, count)
    return found if count and type_ is _WIDE else typed(found, type_)


def _remainder(a: Term, b: Term, plain: Plain, at: Span | None) -> Term:
    """a % b as Python has it."""
    by = _divisor(b)
    if by and by & (by - 1) == 0:  # the low bits, also of what is negative or larger
        low = masked(bits(a), by - 1)
        return typed(low, _UINT) if _UINT in (a.type, b.type) else low
    _natural(a, b, at)
    known(b, at)
    rest = divided(bits(a), bits(b), by)[1]
    if _UINT in (a.type, b.type):
        return typed(rest, _UINT)
    if by:
        return rest if by <= LARGEST + 1 else typed(rest, _WIDE)
    if b.type is not _I32:
        return typed(rest, _WIDE)
    # The remainder has the sign of b, whatever b is.
    zero = const(0, _I32)
    other = divided(bits(a), plain("neg", [b]), None)[1]
    other = where(equal(other, zero), zero, plain("add", [other, b]))
    return where(Term("lt", (b, zero), None, Scalar.BOOL), other, rest)


def _quotient(a: Term, b: Term, at: Span | None) -> Term:
    """a // b; of what is no UINT, b has to be known, or not negative."""
    by = _divisor(b)
    type_ = _UINT if _UINT in (a.type, b.type) else _WIDE
    _natural(a, b, at)
    if type_ is _WIDE and not by and limit(b) is None:
        raise TraceError(
            "the divisor of an integer beyond 31 bits may be negative here",
            at,
            "divide by a constant, by n & 0x7FFFFFFF, or compute with egad.uint",
        )
    if by == 1:
        return typed(bits(a), type_)
    found = divided(bits(a), bits(b), by)[0]
    return found if by and type_ is _WIDE else typed(found, type_)


def _divisor(b: Term) -> int | None:
    """The divisor where it is known and positive."""
    if b.op != CONST:
        return None
    value = int(const_value(b))
    return value if value > 0 else value % COUNT if b.type is _UINT else None


def _natural(a: Term, b: Term, at: Span | None) -> None:
    """What is divided must not be negative, but where a UINT makes it one."""
    known(a, at)
    if _UINT not in (a.type, b.type) and limit(a) is None:
        raise TraceError(
            "an integer that may be negative is divided by one beyond 31 bits",
            at,
            _HINT,
        )


def _compared(name: str, a: Term, b: Term) -> Term:
    """A comparison of the numbers as they are: one with a sign may be negative."""
    if name in ("gt", "ge"):
        name, a, b = {"gt": "lt", "ge": "le"}[name], b, a
    x, y = bits(a), bits(b)
    if name in ("eq", "ne"):
        found = Term(name, (x, y), None, Scalar.BOOL)
    else:
        found = Term(name, (turned(x), turned(y)), None, Scalar.BOOL)
    for term, holds in ((a, name in ("lt", "le", "ne")), (b, name == "ne")):
        if term.type is _I32 and limit(term) is None:
            negative = Term("lt", (term, const(0, _I32)), None, Scalar.BOOL)
            found = Term(SELECT, (negative, const(holds, Scalar.BOOL), found), None, Scalar.BOOL)
    return found


def _extreme(name: str, a: Term, b: Term) -> Term:
    """min or max; beside a UINT, both are UINTs."""
    if _UINT in (a.type, b.type):
        a, b = (typed(bits(t), _UINT) for t in (a, b))
    return _either(name, a, b)


def _either(name: str, a: Term, b: Term) -> Term:
    less = _compared("lt", a, b)
    first, second = (a, b) if name == "min" else (b, a)
    found = where(less, bits(first), bits(second))
    if _UINT in (a.type, b.type):
        return typed(found, _UINT)
    small = [t for t in (a, b) if (limit(t) or COUNT) <= LARGEST or t.type is _I32]
    return found if len(small) == 2 or (small and name == "min") else typed(found, _WIDE)
