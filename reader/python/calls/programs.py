"""Programs out of functions: parameters become variables, what the function gives the results.

Takes typed parameters and a Python callable over values, gives a Program and the shape of
what the callable gave; knows nothing of syntax.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import MethodType
from typing import Any

from ....terms.errors import Span, TraceError
from ....terms.lowering import in_memory, lowered, parameter
from ....terms.program import Program, Slot, Watch
from ....terms.term import VAR, Term, toposort
from ....terms.types import Type, is_differentiable
from ....terms.value import Value
from ...marks import Derivative, DifferentialPair
from ...source import is_of_python
from ..values.packing import packed, packed_as, unpacked
from ..values.scope import Final, Function, Session
from ..values.values import describe


@dataclass(frozen=True, slots=True)
class Shape:
    """How the results of a program make up the value of the function.

    `single`: one result is the value itself; otherwise the value is a tuple, and `present`
    says which of its items are results (the others are None).
    """

    single: bool
    present: tuple[bool, ...]

    def fill(self, values: Sequence[Any]) -> Any:
        """The function's value, from one value per result."""
        if self.single:
            return values[0]
        rest = iter(values)
        return tuple(next(rest) if here else None for here in self.present)


@dataclass(frozen=True, slots=True)
class Built:
    """A program, the shape of its value, and the variables it uses from around it.

    `changed` names the parameters whose fields or elements it changes; the last `finals`
    results are the final values of parameters annotated InOut[…] or Out[…].
    """

    program: Program
    shape: Shape
    captured: tuple[Term, ...] = ()
    changed: tuple[str, ...] = ()
    finals: int = 0


def no_finals() -> tuple[Final, ...]:
    """What a function without parameters that are results leaves behind."""
    return ()


def build(
    session: Session,
    name: str,
    params: Sequence[Slot],
    run: Callable[[list[Any]], Any],
    at: Span | None,
    names: Sequence[str] = (),
    *,
    fresh: bool = False,
) -> Built:
    """The program of `run`, called with the parameters as symbolic values.

    `names` name the results, `out` or `out0`, `out1`, … by default. A function defined
    inside another may use variables of that one: they become parameters, after the others
    (`fresh` keeps the names of all these apart).
    """
    slots = [_renamed(p, session.taken) for p in params] if fresh else list(params)
    session.taken.extend(s.name for s in slots)
    try:
        with session.apart() as inner:
            values = [unpacked(parameter(s)) for s in slots]
            starts = [
                packed_as(v, s.type, session.real, at) for s, v in zip(slots, values, strict=True)
            ]
            session.finals = no_finals()
            value = run(values)
            given = _with_finals(value, session.finals)
            finals = [f.name for f in session.finals]
            stopped = {f.name for f in session.finals if f.stops}
            arguments = zip(params, starts, values, strict=True)
            changed = [s.name for s, a, v in arguments if _has_changed(session, s, a, v, at)]
            notes, trouble = inner.notes, inner.trouble.items[0]
    finally:
        del session.taken[len(session.taken) - len(slots) :]
    single = not isinstance(given, tuple) or isinstance(given, DifferentialPair)
    items = (given,) if single else given
    present = tuple(item is not None for item in items)
    returned = len(items) - len(finals)
    names = names if len(names) == returned else ["out"] if returned == 1 else _numbered(returned)
    slot_names = [*_distinct(names, finals), *finals]
    results, roots = [], []
    for i, item in enumerate(items):
        if item is None and not single:
            continue
        value = _result(session, name, item, at, changed)
        diff = is_differentiable(value.type) and not (i >= returned and slot_names[i] in stopped)
        what = f"the result of {name}"
        results.append(Slot(slot_names[i], in_memory(value.type, what, at), diff))
        roots.append(value.leaves)
    terms = toposort(t for group in roots for t in group)
    params = tuple([replace(s, type=in_memory(s.type, f"argument {s.name!r}", at)) for s in slots])
    captured = _captured(terms, params)
    live = set(terms)
    kinds = [in_memory(v.type, str(v.attr), at) for v in captured]
    lifted = [Slot(str(v.attr), k, v.type.is_real) for v, k in zip(captured, kinds, strict=True)]
    watched = [trouble.term] if isinstance(trouble, Value) else []
    done = lowered([*terms, *watched])
    notes = {done.get(t, t): note for t, note in notes.items() if t in live}
    roots = [tuple([done.get(t, t) for t in group]) for group in roots]
    watch = Watch(done.get(watched[0], watched[0]), tuple(session.checks)) if watched else None
    params = (*params, *lifted)
    program = Program(identifier(name), params, tuple(results), tuple(roots), notes, at, watch)
    return Built(program, Shape(single, present), captured, tuple(changed), len(finals))


def _has_changed(session: Session, slot: Slot, start: Value, value: Any, at: Span | None) -> bool:
    """Whether an argument is not what it was: it is, where it cannot be read any more.

    What is changed in a no_diff parameter is changed in a copy of the argument.
    """
    try:
        return packed_as(value, slot.type, session.real, at) != start
    except TraceError:
        return True


