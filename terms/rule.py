"""Operators and rules as values: what a rule file says, once it has been read.

The expressions in here are terms over rule variables (type `REAL` unless the parameter says
otherwise), in the vocabulary of the operators themselves. Nothing here parses or executes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cached_property
from typing import Any, TypeVar

from .errors import Span
from .term import Term
from .types import Scalar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter (or the result) of an operator.

    `kind`: `real`; `int`; `bool`; `number` (real or int, one type for the whole operator);
    `any` (every scalar type, one for the whole operator); `vec`, `vec2`…`vec4`, `mat`,
    `mat2`…`mat4` (square) for functions over components; in rules and facts `bound`, any
    number that comparisons name.
    """

    name: str
    kind: str = "real"

    @property
    def is_scalar(self) -> bool:
        """Whether the value is one scalar."""
        return not self.kind.startswith(("vec", "mat"))


@dataclass(frozen=True, slots=True)
class Operator:
    """One `@op` block: a primitive, or a function with a definition, with its derivative.

    `partials[i]` is d(result)/d(params[i]) over the parameters and the result; None where it
    is not given; the constant 0 is a structural zero. `pullbacks[i]` is a hand-written
    backward side over parameters, result and `<result>_bar`; `pushforward` a forward side
    that is not linear-separable. Primitives have a NumPy meaning, one for the judge (`mpmath`)
    and OpenCL spellings; functions have a `definition`, and maybe a `primal` one that is used
    inside derived programs.
    """

    name: str
    params: tuple[Parameter, ...]
    result: Parameter
    at: Span = field(compare=False)
    doc: str = ""
    cost: float | None = None
    costs: Mapping[Scalar, float] = field(default_factory=dict)
    definition: Term | None = None
    primal: Term | None = None
    partials: tuple[Term | None, ...] = ()
    pullbacks: tuple[Term | None, ...] = ()
    pushforward: Term | None = None
    nondiff: bool = False
    numpy: str = ""
    mpmath: str = ""
    opencl: Mapping[Scalar, str] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    domain: Term | None = None
    range: Term | None = None
    unchecked: str = ""
    primal_unchecked: str = ""
    #: Functions of the same parameters: only beside all of them `primal` is used.
    beside: tuple[str, ...] = ()
    #: Whether a parameter or the result is a vector or a matrix; every application asks.
    is_composite: bool = field(init=False, repr=False, compare=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)  # of the parameters

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple([p.name for p in self.params]))
        composite = not all(p.is_scalar for p in (*self.params, self.result))
        object.__setattr__(self, "is_composite", composite)

    @property
    def is_primitive(self) -> bool:
        """Whether the operator is computed by the device itself, not by a definition."""
        return self.definition is None

    @property
    def is_opaque(self) -> bool:
        """Whether derivation has to see a call of it, instead of its definition."""
        own = self.has_derivative or self.nondiff or self.primal is not None
        return self.is_primitive or own

    @property
    def has_derivative(self) -> bool:
        """Whether the block states a derivative (partials, a backward or a forward side)."""
        return bool(self.partials or self.pullbacks or self.pushforward)

    def arity(self) -> int:
        """The number of parameters."""
        return len(self.params)


@dataclass(frozen=True, slots=True)
class Joint:
    """Primitives of the same arguments that one built-in of the device computes together.

    `spellings` are over the parameters and, as `&{name}`, over all results but the first.
    """

    name: str
    parts: tuple[str, ...]
    params: tuple[str, ...]
    results: tuple[str, ...]
    cost: float
    spellings: Mapping[Scalar, str] = field(compare=False)
    costs: Mapping[Scalar, float] = field(default_factory=dict, compare=False)

    def cost_in(self, type_: object) -> float:
        """The cost on operands of a type."""
        return self.costs.get(type_, self.cost) if isinstance(type_, Scalar) else self.cost


class Tag(Enum):
    """What a rewrite keeps, from the strictest to the loosest; `math=` selects by tag."""

    EXACT = "exact"  # every IEEE bit
    REAL = "real"  # the real value; defined and as accurate wherever the left side is
    FAST = "fast"  # the real value, wherever both sides are defined


MATH_TAGS = {
    "strict": (Tag.EXACT,),
    "safe": (Tag.EXACT, Tag.REAL),
    "fast": (Tag.EXACT, Tag.REAL, Tag.FAST),
}


@dataclass(frozen=True, slots=True)
class Rewrite:
    """`lhs >> rhs`, where every condition holds; in directed rewrites the left side goes.

    `rounds`: applied in so many iterations only, where it would multiply; 0: in all. `below`:
    only where the left side, with nothing shared, costs less. A rule that is not `on` applies
    where its group, by default its file, is switched on.
    """

    name: str
    lhs: Term
    rhs: Term
    tag: Tag
    at: Span = field(compare=False)
    params: tuple[Parameter, ...] = ()
    conditions: tuple[Term, ...] = ()
    directed: bool = False  # the left side can no longer be chosen (subsumed)
    primal: bool = False  # a `@primal` substitute: applied before derivation only
    digits: bool = False  # it gains nothing else: not applied where sums hide small results
    squares: bool = False  # of sums of squares alone, whose slopes are 0 where they are
    last: bool = False  # of what all others, those of sums of squares included, have left
    group: str = ""
    rounds: int = 0
    below: float | None = None
    on: bool = True
    unchecked: str = ""

    def __hash__(self) -> int:
        return hash(self.name)  # of all parts it takes as long as a match


