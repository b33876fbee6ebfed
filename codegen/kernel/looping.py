"""Takes a `loop` term, gives the lines of its `for`; knows nothing of what is around it.

    float s = first;
    for (int k = 0; k < trips; ++k) {
        if (!go) break;
        ...
        s = next;
    }

The state variables live outside the loop, so that what follows reads the final state from
them. A memory is an array that every trip writes in place: it is the same array from the
first trip to the last, and beyond. So is a number that a trip does no more with than to hand
it to a loop inside, and to take it from there. A memory that a loop only reads stays what it
is: who writes over it in a trip writes over a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...terms.loop import LOOP, MEMORY, SAVE, STORE, TABLE, Loop
from ...terms.program import Program
from ...terms.term import CONST, PROJ, Term, is_const, substitute, toposort, var
from ...terms.types import Memory, Scalar
from ..schedule.schedule import schedule
from .spell import CTYPES, defined, negated, unwrapped
from .wrapping import Spans, trip_spans

if TYPE_CHECKING:
    from .writer import Writer

#: Intel's compiler reorders the additions of a loop when it vectorises it; this keeps the bits.
_IN_ORDER = "#pragma clang loop vectorize(disable)"
#: It crashes (2026.2) where a number that all work-items share comes from a loop inside of one
#: that some of them leave early, and is used after that. For all it knows they do not share this 0.
_NOBODY_KNOWS = "(int)((ulong)get_global_id(0) >> 62)"


@dataclass(frozen=True)
class Names:
    """The identifiers of a loop's counter and state."""

    counter: str
    state: tuple[str, ...]


def declared(writer: Writer, term: Term, *, begun: bool) -> tuple[Names, list[str]]:
    """Names for the loop's counter and state, and the lines that declare them.

    Those of a loop that is `begun` at once have their first values there.
    """
    loop: Loop = term.attr
    counter = writer.names.fresh(str(loop.counter.attr))
    lines = [writer.indented(f"int {counter};")] if writer.counts(term) else []
    state = []
    for j, leaf in enumerate(loop.state):
        first = term.args[1 + j]
        if isinstance(leaf.type, Memory):
            # A loop that is declared before the block that begins it may be before its array.
            made = first in writer.named or (first.op == PROJ and first.args[0] in writer.loops)
            if first.op not in (MEMORY, TABLE) and (begun or made) and writer.alone(first):
                state.append(writer.operand(first))
                continue
            name, text = writer.arrays.declare(str(leaf.attr), leaf.type)
            lines += [writer.indented(text)] if text else []
        elif writer.goes_on(first, Term(PROJ, (term,), 1 + j, leaf.type)):
            name = writer.operand(first)
        else:
            name = writer.names.fresh(str(leaf.attr))
            begins = f" = {_first(writer, term, j)}" if begun else ""
            lines.append(writer.indented(f"{CTYPES[leaf.type]} {name}{begins};"))
        state.append(name)
    return Names(counter, tuple(state)), lines


def loop_lines(writer: Writer, term: Term, names: Names, *, begun: bool) -> list[str]:
    """The lines that run the loop, over variables that are declared."""
    loop: Loop = term.attr
    lines = _begin(writer, term, names, begun)
    counter = names.counter
    head = f"{counter} = 0" if writer.counts(term) else f"int {counter} = 0"
    end = _end(writer, term, lines)
    if not writer.reorder:
        lines.append(_IN_ORDER)
    lines.append(writer.indented(f"for ({head}; {counter} < {end}; ++{counter}) {{"))
    inputs = [writer.operand(a) for a in term.args[1 + loop.carried :]]
    texts = [counter, *names.state, *inputs]
    named = dict(zip(loop.body.leaves(), texts, strict=True))
    lines += _body(writer, loop, names, named, trip_spans(term, writer.spans))
    return [*lines, writer.indented("}")]


def _begin(writer: Writer, term: Term, names: Names, begun: bool) -> list[str]:
    """The first state; that of numbers is there where the loop is `begun`."""
    loop: Loop = term.attr
    lines = []
    for j, (leaf, name) in enumerate(zip(loop.state, names.state, strict=True)):
        first = term.args[1 + j]
        if not isinstance(leaf.type, Memory):
            value = _first(writer, term, j)
            lines += [] if begun or value == name else [writer.indented(f"{name} = {value};")]
        elif first.op == MEMORY:
            if not _written_first(loop, j):
                lines.append(each(writer, leaf.type, name))
        elif (source := writer.operand(first)) != name:
            lines.append(each(writer, leaf.type, name, source))
    return lines


def _first(writer: Writer, term: Term, j: int) -> str:
    """The first value of a number that a loop carries."""
    loop: Loop = term.attr
    first, after = term.args[1 + j], loop.step[j]
    text = unwrapped(writer.operand(first))
    from_inside = after.op == PROJ and after.args[0].op == LOOP
    if (
        first.op == CONST
        and first.type is Scalar.I32
        and from_inside
        and not is_const(loop.go, True)
    ):
        return f"{text} + {_NOBODY_KNOWS}"
    return text


def each(writer: Writer, type_: Memory, name: str, source: str = "") -> str:
    """Every element is copied, or set to zero."""
    e = writer.names.fresh("e")
    value = writer.arrays.place(source, e) if source else "0"
    head = f"for (int {e} = 0; {e} < {type_.size}; ++{e})"
    return writer.indented(f"{head} {writer.arrays.place(name, e)} = {value};")


