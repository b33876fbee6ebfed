"""Local derivative nodes, and their expansion by the derivative rules.

Linearization and transposition leave one node per operator, argument and direction:
`push.sin.0(x, y, dx)` and `pull.sin.0(x, y, y_bar)`. The program is frozen while one rule
per kind of node rewrites all of them. Takes terms with local nodes, gives terms without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ...terms.applied import Applied, component_of, environment, overload, types_of
from ...terms.apply import instantiate
from ...terms.errors import DeriveError, Span
from ...terms.rule import Operator, RuleSet
from ...terms.term import DETACH, Term, const, is_const, rebuild, toposort, var
from ...terms.types import Scalar
from ...terms.value import Value, scalar
from ...terms.walk import postorder
from ..egraph.encode import Head, head_of
from ..loops.segments import Split
from ..loops.tangents import Seeded, Step
from ..undo.undoing import Undoing
from .arms import Arms, Poles, scale

PUSH, PULL = "push", "pull"


@dataclass(frozen=True, slots=True)
class Local:
    """A local derivative node's kind: which side, of which operator, by which argument."""

    side: str
    op: str
    argument: int
    attr: object
    unit: bool = False  # the seed is the constant 1: the node is the partial itself

    def __str__(self) -> str:
        return f"{self.side}.{self.op}.{self.argument}{'.unit' if self.unit else ''}"


def local(side: str, term: Term, argument: int, seed: Term) -> Term:
    """The node for `term`'s derivative by `argument`, applied to `seed`.

    push: dy = (dy/dx_i) * seed; pull: x_i_bar = (dy/dx_i) * seed.
    """
    kind = Local(side, term.op, argument, term.attr, is_const(seed, 1.0))
    type_ = term.type if side == PUSH else term.args[argument].type
    return Term(str(kind), (*term.args, term, seed), kind, type_)


def flows(rules: RuleSet, term: Term, argument: int) -> bool:
    """Whether a derivative passes from an argument to the term (structurally)."""
    if not term.type.is_real or not term.args[argument].type.is_real or term.op == DETACH:
        return False
    operator = rules.get(term.op)
    if operator is None or operator.is_composite or operator.nondiff:
        return True
    if argument < len(operator.partials):
        partial = operator.partials[argument]
        return partial is None or not is_const(partial, 0.0)
    return True


def check_differentiable(rules: RuleSet, term: Term, side: str, at: Span | None) -> Operator:
    """The operator of a term through which a derivative passes; DeriveError without a rule."""
    operator = rules.get(term.op)
    if operator is None:
        raise DeriveError(f"there is no operator {term.op!r} in the rules of this call", at)
    if operator.nondiff:
        raise DeriveError(
            f"{term.op!r} has no derivative, and the result depends on it ({operator.at})",
            at,
            f"wrap the call in no_diff({term.op}(...)), pass it values that are not differentiated,"
            " or give a derivative in a rule file",
        )
    if not operator.has_derivative and operator.definition is None:
        raise DeriveError(
            f"there is no derivative rule for {term.op!r} ({operator.at})",
            at,
            "add partials to its @op block, give @custom_fwd / @custom_bwd,"
            " or wrap it in no_diff(...)",
        )
    backward_only = operator.pullbacks and not operator.partials and operator.pushforward is None
    if side == PUSH and backward_only and not operator.is_composite:
        raise DeriveError(
            f"{term.op!r} has only a backward rule ({operator.at}): no forward derivative",
            at,
            "give its block partials or a forward side, or derive with mode='bwd'",
        )
    return operator


@dataclass(frozen=True, slots=True)
class Made:
    """What a term of a derivative is from: a derivative rule, and the term it differentiates."""

    rule: str
    of: Term


