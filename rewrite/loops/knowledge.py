"""What the values at the end of a trip say of those at its start.

Knowledge spreads over the body: downwards, where the rules say what an operator's value says of
an argument (`undo.py`), and upwards, where all arguments are known. Under a condition it is
knowledge of that arm; that of both arms is one of the whole.

What a trip begins with is what the one before ended with: a variable that every trip leaves in
some range is in it in all trips but the first, and the first one begins with what the loop does.
So what follows from such a range is knowledge of later trips, and that is enough for a variable.

Takes a loop and what is known, gives what follows from it. Knows no operators.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from ...terms.loop import LOOP, Loop, bound, varying
from ...terms.term import CONST, SELECT, Term, rebuild, substitute, toposort
from ...terms.types import Memory
from ..guards import Guard, guards
from ..undo.undoing import Undoing, Way
from .branches import Branch
from .exchanges import Exchange
from .flags import Flag
from .images import Image
from .lines import Line
from .places import Restored, Written
from .rings import Ring
from .scales import Scale
from .turns import Turn

#: What is found by trying numbers, and of arrays, beside the rules.
Told = Branch | Turn | Line | Ring | Flag | Scale | Exchange | Written | Restored


@dataclass(frozen=True)
class Undone:
    """What state variables are at the start of a trip, over values at its end and the body.

    `values` are in an order in which they can be computed; `ends` gives for a value at the end
    of a trip the state variable that it becomes at the start of the trip before; `firsts` are
    the values with which the loop begins, of these state variables. `arrays` gives for an array
    that a trip makes of another one the end that it is: it need not be made again.
    """

    values: dict[Term, Term] = field(default_factory=dict)
    ends: dict[Term, Term] = field(default_factory=dict)
    firsts: dict[Term, Term] = field(default_factory=dict)
    arrays: dict[Term, Term] = field(default_factory=dict)

    def where(self, table: Mapping[Term, Term]) -> Undone:
        """The same where terms are called otherwise."""
        values = substitute(self.values.values(), table) if table else self.values.values()
        return replace(self, values=dict(zip(self.values, values, strict=True)))

    def over(self, term: Term) -> tuple[Term, ...] | None:
        """What a variable is computed over; None where it cannot be."""
        if term in self.arrays:
            return (self.arrays[term],)
        if term in self.ends:
            return (self.ends[term],)
        return (self.values[term],) if term in self.values else None


class Knowledge:
    """What is known of the terms of a body, each under the conditions under which it matters."""

    def __init__(
        self,
        loop: Loop,
        undoing: Undoing,
        afterwards: Undoing,
        images: Sequence[Image],
        around: Mapping[Term, Sequence[Told]],
    ) -> None:
        self.loop, self.around = loop, around
        self.undoing, self.afterwards = undoing, afterwards  # the latter: after the first trip
        self.images = {image.rest: image for image in reversed(images)}
        self.state = set(loop.state)
        steps = [t for t in loop.step if not isinstance(t.type, Memory) or t in around]
        # What is told is told of the whole trip, even if it is over what one arm alone reads.
        over = [t for ways in around.values() for way in ways for t in way.others]
        self.guard = guards([*steps, *loop.state, *over])
        self.top = self.guard[loop.state[0]]
        self.known: dict[Term, Term] = {}  # over ends, and the body where it is known
        self.later: set[Term] = set()  # those known in all trips but the first
        self.parts: dict[Term, dict[Guard, tuple[Term, bool]]] = {}  # known in arms alone
        self.users: dict[Term, list[Term]] = {}
        self.missing: dict[Term, int] = {}  # of a term: how many of its arguments are not known
        self.waiting: dict[Term, list[Callable[[], None]]] = {}
        self.queue: deque[Term] = deque()
        self.ends: dict[Term, Term] = {}
        self.result = Undone()
        for t in toposort(steps):
            args = dict.fromkeys(t.args)
            self.missing[t] = len(args)
            for arg in args:
                self.users.setdefault(arg, []).append(t)
            if not args and t not in self.state:
                self.learn(t, t)

    def end_of(self, variables: Container[Term]) -> None:
        """What the values of state variables at the end of a trip say."""
        for v, step in zip(self.loop.state, self.loop.step, strict=True):
            if v in variables and (not isinstance(step.type, Memory) or step in self.around):
                end = bound(str(v.attr), v.type)
                self.ends[end] = v
                self.learn(step, end)
        self.spread()

    def look_back(self) -> None:
        """What a trip begins with is what the one before ended with.

        Where that follows from what else it ended with, and from its number.
        """
        over: dict[Term, Term] = {}  # of state variables: what they are over ends
        for v, value in self.result.values.items():
            (over[v],) = substitute([value], over)
        steps = zip(self.loop.state, self.loop.step, strict=True)
        found = {v: t for v, t in steps if not self.knows(v) and not isinstance(t.type, Memory)}
        said = [t if t in self.later else self.known.get(t, t) for t in found.values()]
        said = substitute(said, over)
        # A value at the end of a trip is known as such; what it is computed from may be, too.
        computed = substitute(found.values(), over)
        left = dict(zip(found, zip(said, computed, strict=True), strict=True))
        table = {self.loop.counter: self.undoing.before(self.loop.counter)}
        while left:
            values = [value for pair in left.values() for value in pair]
            inner = [t for t in toposort(values) if t.op == LOOP]
            unknown = [end for end, v in self.ends.items() if v not in self.known]
            lost = varying(values, [*self.state, *inner, *unknown])
            ready = {v: [t for t in pair if t not in lost] for v, pair in left.items()}
            ready = {v: values for v, values in ready.items() if values}
            if not ready:
                break
            was = substitute([values[0] for values in ready.values()], table | self.ends)
            for v, value in zip(ready, was, strict=True):
                del left[v]
                self.learn(v, self.but_first(v, value))
            self.spread()

    def but_first(self, variable: Term, value: Term) -> Term:
        """The value in all trips but the first, which has what the loop begins with."""
        first = bound(str(variable.attr), variable.type)
        self.result.firsts[first] = variable
        begins = self.undoing.is_first(self.loop.counter)
        return Term(SELECT, (begins, first, value), None, value.type)

    def knows(self, term: Term) -> bool:
        """Whether the value of a term is known."""
        return term in self.known

    def learn(self, term: Term, value: Term, later: bool = False) -> None:
        """The value of a term, or that in `later` trips; of a variable, it is written down."""
        if term in self.known:
            return
        if term in self.state and value is not term:
            self.result.values[term] = self.but_first(term, value) if later else value
            value = term
        elif later:
            self.later.add(term)
        self.known[term] = value
        self.queue.append(term)

    def spread(self) -> None:
        """All that follows from what is known."""
        while self.queue:
            term = self.queue.popleft()
            for user in self.users.get(term, ()):
                self.missing[user] -= 1
                if not self.missing[user]:
                    value = rebuild(user, tuple([self.known[a] for a in user.args]))
                    self.learn(user, value, not self.later.isdisjoint(user.args))
            for again in self.waiting.pop(term, ()):
                again()
            if self.missing.get(term, 1):
                self.descend(term)

    def descend(self, term: Term) -> None:
        """What the value of a term says of the terms below it."""
        if term in self.images:
            self.projected(term)
        arms = self.undoing.arms(term)
        if arms is not None:
            self.choose(term, *arms)
        for way in self.undoing.ways(term):
            self.follow(term, way, False)
        if self.afterwards is not self.undoing:
            for way in self.afterwards.ways(term):
                self.follow(term, way, True)
        for more in self.around.get(term, ()):
            self.follow(term, more, more.later)

    def projected(self, rest: Term) -> None:
        """What is left of a variable is the variable, in all trips but the first."""
        variable = self.images[rest].variable
        value = self.known[rest]
        if variable not in self.known:
            self.learn(variable, self.but_first(variable, value))

    def choose(self, term: Term, condition: Term, then: Term, other: Term) -> None:
        """Each arm has the value of the choice, where it is taken."""
        if condition not in self.known:
            self.wait(condition, partial(self.choose, term, condition, then, other))
            return
        later = not self.later.isdisjoint((term, condition))
        for arm, holds in ((then, True), (other, False)):
            guard = self.guard_of(term).under(condition, holds)
            self.add(arm, guard, self.known[term], later)

    def follow(self, term: Term, way: Way | Told, later: bool) -> None:
        """What one rule says, as soon as all that it is over is known."""
        if way.target in self.known or way.target.op == CONST:
            return
        for other in way.others:
            if other.op == CONST:
                self.known.setdefault(other, other)  # a mask that the rule alone speaks of
            if other not in self.known:
                self.wait(other, partial(self.follow, term, way, later))
                return
        value = way.before(self.known[term], [self.known[t] for t in way.others])
        if value is not None:
            later = later or not self.later.isdisjoint((term, *way.others))
            self.add(way.target, self.guard_of(term), value, later)

    def wait(self, term: Term, then: Callable[[], None]) -> None:
        """Do something as soon as the value of a term is known."""
        self.waiting.setdefault(term, []).append(then)

    def guard_of(self, term: Term) -> Guard:
        """Where a term matters; what is left of a term, where that does."""
        return self.guard[self.undoing.inner(term) if term not in self.guard else term]

    def add(self, term: Term, guard: Guard, value: Term, later: bool) -> None:
        """The value of a term under a guard; two arms that meet are one value around them."""
        if term in self.images and self.images[term].always:
            term = self.images[term].variable
        target = self.guard_of(term)
        while term not in self.known:
            if guard is target:
                self.learn(term, value, later)
                return
            parent, condition = guard.parent, guard.condition
            assert parent is not None and condition is not None
            arms = self.parts.setdefault(term, {})
            arms.setdefault(guard, (value, later))
            twin = parent.inner.get((condition, not guard.holds))
            if twin is None or twin not in arms:
                return
            if condition not in self.known:
                self.wait(condition, partial(self.add, term, guard, value, later))
                return
            pair = (guard, twin) if guard.holds else (twin, guard)
            (then, early), (other, late) = arms[pair[0]], arms[pair[1]]
            whole = Term(SELECT, (self.known[condition], then, other), None, value.type)
            guard, value = parent, then if then is other else whole
            later = early or late or condition in self.later

    def found(self) -> Undone:
        """What was found, with the ends and the first values that it reads."""
        read = set(toposort(self.result.values.values()))
        ends = {end: v for end, v in self.ends.items() if end in read}
        return Undone(self.result.values, ends, self.result.firsts)
