"""The modes of differentiation, all from linearization and transposition.

Takes a program, gives the program of its derivative in the precision asked for: substitutes
and nested requests are resolved first, then the derivative is built over the frozen program
and its local nodes are expanded by the rules. Algebra comes later, in `optimize`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ...terms.errors import DeriveError
from ...terms.loop import zero
from ...terms.program import Program, Request, Slot, grouped, renamed
from ...terms.rule import RuleSet
from ...terms.term import Term, const
from ...terms.types import Scalar, Tup, is_differentiable, leaf_types, tags_in
from ..loops.joining import joined
from ..loops.prune import pruned
from ..loops.tapes import unknown_trips, with_tapes, without_size
from ..loops.unrolling import unrolled
from .calls import resolve, with_calls
from .define import stand_ins
from .forward import has_sources, pushforward
from .jacobians import accumulated, orders
from .local import Limit, Made, Setting, expand
from .orders import Order
from .reverse import carries, pullback, with_forward
from .ties import on_one_side
from .tips import Tips


def derive(
    program: Program,
    mode: str,
    rules: RuleSet,
    real: Scalar,
    fired: dict[str, int] | None = None,
    substituted: dict[str, int] | None = None,
    made: dict[Term, Made] | None = None,
    order: Order | None = None,
) -> Program:
    """The program of a derivative.

    `primal` f; `fwd` (f, J dx); `bwd` J^T y_bar; `value_and_grad` (f, grad f); `jacobian` J;
    `hessian` the upper triangle of H; `hvp` H v. Raises DeriveError for an unknown mode,
    without anything to differentiate, and where a derivative has no rule to pass by. `fired`
    collects how often each derivative rule was used, `substituted` each primal substitute,
    `made` which rule each term of the derivative is from. Jacobians are accumulated in `order`,
    without one in the first that can be.
    """
    if mode == "primal":
        return program
    derivation = Derivation.of(program, mode, rules, real, substituted)
    wanted = derivation.orders() if order is None else (order,)
    found: Program | None = None
    for each in wanted:
        if found is None:
            found = derivation.built(each, fired, made, must=each is wanted[-1])
    assert found is not None
    return found


@dataclass(frozen=True)
class Derivation:
    """A program that is ready to be differentiated in a mode: requests and stand-ins are in."""

    program: Program
    mode: str
    rules: RuleSet
    real: Scalar

    @staticmethod
    def of(
        program: Program,
        mode: str,
        rules: RuleSet,
        real: Scalar,
        substituted: dict[str, int] | None = None,
        nested: bool = False,
    ) -> Derivation:
        """The derivation of a program; DeriveError where there is nothing to differentiate.

        Inside another function (`nested`) a forward derivative by nothing is zero.
        """
        if mode not in _BUILD:
            hint = f"the modes are {', '.join(MODES)}"
            raise DeriveError(f"there is no mode {mode!r}", hint=hint)
        frozen = resolve(program, rules, requested, derived=True, substituted=substituted)
        frozen = frozen.with_flat(stand_ins(rules, frozen.flat, real))
        frozen = unrolled(on_one_side(frozen, rules, twice=mode in _TWICE), rules)
        if not active(program) and not (mode == "fwd" and (nested or has_sources(frozen))):
            raise DeriveError(
                f"{program.name} has no differentiable parameter",
                program.at,
                "annotate a parameter as float (or float2, …), or list it in wrt=",
            )
        if not any(carries(slot) for slot in program.results):
            raise DeriveError(
                f"{program.name} has no differentiable result",
                program.at,
                "return real numbers: what is compared, counted or rounded to an integer has no "
                "derivative, and neither has what is annotated no_diff[…]",
            )
        return Derivation(frozen, mode, rules, real)

    def orders(self) -> tuple[Order, ...]:
        """The orders that its Jacobian can be accumulated in, the most usual first.

        A Hessian is the Jacobian of a gradient, where a mixed order is as good as always cheapest.
        """
        program, wrt = self.program, _leaves(active(self.program))
        setting = Setting(self.rules, self.real)
        if self.mode == "jacobian":
            return orders(program, _real_results(program), wrt, setting)
        if self.mode == "hessian" and Order.MIXED in orders(program, wrt, wrt, setting):
            return Order.MIXED, Order.FORWARD
        return (Order.FORWARD,)

    def size(self, order: Order) -> int:
        """About how many terms the derivative has, in this order: sweeps over the program."""
        wrt = len(_leaves(active(self.program)))
        results = wrt if self.mode == "hessian" else len(_real_results(self.program))
        sweeps = {Order.REVERSE: results, Order.FORWARD: wrt, Order.MIXED: min(results, wrt)}
        return sweeps[order] * len(self.program.terms())

    def built(
        self,
        order: Order,
        fired: dict[str, int] | None = None,
        made: dict[Term, Made] | None = None,
        *,
        must: bool = True,
    ) -> Program | None:
        """The derivative in this order, over loops that keep what they need and carry no more.

        None where the order takes far too many products; one of `orders` never does. Where it has
        to store what has no known size, DeriveError, or None if there are other orders.
        """
        taped = self.program if self.mode == "fwd" else with_tapes(self.program)
        setting = Setting(self.rules, self.real, {} if fired is None else fired, made)
        derivative = _BUILD[self.mode](taped, setting, order)
        if derivative is None:
            return None
        flat = pruned(expand(setting, setting.in_segments(derivative.flat)), self.rules)
        flat = pruned(joined(flat), self.rules)
        unsized = without_size(flat)
        if unsized is not None and must:
            raise unknown_trips(unsized)
        return None if unsized is not None else derivative.with_flat(flat, notes=taped.notes)


def requested(request: Request, rules: RuleSet) -> Program:
    """The derivative asked for inside a function: `fwd_diff(g)`, `bwd_diff(g)`."""
    inner = request.program
    params = tuple(
        replace(p, diff=p.diff and on) for p, on in zip(inner.params, request.active, strict=True)
    )
    real = next((t for p in params for t in leaf_types(p.type) if t.is_real), Scalar.F32)
    program = replace(inner, params=params)
    built = Derivation.of(program, request.mode, rules, real, nested=True).built(Order.FORWARD)
    assert built is not None  # no Jacobian
    return built


def without_requests(program: Program, rules: RuleSet) -> Program:
    """The program with every call, and every derivative that it asks for, put in."""
    return resolve(program, rules, requested, derived=False)


def active(program: Program) -> list[Slot]:
    """The parameters that a program is differentiated by."""
    return [p for p in program.params if p.diff and is_differentiable(p.type)]


def _leaves(slots: Sequence[Slot]) -> list[Term]:
    return [leaf for slot in slots for leaf in slot.leaves() if leaf.type.is_real]


def forward(program: Program, setting: Setting, _order: Order) -> Program:
    """(f(x), J(x) dx): the parameters, then their tangents; the results, then theirs."""
    diff = active(program)
    twins = renamed(diff, "d_{}", program.params)
    tangents = dict(zip(_leaves(diff), _leaves(twins), strict=True))
    values, derivatives = pushforward(program, tangents, setting)
    primal = grouped(program.results, values)
    tangent = grouped(program.results, _filled(derivatives, program.flat))
    tangent = _tagged(program.results, tangent, primal)
    carried = [i for i, slot in enumerate(program.results) if carries(slot)]
    names = renamed([program.results[i] for i in carried], "d_{}", program.results)
    return replace(
        program,
        name=f"{program.name}_fwd",
        params=(*program.params, *twins),
        results=(*program.results, *names),
        roots=(*primal, *(tangent[i] for i in carried)),
    )


def _filled(bars: Sequence[Term | None], like: Sequence[Term]) -> list[Term]:
    return [zero(v.type) if bar is None else bar for bar, v in zip(bars, like, strict=True)]


def _whole(slots: Sequence[Slot], real: Sequence[Term]) -> tuple[tuple[Term, ...], ...]:
    """One group per slot: the terms of its real components, zeros for the others."""
    rest = iter(real)
    return tuple(
        tuple([next(rest) if t.is_real else const(0, t) for t in leaf_types(slot.type)])
        for slot in slots
    )


def _tagged(
    slots: Sequence[Slot], groups: Sequence[Sequence[Term]], values: Sequence[Sequence[Term]]
) -> tuple[tuple[Term, ...], ...]:
    """Derivatives of unions are of the struct that is there: their tags are those of the values."""
    return tuple(
        tuple(v if tag else t for tag, t, v in zip(tags_in(slot.type), *both, strict=True))
        for slot, *both in zip(slots, groups, values, strict=True)
    )


def _gradients_of(diff: Sequence[Slot], real: Sequence[Term]) -> tuple[tuple[Term, ...], ...]:
    """One group per parameter: the terms of its real components, its tags, zeros for the others."""
    return _tagged(diff, _whole(diff, real), [p.leaves() for p in diff])


def _outputs(program: Program) -> list[tuple[Slot, tuple[Term, ...]]]:
    return [
        (slot, group)
        for slot, group in zip(program.results, program.roots, strict=True)
        if carries(slot)
    ]


def backward(program: Program, setting: Setting, _order: Order) -> Program:
    """J(x)^T y_bar: the parameters, then one cotangent per differentiable result."""
    diff, outputs = active(program), _outputs(program)
    bars = renamed([slot for slot, _ in outputs], "{}_bar", program.params)
    seeds = [
        (root, seed)
        for (_, group), bar in zip(outputs, bars, strict=True)
        for root, seed in zip(group, bar.leaves(), strict=True)
        if root.type.is_real
    ]
    wrt = _leaves(diff)
    flat = _filled(pullback(program, seeds, wrt, setting), wrt)
    results = tuple(renamed(diff, "{}_bar", bars))
    return Program(
        f"{program.name}_bwd",
        (*program.params, *bars),
        results,
        _gradients_of(diff, flat),
        program.notes,
        program.at,
    )


def _scalar_output(program: Program, mode: str) -> Term:
    outputs = _real_results(program)
    if len(outputs) != 1:
        raise DeriveError(
            f"mode={mode!r} needs one scalar result, {program.name} has {len(outputs)} components",
            program.at,
            "use mode='jacobian' or mode='bwd'",
        )
    return outputs[0]


def _gradient(
    program: Program, mode: str, setting: Setting, limit: Limit | None = None
) -> list[Term]:
    """grad f, expanded."""
    root = _scalar_output(program, mode)
    wrt = _leaves(active(program))
    bars = pullback(program, [(root, const(1.0, root.type))], wrt, setting)
    return expand(setting, _filled(bars, wrt), limit)


def value_and_grad(program: Program, setting: Setting, _order: Order) -> Program:
    """(f(x), grad f(x))."""
    flat = _gradient(program, "value_and_grad", setting)
    diff = active(program)
    slots = tuple(renamed(diff, "{}_bar", program.results))
    return replace(
        program,
        name=f"{program.name}_value_and_grad",
        results=(*program.results, *slots),
        roots=(*program.roots, *_gradients_of(diff, flat)),
    )


def _real_results(program: Program) -> list[Term]:
    """The components of all results that take a cotangent."""
    return [leaf for _, group in _outputs(program) for leaf in group if leaf.type.is_real]


def jacobian(program: Program, setting: Setting, order: Order) -> Program | None:
    """J(x), one result per pair of result and parameter, row-major over both components."""
    diff, outputs = active(program), _outputs(program)
    rows = accumulated(order, program, _real_results(program), _leaves(diff), setting)
    if rows is None:
        return None
    slots, flat = [], []
    first_row = 0
    for slot, group in outputs:
        first_col, height = 0, sum(leaf.type.is_real for leaf in group)
        for param in diff:
            width = len(_leaves([param]))
            entries = [
                e
                for row in rows[first_row : first_row + height]
                for e in row[first_col : first_col + width]
            ]
            out = "" if len(outputs) == 1 else f"{slot.name}_"
            slots.append(Slot(f"d_{out}{param.name}", Tup(tuple(e.type for e in entries))))
            flat.append(tuple(entries))
            first_col += width
        first_row += height
    named = tuple(renamed(slots, "{}", program.params))
    return replace(program, name=f"{program.name}_jacobian", results=named, roots=tuple(flat))


def hessian(program: Program, setting: Setting, order: Order) -> Program | None:
    """The upper triangle of H(x), row by row over all components: the gradient's Jacobian."""
    wrt = _leaves(active(program))
    gradient = _gradient_program(program, "hessian", setting)
    real = [t for t in gradient.flat if t.type.is_real]
    rows = accumulated(order, gradient, real, wrt, setting)
    if rows is None:
        return None
    entries = [entry for i, row in enumerate(rows) for entry in row[i:]]
    slot = Slot("hessian", Tup(tuple(e.type for e in entries)))
    return replace(
        program,
        name=f"{program.name}_hessian",
        results=tuple(renamed([slot], "{}", program.params)),
        roots=(tuple(entries),),
    )


