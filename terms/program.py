"""A program: named parameters, named results, and the scalar terms that compute them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any

from .errors import Span
from .term import Term, const, from_table, rebuild, substitute, to_table, toposort, var
from .types import Type, leaf_paths, leaf_types


@dataclass(frozen=True, slots=True)
class Slot:
    """A named value at the edge of a program: a parameter or a result."""

    name: str
    type: Type
    diff: bool = True  # carries derivatives (a real-valued parameter in `wrt`)
    array: str = ""  # `module:name` of the array that rules add to, where it stands for one
    default: tuple[float, ...] = ()  # the components of a parameter that a call may leave out

    def paths(self) -> list[str]:
        """Flat names of the components: `['v.x', 'v.y']`."""
        return [self.name + path for path in leaf_paths(self.type)]

    def leaves(self) -> list[Term]:
        """The variables that stand for the components of a parameter."""
        return [var(p, t) for p, t in zip(self.paths(), leaf_types(self.type), strict=True)]


@dataclass(frozen=True, slots=True)
class Note:
    """What a term was in the user's source: the name it was assigned to, and the place."""

    name: str
    at: Span | None = None


@dataclass(frozen=True, slots=True)
class Watch:
    """What has to hold when a program runs.

    `term` is 0 where all is well, else the number (from 1) of a check that failed; `checks`
    say what is wrong then, and where.
    """

    term: Term
    checks: tuple[tuple[str, Span], ...]


@dataclass(frozen=True)
class Program:
    """A pure function over scalars.

    `params` name the inputs: their components are the variables `Slot.leaves()`. `results`
    name the outputs; `roots` hold one tuple of scalar terms per result. `notes` tie terms to
    the source; they never influence what is computed, nor equality.
    """

    name: str
    params: tuple[Slot, ...]
    results: tuple[Slot, ...]
    roots: tuple[tuple[Term, ...], ...]
    notes: Mapping[Term, Note] = field(default_factory=dict, compare=False)
    at: Span | None = field(default=None, compare=False)
    watch: Watch | None = field(default=None, compare=False)

    @property
    def flat(self) -> list[Term]:
        """All result components, in order."""
        return [term for group in self.roots for term in group]

    def with_flat(self, terms: Sequence[Term], **changes: Any) -> Program:
        """The same signature over other result terms (in the order of `flat`)."""
        rest = iter(terms)
        roots = tuple(tuple(next(rest) for _ in group) for group in self.roots)
        return replace(self, roots=roots, **changes)

    def with_terms(self, made: Mapping[Term, Term]) -> Program:
        """The program with what its terms have become, and their names; itself if they have not."""
        flat = [made[root] for root in self.flat]
        if flat == self.flat:
            return self
        notes = {made[term]: note for term, note in self.notes.items() if term in made}
        return self.with_flat(flat, notes=notes)

    def rewritten(self, step: Callable[[Term, Term], Term | None]) -> Program:
        """The program with another term for each for which `step` has one.

        `step` gets a term, and the same over what its arguments have become.
        """
        made: dict[Term, Term] = {}
        for term in toposort([*self.flat, *self.notes]):
            here = rebuild(term, tuple([made[a] for a in term.args]))
            made[term] = step(term, here) or here
        return self.with_terms(made)

    def terms(self) -> list[Term]:
        """Every term of the program, arguments before users."""
        return list(self._terms)

    @cached_property
    def _terms(self) -> tuple[Term, ...]:
        return tuple(toposort(self.flat))

    def leaves(self) -> list[Term]:
        """The variables of all parameters' components, in order."""
        return list(self._leaves)

    @cached_property
    def _leaves(self) -> tuple[Term, ...]:
        return tuple([leaf for p in self.params for leaf in p.leaves()])

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # The body of a loop is looked up with every term of the loop.
        return hash((self.name, self.params, self.results, self.roots))

    def placed(self, args: Sequence[Term]) -> dict[Term, Term]:
        """Every term of the program, with the parameters' components replaced by `args`."""
        done: dict[Term, Term] = dict(zip(self.leaves(), args, strict=True))
        for term in self.terms():
            if term not in done:
                done[term] = rebuild(term, tuple([done[a] for a in term.args]))
        return done

    def inline(self, args: Sequence[Term]) -> list[Term]:
        """The flat results with the parameters' components replaced by `args`."""
        done = self.placed(args)
        return [done[t] for t in self.flat]

    def __reduce__(self) -> tuple[Any, ...]:
        noted = list(self.notes)
        watched = [self.watch.term] if self.watch else []
        table = to_table([*self.flat, *noted, *watched])
        shape = tuple(len(group) for group in self.roots)
        checks = self.watch.checks if self.watch else ()
        head = (self.name, self.params, self.results, self.at, checks)
        return _program, (head, shape, table, list(self.notes.values()))


