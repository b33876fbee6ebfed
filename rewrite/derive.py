"""The modes of differentiation, all from linearization and transposition.

Takes a program, gives the program of its derivative in the precision asked for: substitutes
and nested requests are resolved first, then the derivative is built over the frozen program
and its local nodes are expanded by the rules. Algebra comes later, in `optimize`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..terms.errors import DeriveError
from ..terms.loop import zero
from ..terms.program import Program, Request, Slot, grouped, renamed
from ..terms.rule import RuleSet
from ..terms.term import Term, const
from ..terms.types import Scalar, Tup, is_differentiable, leaf_types
from .calls import resolve
from .define import stand_ins
from .forward import has_sources, pushforward
from .local import Made, Setting, expand
from .loops.prune import pruned
from .loops.tapes import check_sizes, with_tapes
from .loops.unrolling import unrolled
from .reverse import carries, pullback

MODES = ("primal", "fwd", "bwd", "value_and_grad", "jacobian", "hessian", "hvp")


def derive(
    program: Program,
    mode: str,
    rules: RuleSet,
    real: Scalar,
    fired: dict[str, int] | None = None,
    substituted: dict[str, int] | None = None,
    made: dict[Term, Made] | None = None,
) -> Program:
    """The program of a derivative.

    `primal` f; `fwd` (f, J dx); `bwd` J^T y_bar; `value_and_grad` (f, grad f); `jacobian` J;
    `hessian` the upper triangle of H; `hvp` H v. Raises DeriveError for an unknown mode,
    without anything to differentiate, and where a derivative has no rule to pass by. `fired`
    collects how often each derivative rule was used, `substituted` each primal substitute,
    `made` which rule each term of the derivative is from.
    """
    if mode == "primal":
        return program
    build = {
        "fwd": forward,
        "bwd": backward,
        "value_and_grad": value_and_grad,
        "jacobian": jacobian,
        "hessian": hessian,
        "hvp": hessian_vector,
    }.get(mode)
    if build is None:
        raise DeriveError(f"there is no mode {mode!r}", hint=f"the modes are {', '.join(MODES)}")
    frozen = resolve(program, rules, requested, derived=True, substituted=substituted)
    frozen = frozen.with_flat(stand_ins(rules, frozen.flat, real))
    frozen = unrolled(frozen, rules)
    if not active(program) and not (mode == "fwd" and has_sources(frozen)):
        raise DeriveError(
            f"{program.name} has no differentiable parameter",
            program.at,
            "annotate a parameter as float (or float2, …), or list it in wrt=",
        )
    if not any(carries(slot) for slot in program.results):
        raise DeriveError(f"{program.name} has no differentiable result", program.at)
    setting = Setting(rules, real, {} if fired is None else fired, made)
    return _built(build, frozen, setting)


def _built(
    build: Callable[[Program, Setting], Program], program: Program, setting: Setting
) -> Program:
    """The derivative of a program, over loops that keep what they need and carry no more."""
    taped = program if build is forward else with_tapes(program)
    derivative = build(taped, setting)
    flat = pruned(expand(setting, setting.in_segments(derivative.flat)))
    check_sizes(flat)
    return derivative.with_flat(flat, notes=taped.notes)


def requested(request: Request, rules: RuleSet) -> Program:
    """The derivative asked for inside a function: `fwd_diff(g)`, `bwd_diff(g)`."""
    inner = request.program
    params = tuple(
        replace(p, diff=p.diff and on) for p, on in zip(inner.params, request.active, strict=True)
    )
    real = next((t for p in params for t in leaf_types(p.type) if t.is_real), Scalar.F32)
    return derive(replace(inner, params=params), request.mode, rules, real)


def without_requests(program: Program, rules: RuleSet) -> Program:
    """The program with every call, and every derivative that it asks for, put in."""
    return resolve(program, rules, requested, derived=False)


def active(program: Program) -> list[Slot]:
    """The parameters that a program is differentiated by."""
    return [p for p in program.params if p.diff and is_differentiable(p.type)]


def _leaves(slots: Sequence[Slot]) -> list[Term]:
    return [leaf for slot in slots for leaf in slot.leaves() if leaf.type.is_real]


def forward(program: Program, setting: Setting) -> Program:
    """(f(x), J(x) dx): the parameters, then their tangents; the results, then theirs."""
    diff = active(program)
    twins = renamed(diff, "d_{}", program.params)
    tangents = dict(zip(_leaves(diff), _leaves(twins), strict=True))
    values, derivatives = pushforward(program, tangents, setting)
    primal = grouped(program.results, values)
    tangent = grouped(program.results, _filled(derivatives, program.flat))
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


def _outputs(program: Program) -> list[tuple[Slot, tuple[Term, ...]]]:
    return [
        (slot, group)
        for slot, group in zip(program.results, program.roots, strict=True)
        if carries(slot)
    ]


def backward(program: Program, setting: Setting) -> Program:
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
        _whole(results, flat),
        program.notes,
        program.at,
    )


def _scalar_output(program: Program, mode: str) -> Term:
    outputs = [leaf for _, group in _outputs(program) for leaf in group if leaf.type.is_real]
    if len(outputs) != 1:
        raise DeriveError(
            f"mode={mode!r} needs one scalar result, {program.name} has {len(outputs)} components",
            program.at,
            "use mode='jacobian' or mode='bwd'",
        )
    return outputs[0]


def _gradient(program: Program, mode: str, setting: Setting) -> list[Term]:
    """grad f, expanded."""
    root = _scalar_output(program, mode)
    wrt = _leaves(active(program))
    bars = pullback(program, [(root, const(1.0, root.type))], wrt, setting)
    return expand(setting, _filled(bars, wrt))


def value_and_grad(program: Program, setting: Setting) -> Program:
    """(f(x), grad f(x))."""
    flat = _gradient(program, "value_and_grad", setting)
    slots = tuple(renamed(active(program), "{}_bar", program.results))
    return replace(
        program,
        name=f"{program.name}_value_and_grad",
        results=(*program.results, *slots),
        roots=(*program.roots, *_whole(slots, flat)),
    )


def jacobian(program: Program, setting: Setting) -> Program:
    """J(x), one result per pair of result and parameter, row-major over both components.

    Rows by transposition when there are fewer of them than columns, else columns by
    linearization: the smaller number of sweeps over the program.
    """
    diff, outputs = active(program), _outputs(program)
    wrt = _leaves(diff)
    roots = [leaf for _, group in outputs for leaf in group if leaf.type.is_real]
    if len(roots) <= len(wrt):
        rows = []
        for root in roots:
            seed = [(root, const(1.0, root.type))]
            rows.append(_filled(pullback(program, seed, wrt, setting), wrt))
    else:
        rows = _columns(program, roots, wrt, setting)
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


def _columns(
    program: Program, roots: list[Term], wrt: list[Term], setting: Setting
) -> list[list[Term]]:
    """The rows of the Jacobian, built column by column."""
    index: dict[Term, int] = {}
    for i, term in enumerate(program.flat):
        index.setdefault(term, i)
    columns = []
    for leaf in wrt:
        _, tangents = pushforward(program, {leaf: const(1.0, leaf.type)}, setting)
        columns.append(_filled([tangents[index[root]] for root in roots], roots))
    return [list(row) for row in zip(*columns, strict=True)]


def hessian(program: Program, setting: Setting) -> Program:
    """The upper triangle of H(x), row by row over all components: forward over reverse."""
    wrt = _leaves(active(program))
    gradient = _gradient_program(program, "hessian", setting)
    entries: list[Term] = []
    real = [t for t in gradient.flat if t.type.is_real]
    columns = _columns(gradient, real, wrt, setting) if wrt else []
    for i, row in enumerate(columns):
        entries += row[i:]
    slot = Slot("hessian", Tup(tuple(e.type for e in entries)))
    return replace(
        program,
        name=f"{program.name}_hessian",
        results=tuple(renamed([slot], "{}", program.params)),
        roots=(tuple(entries),),
    )


def _gradient_program(program: Program, mode: str, setting: Setting) -> Program:
    flat = _gradient(program, mode, setting)
    slots = tuple(renamed(active(program), "{}_bar", ()))
    return replace(program, results=slots, roots=_whole(slots, flat))


def hessian_vector(program: Program, setting: Setting) -> Program:
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
        grouped(results, second),
        program.notes,
        program.at,
    )