def _gradient_program(program: Program, mode: str, setting: Setting) -> Program:
    """grad f, to be derived again: forwards, also where a function has a backward rule alone."""
    program = with_calls(program, partial(with_forward, setting=setting))
    flat = _gradient(program, mode, setting, Tips(program, setting))
    diff = active(program)
    slots = tuple(renamed(diff, "{}_bar", ()))
    return replace(program, results=slots, roots=_gradients_of(diff, flat))


def hessian_vector(program: Program, setting: Setting, _order: Order) -> Program:
    """H(x) v: the parameters, then one direction per differentiable parameter."""
    diff = active(program)
    directions = renamed(diff, "v_{}", program.params)
    gradient = _gradient_program(program, "hvp", setting)
    tangents = dict(zip(_leaves(diff), _leaves(directions), strict=True))
    _, derivatives = pushforward(gradient, tangents, setting)
    second = _filled(derivatives, gradient.flat)
    results = tuple(renamed(diff, "{}_hvp", directions))
    return Program(
        f"{program.name}_hvp",
        (*program.params, *directions),
        results,
        _tagged(diff, grouped(results, second), [p.leaves() for p in diff]),
        program.notes,
        program.at,
    )


_BUILD: dict[str, Callable[[Program, Setting, Order], Program | None]] = {
    "fwd": forward,
    "bwd": backward,
    "value_and_grad": value_and_grad,
    "jacobian": jacobian,
    "hessian": hessian,
    "hvp": hessian_vector,
}
_TWICE = ("hessian", "hvp")
MODES = ("primal", *_BUILD)