def _program(head: Any, shape: Any, table: Any, notes: Any) -> Program:
    name, params, results, at, checks = head
    terms = iter(from_table(table))
    roots = tuple(tuple(next(terms) for _ in range(size)) for size in shape)
    noted = {next(terms): note for note in notes}
    watch = Watch(next(terms), checks) if checks else None
    return Program(name, params, results, roots, noted, at, watch)


class Differentiable(Enum):
    """How a called function takes part in derivatives."""

    YES = "yes"
    ZERO = "treat_as_differentiable"  # value kept, derivative zero
    NO = "non_differentiable"  # an error where a derivative has to pass


@dataclass(frozen=True, slots=True)
class Request:
    """A derivative asked for inside a function: `fwd_diff(g)` or `bwd_diff(g)`."""

    mode: str  # "fwd" | "bwd"
    program: Program
    active: tuple[bool, ...]  # per parameter: it came as a pair / is not Const(...)
    at: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """The attribute of a `call` term: a function that is not inlined before derivation.

    The arguments of the term are the flat components of all parameters; `proj` terms pick
    the flat components of the results. `fwd` maps (every parameter, then one tangent for
    every differentiable parameter) to (results, then tangents of the differentiable
    results); `bwd` maps (every parameter, then one cotangent per differentiable result) to
    one cotangent per differentiable parameter.
    """

    name: str
    body: Program | Request
    fwd: Program | None = None
    bwd: Program | None = None
    substitute: Program | None = None
    differentiable: Differentiable = Differentiable.YES
    at: Span | None = field(default=None, compare=False)
    #: As `at`, of what has no derivative: terms are one in all programs, and an error names the
    #: place in its own.
    refused: Span | None = None
    #: Whether it is made by a rule of its own function: it has the rules of the call that the rule
    #: is of, and a program that held them would hold itself.
    again: bool = False

    def carries(self) -> list[bool]:
        """For every flat argument, whether a derivative can pass to it."""
        params = self.body.params if isinstance(self.body, Program) else self.body.program.params
        return [p.diff and leaf.type.is_real for p in params for leaf in p.leaves()]


def without_arrays(program: Program) -> Program:
    """The program without the parameters that stand for arrays of modules: none reads them."""
    leaves = [leaf for slot in program.params if slot.array for leaf in slot.leaves()]
    flat = substitute(program.flat, {leaf: const(0.0, leaf.type) for leaf in leaves})
    params = tuple(slot for slot in program.params if not slot.array)
    return replace(program, params=params).with_flat(flat) if leaves else program


def renamed(slots: Sequence[Slot], pattern: str, taken: Sequence[Slot]) -> list[Slot]:
    """The slots under derived names (`d_x`, `y_bar`), distinct from the taken ones.

    >>> from .types import Scalar
    >>> [s.name for s in renamed([Slot("x", Scalar.F32)], "d_{}", [Slot("d_x", Scalar.F32)])]
    ['d_x_']
    """
    used = {slot.name for slot in taken}
    named = []
    for slot in slots:
        name = pattern.format(slot.name)
        while name in used:
            name += "_"
        used.add(name)
        named.append(replace(slot, name=name, default=()))
    return named


def grouped(slots: Sequence[Slot], flat: Sequence[Term]) -> tuple[tuple[Term, ...], ...]:
    """Flat terms, one group per slot."""
    rest = iter(flat)
    return tuple(tuple([next(rest) for _ in slot.paths()]) for slot in slots)