@dataclass(frozen=True, slots=True)
class Fact:
    """`if conditions: conclusion` about signs: what is known of e-classes."""

    name: str
    conclusion: Term
    at: Span = field(compare=False)
    params: tuple[Parameter, ...] = ()
    conditions: tuple[Term, ...] = ()


@dataclass(frozen=True)
class RuleSet:
    """Everything a derivation knows: operators by name, rewrites and facts in file order."""

    operators: Mapping[str, tuple[Operator, ...]]  # overloads on composite parameters
    rewrites: tuple[Rewrite, ...] = ()
    facts: tuple[Fact, ...] = ()
    sources: tuple[str, ...] = ()  # the files this came from, in order of precedence
    prices: str = ""  # the table that costs come from; "": the rule files themselves
    restated: tuple[str, ...] = ()  # shipped operators with derivatives of somebody else

    def operator(self, name: str) -> Operator:
        """The operator called `name` (the first overload)."""
        return self.operators[name][0]

    def get(self, name: str) -> Operator | None:
        """The operator called `name` (the first overload), or None."""
        found = self.operators.get(name)
        return found[0] if found else None

    def once(self, find: Callable[..., T], *how: Hashable) -> T:
        """What `find` says of this rule set, `how` beside it: looked for the first time only."""
        key = find, *how
        if key not in self._found:
            self._found[key] = find(self, *how)
        found: T = self._found[key]
        return found

    @cached_property
    def _found(self) -> dict[tuple[object, ...], Any]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: what was found of them can be found again."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The names of groups of rewrites, in file order."""
        return tuple(dict.fromkeys(rule.group for rule in self.rewrites if rule.group))

    def switched(self, groups: Mapping[str, bool]) -> RuleSet:
        """The rule set with the rewrites that are on: by default, or because their group is."""
        return self.once(_switched, tuple(groups.items()))

    @cached_property
    def at_numbers(self) -> Mapping[str, Operator]:
        """By name: the operator that takes numbers alone. No two of one name do."""
        pairs = [(name, o) for name, overloads in self.operators.items() for o in overloads]
        return {name: o for name, o in pairs if all(p.is_scalar for p in o.params)}

    @cached_property
    def words(self) -> Mapping[str, None]:
        """The operators that programs may name; `_name` is a helper of the rule files."""
        return dict.fromkeys(n for n in self.operators if n[0] != "_" and "." not in n)

    @cached_property
    def joints(self) -> Mapping[str, Joint]:
        """By the name of a primitive: what computes it together with others."""
        found = (_joint(overloads[0]) for overloads in self.operators.values())
        known = [j for j in found if j and all(self.operator(p).is_primitive for p in j.parts)]
        return {part: joint for joint in known for part in joint.parts}

    @cached_property
    def by_alias(self) -> Mapping[str, str]:
        """Qualified Python names (`numpy.arctan2`, `math.fabs`) to operator names."""
        table: dict[str, str] = {}
        for name, overloads in self.operators.items():
            for operator in overloads:
                for alias in operator.aliases:
                    table.setdefault(alias, name)
        return table

    @cached_property
    def plain(self) -> Mapping[str, int]:
        """Operators whose application to scalars of one real type is one term; their arity."""
        table: dict[str, int] = {}
        for name, overloads in self.operators.items():
            operator = next((o for o in overloads if not o.is_composite), None)
            if operator is None or operator.name == "select":
                continue
            kinds = {p.kind for p in (*operator.params, operator.result)}
            if operator.is_opaque and operator.params and kinds <= {"real", "number"}:
                table[name] = operator.arity()
        return table


def _switched(rules: RuleSet, groups: tuple[tuple[str, bool], ...]) -> RuleSet:
    said = dict(groups)
    kept = tuple([rule for rule in rules.rewrites if said.get(rule.group, rule.on)])
    return rules if len(kept) == len(rules.rewrites) else replace(rules, rewrites=kept)


def _joint(operator: Operator) -> Joint | None:
    """The function as a built-in with several results: `(sin(x), cos(x))` with a spelling."""
    definition = operator.definition
    if definition is None or definition.op != "tuple" or not operator.opencl:
        return None
    params = tuple([p.name for p in operator.params])
    plain = all(tuple([a.attr for a in t.args]) == params for t in definition.args)
    parts = tuple([t.op for t in definition.args])
    if not plain or len(set(parts)) < len(parts) or operator.cost is None:
        return None
    results = tuple(operator.result.name.split(", "))
    spelled, costs = operator.opencl, operator.costs
    return Joint(operator.name, parts, params, results, operator.cost, spelled, costs)