@dataclass(frozen=True)
class Setting:
    """What a derivation works with: rules, the precision asked for, and a count of rules used.

    `split` says which loops its adjoints run in segments, `steps` are those of loops with tangents.
    """

    rules: RuleSet
    real: Scalar
    fired: dict[str, int] = field(default_factory=dict, compare=False)
    made: dict[Term, Made] | None = field(default=None, compare=False)
    split: Split = field(default_factory=Split, compare=False)
    steps: dict[Seeded, Step] = field(default_factory=dict, compare=False)
    kinds: dict[Head, Kind] = field(default_factory=dict, compare=False)

    def kind(self, node: Term) -> Kind:
        """The rule that expands a local node."""
        head = head_of(node)
        if head not in self.kinds:
            self.kinds[head] = Kind.of(self.rules, head, self.real)
        return self.kinds[head]

    @cached_property
    def undoing(self) -> Undoing:
        """How operators are undone."""
        return Undoing.of(self.rules)

    @cached_property
    def poles(self) -> Poles:
        """Where the operators and their derivatives can be infinite."""
        return self.rules.once(Poles.of)

    def in_segments(self, roots: Iterable[Term]) -> list[Term]:
        """The roots over the loops in segments."""
        roots, split = list(roots), self.split.results
        if not split:
            return roots
        done: dict[Term, Term] = {}
        for term in postorder(roots, lambda t: [split[t]] if t in split else t.args):
            if term in split:
                done[term] = done[split[term]]
            else:
                done[term] = rebuild(term, tuple([done[a] for a in term.args]))
        return [done[t] for t in roots]


#: What stands for a node, given its rule, itself, its arguments and the expansion over these.
Limit = Callable[["Kind", Term, Sequence[Term], Term], Term]


def expand(setting: Setting, roots: Sequence[Term], limit: Limit | None = None) -> list[Term]:
    """The roots with every local derivative node replaced by what its rule says, or its limit."""
    order = toposort(roots)
    primal = [term for term in order if not isinstance(term.attr, Local)]
    if len(primal) == len(order):
        return list(roots)
    done: dict[Term, Term] = {}
    arms = Arms(setting.rules, setting.real, setting.poles, primal)
    for term in order:
        args = tuple([done[a] for a in term.args])
        if isinstance(term.attr, Local):
            kind = setting.kind(term)
            setting.fired[kind.rule] = setting.fired.get(kind.rule, 0) + 1
            *inputs, seed = args
            slope = arms.product(kind.over(args), seed, term.attr.op, inputs)
            done[term] = slope if limit is None else limit(kind, term, args, slope)
            if setting.made is not None:
                _remember(kind.rule, setting.made, term, done)
        else:
            again = rebuild(term, args)
            done[term] = again if again is term else arms.added(again)
    return [done[root] for root in roots]


def _remember(rule: str, made: dict[Term, Made], node: Term, done: dict[Term, Term]) -> None:
    """What an expansion brought in is from its rule: all that is not an argument."""
    stop = {done[a] for a in node.args}
    choices = [done[node.args[-1]]]  # a factor may have gone into the arms of the seed
    while choices:
        choice = choices.pop()
        if choice.op == "select":
            stop.update(choice.args)
            choices += choice.args[1:]
    stack, found = [done[node]], Made(rule, done[node.args[-2]])
    while stack:
        term = stack.pop()
        if term not in stop and term.args:
            stop.add(term)
            made.setdefault(term, found)
            stack += term.args


@dataclass(frozen=True)
class Kind:
    """A rule that expands local nodes of a kind: what it says of them, over their arguments."""

    rule: str
    names: tuple[Term, ...]
    expansion: Term
    steps: tuple[Term, ...]  # the operators of the expansion, arguments before users

    @staticmethod
    def of(rules: RuleSet, head: Head, real: Scalar) -> Kind:
        """The rule for the nodes of a head."""
        kind: Local = head[1]
        names = tuple([var(f"a{i}", t) for i, t in enumerate(head[2])])
        *args, out, seed = names
        if kind.unit:
            seed = const(1.0, seed.type)
        expansion = _expansion(rules, kind, args, out, seed, real)
        steps = tuple([t for t in toposort([expansion]) if t.args])
        return Kind(f"{rules.operator(kind.op).at} {kind}", names, expansion, steps)

    def over(self, args: Sequence[Term]) -> Term:
        """The expansion over the arguments of a node."""
        done = dict(zip(self.names, args, strict=True))
        for step in self.steps:
            there = tuple([done.get(a, a) for a in step.args])
            done[step] = Term(step.op, there, step.attr, step.type)
        return done.get(self.expansion, self.expansion)


