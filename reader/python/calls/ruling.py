"""The rules of a function as programs: custom derivatives and substitutes.

Takes a rule, the arguments and the program of its function, gives the program that stands in a
`Call`; see there for its layout. Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

from ....rules.registry import Mark
from ....terms.apply import select_leaves
from ....terms.errors import Span, TraceError
from ....terms.program import Program, Slot, grouped, renamed
from ....terms.term import Term
from ....terms.types import Arr, Tup, tags_in
from ...marks import DifferentialPair
from ...structs import class_of
from ..operations.records import Invoke
from ..values.fitting import fitted
from ..values.objects import Instance, Listed, is_optional, is_tuple
from ..values.packing import packed, packed_as, unpacked, zeros
from ..values.scope import Function, Session
from ..values.values import describe, is_number, number
from .agreed import agreed, with_tags
from .programs import Argument, Built, build, filled, no_finals, typed


def _place(mark: Mark, program: Program) -> Span:
    place = mark.at or program.at
    assert place is not None
    return place


def _rule_name(mark: Mark) -> str:
    return str(getattr(mark.rule, "__name__", "the rule"))


def _check_takes(
    session: Session, mark: Mark, name: str, names: Sequence[str], what: str, at: Span
) -> None:
    """Whether a rule can be called as rules of its kind are. Raises TraceError if it cannot."""
    function = _readable(session, mark.rule)
    if function is None or function.only_declared or any(p.star for p in function.params):
        return
    own = [p.name for p in function.params if not p.keyword_only]
    needed = [p.name for p in function.params if p.name not in function.defaults]
    if len(needed) <= len(names) <= len(own) and set(needed) <= set(own):
        return
    rule = _rule_name(mark)
    many = "1 parameter" if len(own) == 1 else f"{len(own)} parameters"
    raise TraceError(
        f"{function.signature()} has {many}, but as a rule of {name} it gets {len(names)}",
        at,
        f"write it as {rule}({', '.join(names)}): {what}",
    )


def forward_rule(
    session: Session,
    name: str,
    mark: Mark | None,
    arguments: Sequence[Argument],
    body: Built,
    invoke: Invoke,
) -> Program | None:
    """Pairs to pairs, as the program of values and tangents; None where there is no rule."""
    if mark is None:
        return None
    place = _place(mark, body.program)
    slots = list(body.program.params)
    active = [a for a in typed(arguments) if a.carries]
    tangents = renamed([s for s in slots if s.diff], "d_{}", slots)
    rule = _rule_name(mark)
    wanted = _wanted(session, mark, arguments, 0)
    what = "a pair for every parameter that has a derivative"
    _check_takes(session, mark, name, [a.name for a in wanted], what, place)
    written = {s.name for s in _finals(body) if s.diff}

    def run(values: list[Any]) -> Any:
        # The tangents of arrays that rules add to come last: nothing depends on them.
        here = [leaf for s in slots if s.diff for leaf in s.leaves()]
        given = with_tags(tangents, here, values[len(slots) :])
        twins = dict(zip((a.name for a in active), given, strict=False))
        args = {}
        for a, v in zip(arguments, filled(arguments, values), strict=True):
            if a.type is not None and not a.starts and a.name in written:
                v, twins[a.name] = zeros(a.type), zeros(a.type)
            args[a.name] = DifferentialPair(v, twins[a.name]) if a.name in twins else v
        passed = {a.name: args[a.name] for a in wanted}
        given, ends = _ended(session, mark, passed, body, invoke, place)
        return _split_pairs(session, rule, name, _with_ends(given, ends, body), body, place)

    built = build(session, rule, [*slots, *tangents], run, place)
    return _closed(built, rule, place)


def _wanted(
    session: Session, mark: Mark, arguments: Sequence[Argument], more: int
) -> list[Argument]:
    """The arguments that a rule takes, beside `more` others: it need not name Out parameters."""
    starting = [a for a in arguments if a.starts]
    few = _takes(session, mark.rule) == more + len(starting)
    return starting if few else list(arguments)


def _finals(body: Built) -> Sequence[Slot]:
    """The results that are final values of parameters."""
    return body.program.results[len(body.program.results) - body.finals :]


def _ended(
    session: Session,
    mark: Mark,
    passed: Mapping[str, Any],
    body: Built,
    invoke: Invoke,
    at: Span,
) -> tuple[Any, list[Any]]:
    """What a rule returns, and what it has made of the parameters whose final values count.

    A struct or a list is changed in place; what the rule itself annotates InOut[…] or Out[…] is
    what it is at the end of the rule. Empty where the rule has changed none of them.
    """
    names = [slot.name for slot in _finals(body) if slot.name in passed]
    starts = {n: packed(passed[n], session.real, at) for n in names}
    session.finals = no_finals()
    given = invoke(mark.rule, list(passed.values()), {}, at)
    function = _readable(session, mark.rule)
    own = [p.name for p in function.params] if function is not None else list(passed)
    said = dict(zip(own, passed, strict=False))
    ends = dict(passed) | {said[f.name]: f.value for f in session.finals if f.name in said}
    session.finals = no_finals()
    if len(names) < body.finals or not any(
        packed(ends[n], session.real, at) != starts[n] for n in names
    ):
        return given, []
    return given, [ends[n] for n in names]


def _with_ends(given: Any, ends: Sequence[Any], body: Built) -> Any:
    """What a rule gives for all results: what it returns, then what it has changed in place.

    A rule may return the final values of parameters, too.
    """
    items = () if given is None else given if is_tuple(given) else (given,)
    if not ends or len(items) + len(ends) != len(body.program.results):
        return given
    return (*items, *ends) if len(items) + len(ends) > 1 else ends[0]


def _or_in_place(body: Built) -> str:
    """The other way in which a forward rule may give the final value of a parameter."""
    if not body.finals:
        return ""
    name = _finals(body)[0].name
    return f"; or it changes {name}.p and {name}.d in place"


def _counted(results: Sequence[Slot]) -> str:
    return "1 result" if len(results) == 1 else f"{len(results)} results"


def _split_pairs(
    session: Session, rule: str, name: str, given: Any, body: Built, at: Span
) -> tuple[Any, ...]:
    """What a forward rule returns, as (results, then tangents)."""
    results = body.program.results
    items = (given,) if body.shape.single else given
    if not isinstance(items, tuple) or len(items) != len(results):
        raise TraceError(
            f"{rule} returns {describe(given)}, but {name} has {_counted(results)}",
            at,
            "a forward rule returns one pair per result of the function, as a tuple"
            f"{_or_in_place(body)}",
        )
    values, tangents = [], []
    for slot, item in zip(results, items, strict=True):
        if not slot.diff:
            values.append(fitted(item, slot.type, session.real, at, f"a result of {rule}"))
            continue
        if not isinstance(item, DifferentialPair):
            raise TraceError(
                f"{rule} returns {describe(item)} where a pair is needed",
                at,
                f"a forward rule returns diff_pair(value, tangent){_or_in_place(body)}",
            )
        what = f"of the pair that {rule} returns"
        values.append(fitted(item.p, slot.type, session.real, at, f"the value {what}"))
        tangent = fitted(item.d, slot.type, session.real, at, f"the tangent {what}")
        own = f"the tangent {what}", "its value"
        tangents.append(agreed(session, slot.type, values[-1], tangent, *own, at))
    return (*values, *tangents)


def backward_rule(
    session: Session,
    name: str,
    mark: Mark | None,
    arguments: Sequence[Argument],
    body: Built,
    arrays: Mapping[str, Slot],
    invoke: Invoke,
) -> Program | None:
    """Values and cotangents to cotangents, and what is added to arrays; None without a rule."""
    if mark is None:
        return None
    place = _place(mark, body.program)
    slots = list(body.program.params)
    outputs = [s for s in body.program.results if s.diff]
    bars = renamed(outputs, "{}_bar", slots)
    rule = _rule_name(mark)

    wanted = _wanted(session, mark, arguments, len(bars))
    names = [*(a.name for a in wanted), *(s.name for s in bars)]
    what = "the parameters, then a cotangent for every result that has one"
    _check_takes(session, mark, name, names, what, place)

    def run(values: list[Any]) -> Any:
        pairs = zip(arguments, filled(arguments, values), strict=True)
        given_bars = with_tags(bars, _results_at(body.program, outputs), values[len(slots) :])
        args = [*(v for a, v in pairs if a in wanted), *given_bars]
        added = {array: zeros(slot.type) for array, slot in arrays.items()}
        before, session.totals = session.totals, added
        try:
            given = invoke(mark.rule, args, {}, place)
        finally:
            session.totals = before
        session.finals = no_finals()
        ends = zip(outputs, given_bars, strict=True)
        after = {s.name: bar for s, bar in ends if s in _finals(body)}
        held = dict(zip((a.name for a in wanted), args, strict=False))
        gradients = _split_gradients(session, rule, name, given, wanted, held, after, place)
        totals = [packed_as(added[n], s.type, session.real, place) for n, s in arrays.items()]
        return (*gradients, *totals)

    built = build(session, rule, [*slots, *bars], run, place)
    return _closed(built, rule, place)


def _results_at(program: Program, outputs: Sequence[Slot]) -> list[Term]:
    """The components of some of the results, where one of them is of several structs."""
    if not any(tag for slot in outputs for tag in tags_in(slot.type)):
        return []
    found = program.inline(program.leaves())
    groups = zip(program.results, grouped(program.results, found), strict=True)
    return [leaf for slot, group in groups if slot in outputs for leaf in group]


def _readable(session: Session, rule: Any) -> Function | None:
    function = session.function(rule) if isinstance(rule, FunctionType) else rule
    return function if isinstance(function, Function) else None


def _takes(session: Session, rule: Any) -> int:
    """How many arguments a rule can be called with; 0 where that is not known."""
    function = _readable(session, rule)
    return 0 if function is None else len(function.params)


def _split_gradients(
    session: Session,
    rule: str,
    name: str,
    given: Any,
    arguments: Sequence[Argument],
    held: Mapping[str, Any],
    after: Mapping[str, Any],
    at: Span,
) -> tuple[Any, ...]:
    """What a backward rule returns, as one cotangent per differentiable parameter.

    `held`: the values of the parameters; `after`: the cotangents of the parameters that the
    function changes, at its end.
    """
    if given is None and not any(a.carries for a in arguments):
        return ()
    alone = len(arguments) == 1 and (
        not isinstance(given, tuple) or isinstance(given, DifferentialPair)
    )
    array = len(arguments) == 1 and isinstance(arguments[0].type, Arr)
    several = isinstance(given, Listed) and not array
    items = tuple(given.items) if several else (given,) if alone else given
    if not isinstance(items, tuple) or len(items) != len(arguments):
        names = ", ".join(a.name for a in arguments)
        many = "1 parameter" if len(arguments) == 1 else f"{len(arguments)} parameters"
        raise TraceError(
            f"{rule} returns {describe(given)}, but {name} has {many} ({names})",
            at,
            "a backward rule returns a tuple with one cotangent per parameter; None where "
            "a parameter has no derivative",
        )
    gradients = []
    for argument, item in zip(arguments, items, strict=True):
        if not argument.carries:
            if item is None or (is_number(item) and number(item) == 0):
                continue
            raise TraceError(
                f"{rule} returns a cotangent for {argument.name!r}, which has no derivative",
                at,
                f"return None in the place of {argument.name!r}",
            )
        assert argument.type is not None
        what = f"the cotangent of {argument.name!r} that {rule} returns"
        fits = _fitted_or_zero(session, item, argument, after, what, at)
        here = held[argument.name]
        gradients.append(agreed(session, argument.type, here, fits, what, "the argument", at))
    return tuple(gradients)


def _fitted_or_zero(
    session: Session, item: Any, argument: Argument, after: Mapping[str, Any], what: str, at: Span
) -> Any:
    """A cotangent of the type of its parameter; None is zero, also where a condition says so."""
    assert argument.type is not None
    type_, real = argument.type, session.real
    if is_optional(item):
        ends = [_of_heir(item.then, argument, after), 0.0]
        there, zero = (packed_as(fitted(v, type_, real, at, what), type_, real, at) for v in ends)
        both = select_leaves(item.condition, there, zero, real)
        assert both is not None
        return unpacked(both)
    value = 0.0 if item is None else _of_heir(item, argument, after)
    return fitted(value, type_, real, at, what)


def _of_heir(value: Any, argument: Argument, after: Mapping[str, Any]) -> Any:
    """The cotangent of a struct, where a base class has the rule: it leaves other fields alone."""
    type_ = argument.type
    cls = class_of(type_.struct) if isinstance(type_, Tup) and not type_.union else None
    if type_ is None or cls is None or not isinstance(value, Instance) or value.cls is cls:
        return value
    if not issubclass(cls, value.cls):
        return value
    whole = after[argument.name] if argument.name in after else zeros(type_)
    own = dict(zip(value.names, value.items, strict=True))
    return whole.like([own.get(n, rest) for n, rest in zip(whole.names, whole.items, strict=True)])


def substitute(
    session: Session,
    name: str,
    mark: Mark | None,
    arguments: Sequence[Argument],
    body: Built,
    invoke: Invoke,
) -> Program | None:
    """The program that stands in for the function in derivatives; None where there is none."""
    if mark is None:
        return None
    place = _place(mark, body.program)
    slots = list(body.program.params)
    rule = _rule_name(mark)
    what = f"the parameters of {name}"
    _check_takes(session, mark, name, [a.name for a in arguments], what, place)

    def run(values: list[Any]) -> Any:
        own = zip(arguments, filled(arguments, values), strict=True)
        passed = {a.name: v for a, v in own}
        given, ends = _ended(session, mark, passed, body, invoke, place)
        given = _with_ends(given, ends, body)
        items = (given,) if body.shape.single else given
        results = body.program.results
        if not isinstance(items, tuple) or len(items) != len(results):
            raise TraceError(f"{rule} returns {describe(given)}, unlike {name}", place)
        return tuple(
            fitted(v, s.type, session.real, place, f"a result of {rule}, as of {name},")
            for v, s in zip(items, results, strict=True)
        )

    return _closed(build(session, rule, slots, run, place), rule, place)


def _closed(built: Built, rule: str, at: Span) -> Program:
    if built.captured:
        raise TraceError(
            f"{rule} uses {built.captured[0].attr!r} of the function around it",
            at,
            "define the rule at the level of the module",
        )
    return built.program
