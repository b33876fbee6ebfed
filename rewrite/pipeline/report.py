"""What a derivation did, as values: phases with times, costs, rules that fired.

Takes numbers from the stages, gives the text that `explain()` prints.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum

from ...terms.rule import Rewrite, Tag
from ..derivation.orders import Order
from ..loops.storage import Stored


@dataclass(frozen=True, slots=True)
class Round:
    """One saturation with its extraction: what came out, and of how large an e-graph.

    Without e-nodes it is no saturation: `ended` says what it is.
    """

    cost: float
    nodes: int
    iterations: int
    ended: str

    def __str__(self) -> str:
        """The cost, and what it is of."""
        nodes = f"{self.nodes} e-nodes, " if self.nodes else ""
        return f"{self.cost:g} ({nodes}{self.ended})"


class Form(Enum):
    """What was differentiated: the function as it was written, or an equal one."""

    WRITTEN = "as it was written"
    REFACTORED = "factors of whole sums outside of them"
    SIMPLER = "the function, made cheap before it was derived"


@dataclass(repr=False)
class Report:
    """The record of one derivation; times are seconds, costs are sums of operator costs.

    `print` shows all of it as `explain()` does; what a prompt shows is one line.
    """

    name: str
    mode: str
    math: str
    dtype: str
    effort: str = "default"
    derived: bool = True  # definitions for derivatives stand in
    seconds: dict[str, float] = field(default_factory=dict)
    terms: dict[str, int] = field(default_factory=dict)  # term nodes after each stage
    cost_before: float = 0.0
    cost_after: float = 0.0
    bound: float = 0.0
    method: str = ""
    storage: tuple[Stored, ...] | None = None  # what loops keep; None where there are no loops
    nodes: int = 0
    iterations: int = 0
    ended: str = ""
    exhausted: bool = False  # the last e-graph holds all that rules make of its program
    rounds: tuple[Round, ...] = ()  # the first, and those that began with what came out of it
    fired: dict[str, int] = field(default_factory=dict)
    derivative_rules: dict[str, int] = field(default_factory=dict)
    substitutes: dict[str, int] = field(default_factory=dict)
    order: Order = Order.REVERSE  # in which Jacobians are accumulated
    orders: dict[Order, float] = field(default_factory=dict)  # tried: what a short search costs
    form: Form = Form.WRITTEN  # that was differentiated
    entries: tuple[int, int] | None = None  # of a matrix: those that are always 0, and all
    dormant: tuple[str, ...] = ()
    idle: dict[str, str] = field(default_factory=dict)  # rules given that did nothing, and why
    counts_before: Mapping[str, int] = field(default_factory=dict)
    counts_after: Mapping[str, int] = field(default_factory=dict)
    loaded: float | None = None  # the seconds that loading it took, where it was remembered
    costs: str = ""  # the table of costs that was asked for

    def note_idle(
        self, given: Sequence[Rewrite], active: Sequence[Rewrite], tags: Sequence[Tag]
    ) -> None:
        """Remember which of the rewrites that a user gave did nothing, and why."""
        dormant = set(self.dormant)
        on = {id(rule) for rule in active}
        for rule in given:
            name = f"{rule.at} {rule.name}"
            if name in self.fired or name in self.substitutes:
                continue
            if id(rule) not in on:
                self.idle[name] = f"off: groups={{{rule.group!r}: True}} switches it on"
            elif rule.tag not in tags:
                self.idle[name] = f"tagged {rule.tag.value}, which math={self.math!r} leaves out"
            elif rule.primal and self.mode == "primal":
                self.idle[name] = "substitutes stand in only where derivatives are taken"
            elif name in dormant:
                self.idle[name] = "its operators do not occur"
            else:
                self.idle[name] = "nothing matched, or a condition was not known to hold"

    def include(self, inner: Report) -> None:
        """Add what was done for the body of a loop; nothing, for one that only passes on."""
        if not inner.ended:
            return
        if not self.ended:
            self.ended, self.dormant = inner.ended, inner.dormant
        self.nodes += inner.nodes
        self.iterations = max(self.iterations, inner.iterations)
        if inner.ended != self.ended:
            self.ended += f"; in a loop: {inner.ended}"
        self._add(inner)

    def fresh(self) -> Report:
        """An empty report of the same derivation."""
        return Report(self.name, self.mode, self.math, self.dtype)

    def other(self, form: Form) -> Report:
        """A report of the same function, derived in another form."""
        terms = {"primal": self.terms["primal"]}
        return replace(self.fresh(), form=form, terms=terms, substitutes=self.substitutes)

    def becomes(self, other: Report) -> None:
        """What is said of another form is what is said, but for the time, which both took."""
        self.__dict__.update({**other.__dict__, "seconds": self.seconds, "costs": self.costs})

    def spent(self, other: Report) -> None:
        """Add the time that a program took of which nothing else is said."""
        for phase, seconds in other.seconds.items():
            self._took(phase, seconds)

    @property
    def refactored(self) -> bool:
        """Whether the function was differentiated with factors outside of its sums."""
        return self.form is Form.REFACTORED

    def restarted(self, inner: Report, cost: float) -> None:
        """Add a round that began with the program as it was, and what that costs now.

        What is said of the choice is said of the last e-graph.
        """
        self.rounds += (Round(cost, inner.nodes, inner.iterations, inner.ended),)
        self._add(inner)
        self.exhausted = inner.exhausted
        if inner.method:  # else its rules could not be trusted, and nothing was chosen
            self.method, self.bound = inner.method, min(inner.bound, cost)

    def reformed(self, cost: float, what: str) -> None:
        """Add that another form, not from an e-graph, is cheaper."""
        self.rounds += (Round(cost, 0, 0, what),)
        self.bound = min(self.bound, cost)

    @contextmanager
    def phase(self, name: str, *, once: bool = False) -> Iterator[None]:
        """Add what is done inside to the seconds of a phase; `once`, the first time only."""
        counted = not (once and name in self.seconds)
        began = time.perf_counter()
        try:
            yield
        finally:
            if counted:
                self._took(name, time.perf_counter() - began)

    def _took(self, phase: str, seconds: float) -> None:
        self.seconds[phase] = self.seconds.get(phase, 0.0) + seconds

    def compared(self, other: Report, gained: bool) -> None:
        """Add a search of its own for the same program; where it `gained`, what it says counts."""
        if not self.method:
            self.dormant = other.dormant
        self._add(other)
        if gained:
            self.nodes, self.iterations, self.ended = other.nodes, other.iterations, other.ended
            self.rounds, self.method, self.bound = other.rounds, other.method, other.bound
            self.exhausted = other.exhausted

    def _add(self, inner: Report) -> None:
        self.spent(inner)
        for name, count in inner.fired.items():
            self.fired[name] = self.fired.get(name, 0) + count
        if self.dormant is not inner.dormant:
            still = frozenset(inner.dormant)
            self.dormant = tuple([name for name in self.dormant if name in still])

    def _zeros(self) -> list[str]:
        """How many entries of a matrix are not computed."""
        if self.entries is None:
            return []
        zeros, every = self.entries
        half = " of the upper half" if self.mode == "hessian" else ""
        return [f"  zeros       {zeros} of {every} entries{half} are always 0, and not computed"]

    def _rounds(self) -> list[str]:
        """What each round won, where there was more than one."""
        if len(self.rounds) < 2:
            return []
        return [f"  rounds      {self.cost_before:g} -> {' -> '.join(map(str, self.rounds))}"]

    def _order(self) -> list[str]:
        """The order of accumulation, where there was a choice."""
        if not self.orders:
            return []
        each = ", ".join(f"{order.value} {cost:g}" for order, cost in self.orders.items())
        return [f"  order       {self.order.value}; costs after a short search: {each}"]

    def _form(self) -> list[str]:
        """What was differentiated, where that is not the function as it was written."""
        return [] if self.form is Form.WRITTEN else [f"  form        {self.form.value}"]

    def _cache(self) -> list[str]:
        if self.loaded is None:
            return []
        return [
            f"  cache       loaded in {self.loaded:.3f} s; derived before, in the seconds above"
        ]

    def _storage(self) -> list[str]:
        if self.storage is None:
            return []
        kept = ", ".join(str(s) for s in self.storage) or "nothing is kept"
        total = sum(s.bytes for s in self.storage)
        return [f"  storage     {total} bytes per work-item: {kept}"]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        """One line, of hundreds that there are to say."""
        cost = f"cost {self.cost_before:g} -> {self.cost_after:g}"
        return f"<Report of {self.name}: mode {self.mode!r}, {self.dtype}, {cost}>"

    @property
    def total(self) -> float:
        """All seconds spent."""
        return sum(self.seconds.values())

    def text(self, savings: Sequence[str] = ()) -> str:
        """The report as lines for people; with what is known of which rules saved what."""
        above = self.cost_after / self.bound - 1 if self.bound else float(self.cost_after > 0)
        saved = 0.0 if self.cost_before == 0 else 1 - self.cost_after / self.cost_before
        distance = f"at most {above:.1%} above " if above > 1e-9 else ""
        winners = len(dict.fromkeys(r.cost for r in self.rounds))
        these = "these e-graphs" if winners > 1 else "this e-graph"
        lines = [
            f"{self.name}: mode {self.mode!r}, math {self.math!r}, {self.dtype}",
            f"  cost        {self.cost_before:g} before (plain rules, shared), "
            f"{self.cost_after:g} after ({saved:.0%} saved)",
            *([f"  costs       {self.costs}"] if self.costs else []),
            f"  bound       {self.bound:g}: {distance}the cheapest program of {these} "
            f"({self.method})",
            f"  e-graph     {self.nodes} e-nodes after {self.iterations} iterations, "
            f"ended by: {self.ended}",
            *self._zeros(),
            *self._form(),
            *self._order(),
            *self._rounds(),
            "  terms       " + ", ".join(f"{k} {v}" for k, v in self.terms.items()),
            "  seconds     " + ", ".join(f"{k} {v:.3f}" for k, v in self.seconds.items()),
            *self._cache(),
            *self._storage(),
            "  operators   " + _changes(self.counts_before, self.counts_after),
        ]
        lines += savings
        lines += _section("substitutes", self.substitutes)
        lines += _section("derivative rules", self.derivative_rules)
        lines += _section("rewrites that fired", self.fired)
        if self.dormant:
            lines.append(
                f"  {len(self.dormant)} rewrites could not apply: their operators do not occur"
            )
        if self.idle:
            lines.append("  given rewrites that did nothing:")
            lines += [f"    {name}: {why}" for name, why in self.idle.items()]
        return "\n".join(lines)


def _changes(before: Mapping[str, int], after: Mapping[str, int]) -> str:
    names = sorted({*before, *after})
    parts = []
    for name in names:
        a, b = before.get(name, 0), after.get(name, 0)
        parts.append(f"{name} {a}" if a == b else f"{name} {a}->{b}")
    return ", ".join(parts) or "none"


def _section(title: str, counts: Mapping[str, int]) -> list[str]:
    if not counts:
        return []
    width = len(str(max(counts.values())))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [f"  {title}:", *(f"    {n:>{width}}  {name}" for name, n in ranked)]