def _expansion(
    rules: RuleSet, kind: Local, args: list[Term], out: Term, seed: Term, real: Scalar
) -> Term:
    types = types_of(args, kind.attr)
    operator = overload(rules, kind.op, types) or rules.operator(kind.op)
    env = environment(operator, types, args)
    here = out.type if out.type.is_real else real

    def build_value(expression: Term) -> Value:
        return instantiate(rules, expression, env, here, operator.at)

    if operator.is_composite:
        return _composite(operator, kind, args, out, seed, env, build_value, rules, here)
    env[operator.result.name] = scalar(out)
    pullback = operator.pullbacks[kind.argument] if operator.pullbacks else None
    if kind.side == PULL and pullback is not None:
        env[f"{operator.result.name}_bar"] = scalar(seed)
        return build_value(pullback).term
    if kind.side == PUSH and operator.pushforward is not None:
        for i, p in enumerate(operator.params):
            zero = scalar(const(0.0, here))
            env[f"d{p.name}"] = scalar(seed) if i == kind.argument else zero
        return build_value(operator.pushforward).term
    partial = operator.partials[kind.argument]
    if partial is None:
        raise DeriveError(
            f"{operator.name!r} has no derivative by {operator.params[kind.argument].name!r}",
            operator.at,
        )
    return scale(rules, build_value(partial).term, seed, here)


def _composite(
    operator: Operator,
    kind: Local,
    args: list[Term],
    out: Term,
    seed: Term,
    env: dict[str, Value],
    build_value: Callable[[Term], Value],
    rules: RuleSet,
    real: Scalar,
) -> Term:
    """One entry of the Jacobian of a function over vectors or matrices, times a seed.

    For one component of the result and one of a parameter each line that a rule file may have says
    the same: a backward side at a cotangent of one component, a forward side at a tangent of one.
    """
    index, component = _place(operator, env, kind.argument)
    name, at = operator.result.name, component_of(kind.attr)
    env[name] = whole = _result(operator, kind, args, out, build_value)
    zero = const(0.0, real)
    pullback = operator.pullbacks[index] if operator.pullbacks else None
    if pullback is not None:
        env[f"{name}_bar"] = _one_of(whole, at, seed, zero)
        return _leaf(build_value(pullback), component)
    partial = operator.partials[index] if operator.partials else None
    if partial is not None:
        return scale(rules, _leaf(build_value(partial), component), seed, real)
    assert operator.pushforward is not None
    for i, param in enumerate(operator.params):
        tangent = seed if i == index else zero
        env[f"d{param.name}"] = _one_of(env[param.name], component, tangent, zero)
    return _leaf(build_value(operator.pushforward), at)


def _place(operator: Operator, env: Mapping[str, Value], argument: int) -> tuple[int, int]:
    """The parameter of a flat argument, and which of its components the argument is."""
    for index, param in enumerate(operator.params):
        size = len(env[param.name].leaves)
        if argument < size:
            return index, argument
        argument -= size
    raise IndexError(f"{operator.name} has no argument {argument}")


def _result(
    operator: Operator,
    kind: Local,
    args: list[Term],
    out: Term,
    build_value: Callable[[Term], Value],
) -> Value:
    """The whole result of which a term is one component."""
    if operator.result.is_scalar or operator.definition is None:
        return scalar(out)
    types, at = types_of(args, kind.attr), component_of(kind.attr)
    like = build_value(operator.definition)
    leaves = [
        out if k == at else Term(kind.op, tuple(args), Applied(types, k), out.type)
        for k in range(len(like.leaves))
    ]
    return Value(like.type, tuple(leaves))


def _one_of(like: Value, place: int, term: Term, zero: Term) -> Value:
    """A value with a term in one place, and zeros elsewhere."""
    return Value(like.type, tuple([term if k == place else zero for k in range(len(like.leaves))]))


def _leaf(value: Value, component: int) -> Term:
    """A component of a value; a scalar stands for all components alike."""
    return value.leaves[component if len(value.leaves) > 1 else 0]