def _with_finals(value: Any, finals: Sequence[Final]) -> Any:
    """What a function returns, with the final values of its InOut and Out parameters."""
    if not finals:
        return value
    ends = tuple(final.value for final in finals)
    if value is None:
        return ends if len(ends) > 1 else ends[0]
    if isinstance(value, tuple) and not isinstance(value, DifferentialPair):
        return (*value, *ends)
    return (value, *ends)


def identifier(name: str) -> str:
    """A C and Python identifier for the name of a function.

    >>> identifier("fwd_diff(g)"), identifier("<lambda>")
    ('fwd_diff_g', 'f')
    """
    plain = re.sub(r"\W+", "_", name).strip("_")
    return "f" if not plain.isidentifier() or keyword.iskeyword(plain) else plain


def _distinct(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Names of what is returned that parameters with final values do not have."""
    used, found = {*taken}, []
    for name in names:
        while name in used:
            name += "_"
        used.add(name)
        found.append(name)
    return found


def _numbered(count: int) -> list[str]:
    return [f"out{i}" for i in range(count)]


def _result(
    session: Session, name: str, item: Any, at: Span | None, changed: Sequence[str]
) -> Value:
    if item is None and changed:
        raise TraceError(
            f"{name} returns nothing: it changes its parameter {changed[0]!r}",
            at,
            f"annotate it: {changed[0]}: InOut[…]; then its final value is a result",
        )
    if item is None:
        raise TraceError(f"{name} returns nothing", at, "end it with a return statement")
    try:
        return packed(item, session.real, at)
    except TraceError as error:
        raise TraceError(
            f"{name} returns {describe(item)}", at, "return numbers, vectors, matrices or tuples"
        ) from error


def _renamed(slot: Slot, taken: Sequence[str]) -> Slot:
    name = slot.name
    while name in taken:
        name += "_"
    return Slot(name, slot.type, slot.diff)


def _captured(terms: Sequence[Term], slots: Sequence[Slot]) -> tuple[Term, ...]:
    own = {leaf for slot in slots for leaf in slot.leaves()}
    return tuple(t for t in terms if t.op == VAR and t not in own)


def is_library(function: Any) -> bool:
    """Whether egad has written a function, in the place of one of Python or NumPy."""
    return str(getattr(function, "__module__", "")).startswith(__name__.partition("python.")[0])


def on_the_way(session: Session, error: TraceError, function: Function, at: Span) -> TraceError:
    """The error in a function that is called at a place: one of egad's, or one that comes with
    Python, is where that is."""
    if is_of_python(function.source.file):
        hint = error.hint if error.hint.startswith(_INSTEAD) else _INSTEAD
        return explained(type(error)(error.message, at, hint), f"in {function.name}, at {error.at}")
    if not is_library(function.origin):
        return explained(error, f"in {function.name}, called at {at}")
    caller = session.frames[-2].function if len(session.frames) > 1 else function
    moved = type(error)(error.message, at, error.hint)
    if is_library(caller.origin) or function.name.startswith("__"):
        return moved
    return explained(moved, f"in {function.name.strip('_')}")


_INSTEAD = "use a function of your own instead, or make what this makes outside of the kernel"


def explained(error: TraceError, trail: str) -> TraceError:
    """The error with one more line that says on which way it was met."""
    if error.hint.endswith(trail):  # a function that calls itself
        return error
    hint = f"{error.hint}\n  {trail}" if error.hint else trail
    return type(error)(error.message, error.at, hint)


def may_capture(callee: Any, statics: Sequence[Any] = ()) -> bool:
    """Whether a function can use variables of a function around it."""
    while isinstance(callee, Derivative):
        callee = callee.target
    if isinstance(callee, MethodType):  # what its object holds are variables of the caller
        return True
    if isinstance(callee, Function) and callee.enclosing is not None:
        return True
    return any(may_capture(s) for s in statics if isinstance(s, Function | Derivative))


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of a called function with its value; the type is None where it is static."""

    name: str
    type: Type | None
    value: Any
    stops: bool = False  # annotated no_diff[…]
    annotated: bool = False  # the type is the function's word, not that of the value
    starts: bool = True  # its value at the start counts: not annotated Out[…]

    @property
    def carries(self) -> bool:
        """Whether a derivative can pass to the argument."""
        return self.type is not None and is_differentiable(self.type) and not self.stops

    def slot(self) -> Slot:
        """The parameter of a program for this argument."""
        assert self.type is not None
        return Slot(self.name, self.type, self.carries)


def filled(arguments: Sequence[Argument], values: Sequence[Any]) -> list[Any]:
    """All arguments in order: the static ones, and `values` for the others."""
    rest = iter(values)
    return [a.value if a.type is None else next(rest) for a in arguments]


def typed(arguments: Sequence[Argument]) -> list[Argument]:
    """The arguments that are not static."""
    return [a for a in arguments if a.type is not None]