def exchanged(writer: Writer, type_: Memory, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Several memories are copied at once, element by element: each may be what another was."""
    if len(pairs) == 1:
        return [each(writer, type_, *pairs[0])]
    e = writer.names.fresh("e")
    kept = [writer.names.fresh(f"{name}_next") for name, _ in pairs]
    place = writer.arrays.place
    lines = [f"for (int {e} = 0; {e} < {type_.size}; ++{e}) {{"]
    for new, (_, source) in zip(kept, pairs, strict=True):
        lines.append(f"    const {CTYPES[type_.elem]} {new} = {place(source, e)};")
    lines += [f"    {place(name, e)} = {new};" for new, (name, _) in zip(kept, pairs, strict=True)]
    return [writer.indented(line) for line in [*lines, "}"]]


def block(writer: Writer, type_: Memory, to: tuple[str, str], of: tuple[str, str]) -> str:
    """All elements of a memory are copied; a place counts in its size."""
    size, e = type_.size, writer.names.fresh("e")
    texts = []
    for array, place in (to, of):
        texts.append(writer.arrays.place(array, f"{place} * {size} + {e}" if place else e))
    head = f"for (int {e} = 0; {e} < {size}; ++{e})"
    return writer.indented(f"{head} {texts[0]} = {texts[1]};")


def _written_first(loop: Loop, j: int) -> bool:
    """Whether every trip writes its own place and reads nothing: a tape needs no zeros."""
    after, own = loop.step[j], loop.state[j]
    if (
        after.op not in (STORE, SAVE)
        or after.args[0] is not own
        or after.args[1] is not loop.counter
    ):
        return False
    return sum(own in t.args for t in loop.body.terms()) == 1


def _end(writer: Writer, term: Term, lines: list[str]) -> str:
    """The number of trips as text; a line before the loop where it takes one."""
    loop: Loop = term.attr
    trips = term.args[0]
    text = writer.operand(trips)
    if loop.limit is None or writer.spans.of(trips)[1] <= loop.limit:
        return unwrapped(text)
    if trips.op == CONST:
        return str(loop.limit)
    end = writer.names.fresh("trips")
    lines.append(writer.indented(f"const int {end} = min({unwrapped(text)}, {loop.limit});"))
    return end


def _body(
    writer: Writer, loop: Loop, names: Names, named: dict[Term, str], spans: Spans
) -> list[str]:
    """The statements of one trip: the condition, what follows from the state, the next state."""
    lines: list[str] = []
    roots = [*loop.step]
    common = {loop.counter, *(t for t in loop.inputs if t.type is Scalar.I32)}
    known: dict[Term, Term] = {}
    if not is_const(loop.go, True):
        test = _part(loop.body, [loop.go])
        plan = schedule(test, writer.rules, shared=loop.inputs, fusing=writer.fusing)
        inner = writer.inside(plan, named, loop.body, {}, spans)
        lines += inner.statements(plan.statements)
        lines.append(inner.indented(f"if ({negated(inner.operand(plan.roots[0]))}) break;"))
        inner.note(lines[-1], plan.roots, result=0)
        roots, named, known = _known(roots, inner, plan.roots[0], named)
    rest = _part(loop.body, roots)
    plan = schedule(rest, writer.rules, shared=loop.inputs, common=common, fusing=writer.fusing)
    inner = writer.inside(plan, named, loop.body, known, spans)
    inner.following = dict(zip(loop.state, plan.roots, strict=True))
    lines += inner.statements(plan.statements)
    lines += _assignments(inner, loop, names, plan.roots)
    return lines


def _known(
    roots: list[Term], inner: Writer, go: Term, named: dict[Term, str]
) -> tuple[list[Term], dict[Term, str], dict[Term, Term]]:
    """What the condition has computed outside of any branch is not computed again.

    The other roots over variables for it, the names of these, and what they stand for.
    """
    table: dict[Term, Term] = {}
    named = dict(named)
    for term in toposort([go]):
        if term in inner.named and term not in named and term in inner.top:
            table[term] = var(f"@{len(table)}", term.type)
            named[table[term]] = inner.named[term]
    return substitute(roots, table), named, {new: old for old, new in table.items()}


def _part(body: Program, roots: Sequence[Term]) -> Program:
    """Some results of a body, with its names."""
    slots = tuple(replace(body.results[0], name=f"r{i}", type=r.type) for i, r in enumerate(roots))
    return replace(body, results=slots, roots=tuple((r,) for r in roots))


def _assignments(writer: Writer, loop: Loop, names: Names, roots: Sequence[Term]) -> list[str]:
    """`s = next;`, all at once: a state variable that another one needs is kept first."""
    lines, late, cleared = [], [], []
    copies: dict[Memory, list[tuple[str, str]]] = {}
    own = set(loop.state)
    for j, (leaf, name, after) in enumerate(zip(loop.state, names.state, roots, strict=True)):
        if after.op == MEMORY:  # zeros, at last: what it held may go elsewhere
            cleared.append(each(writer, leaf.type, name))
            continue
        text = unwrapped(writer.operand(after))
        if text == name:
            continue
        if isinstance(leaf.type, Memory):
            copies.setdefault(leaf.type, []).append((name, text))
            continue
        if any(t in own and t is not leaf for t in _read(writer, after)):
            kept = writer.names.fresh(f"{name}_next")
            lines.append(writer.indented(defined(CTYPES[leaf.type], kept, text)))
            text = kept
        late.append(writer.indented(f"{name} = {text};"))
        writer.note(late[-1], [after], result=1 + j)
    for type_, pairs in copies.items():
        late += exchanged(writer, type_, pairs)
    return lines + late + cleared


def _read(writer: Writer, term: Term) -> list[Term]:
    """The terms that an operand's text names."""
    found, stack = [], [term]
    while stack:
        term = stack.pop()
        if term in writer.inline and term.op not in (PROJ, MEMORY, TABLE):
            stack.extend(term.args)
        else:
            found.append(term)
    return found
