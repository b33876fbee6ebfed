"""Takes terms over integers without a sign, gives the same over their bits: plain integers.

What is done once a function has been read: no later stage knows of such numbers but as what
parameters and results are in memory. The body of every loop is changed alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .bits import signed
from .errors import Span, TraceError
from .loop import LOOP, TABLE, Loop, held, scalar_types, table_of
from .program import Program, Slot
from .term import CAST, CONST, Term, const, const_value, rebuild, toposort
from .types import Arr, Mat, Memory, Scalar, ScalarType, Tup, Type, Vec, leaf_types
from .unsigned import typed
from .value import Value


def in_memory(type_: Type, what: str = "", at: Span | None = None) -> Type:
    """The type under which values of a type are parameters and results.

    Raises TraceError for an integer of which only the low 32 bits are known.
    """
    match type_:
        case Vec(elem=elem):
            return replace(type_, elem=_stored(elem, what, at))
        case Mat(elem=elem):
            return replace(type_, elem=_stored(elem, what, at))
        case Arr(item=item):
            return replace(type_, item=in_memory(item, what, at))
        case Tup(items=items):
            return replace(type_, items=tuple([in_memory(t, what, at) for t in items]))
        case Memory():
            return type_
    return _stored(type_, what, at)


def _stored(elem: Scalar, what: str, at: Span | None) -> Scalar:
    if elem is Scalar.LOOSE:
        raise TraceError(
            f"{what} may be negative or beyond 32 bits",
            at,
            "keep its low 32 bits: (…) & 0xFFFFFFFF; or compute with egad.uint, which wraps",
        )
    return Scalar.U32 if elem.is_unsigned else elem


def read_as(type_: Type) -> Type:
    """The type with which a function computes what lies in memory as `type_`."""
    match type_:
        case Scalar.U32:
            return Scalar.UINT
        case Vec(elem=Scalar.U32) | Mat(elem=Scalar.U32):
            return replace(type_, elem=Scalar.UINT)
        case Arr(item=item):
            return replace(type_, item=read_as(item))
        case Tup(items=items):
            return replace(type_, items=tuple([read_as(t) for t in items]))
    return type_


def parameter(slot: Slot) -> Value:
    """A parameter as a function computes with it, from what lies in memory."""
    stored = replace(slot, type=in_memory(slot.type)).leaves()
    kinds = leaf_types(slot.type)
    leaves = [typed(t, k) if k.is_unsigned else t for t, k in zip(stored, kinds, strict=True)]
    return Value(slot.type, tuple(leaves))


def lowered(roots: Sequence[Term]) -> dict[Term, Term]:
    """Every term below `roots` as it is over bits; empty where all integers have a sign."""
    if not any(type_.is_unsigned for type_ in scalar_types(roots)):
        return {}
    done: dict[Term, Term] = {}
    for term in toposort(roots):
        done[term] = _lowered(term, tuple([done[a] for a in term.args]))
    return done


def _lowered(term: Term, args: tuple[Term, ...]) -> Term:
    type_ = _bits(term.type)
    if term.op == CONST and type_ is not term.type:
        return const(signed(int(const_value(term))), Scalar.I32)
    if term.op == TABLE and type_ is not term.type:
        return table_of([const(signed(int(number)), Scalar.I32) for number in held(term)])
    if term.op == CAST and type_ is Scalar.I32 and args[0].type is Scalar.I32:
        return args[0]
    if term.op == LOOP:
        loop: Loop = term.attr
        return Term(LOOP, args, replace(loop, body=_body(loop.body)), type_)
    return rebuild(term, args) if type_ is term.type else Term(term.op, args, term.attr, type_)


def _bits(type_: ScalarType) -> ScalarType:
    if isinstance(type_, Memory):
        return Memory(Scalar.I32, type_.size) if type_.elem.is_unsigned else type_
    return Scalar.I32 if type_.is_unsigned else type_


def _body(body: Program) -> Program:
    done = lowered([*body.flat, *body.leaves()])
    if not done:
        return body
    notes = {done[t]: note for t, note in body.notes.items() if t in done}
    params, results = map(_slots, (body.params, body.results))
    changed = replace(body, params=params, results=results, notes=notes)
    return changed.with_flat([done[t] for t in body.flat])


def _slots(slots: Sequence[Slot]) -> tuple[Slot, ...]:
    """The bound variables of a loop: each is a number or a memory."""
    types = [s.type for s in slots]
    kinds = [_bits(t) if isinstance(t, Scalar | Memory) else t for t in types]
    return tuple([replace(s, type=k) for s, k in zip(slots, kinds, strict=True)])
