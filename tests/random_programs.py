"""Random programs over all operators, typed and aware of domains.

A `Sketch` is a list of steps from which two things are made: terms, through `terms.apply`,
and the text of a Python function. Takes a source of random choices (`random.Random`, or one
of Hypothesis), gives sketches with points at which they are tame. Knows nothing of checks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from judge import Trial

from egad import rewrite
from egad.rules import load
from egad.terms.apply import apply, select_values
from egad.terms.errors import EgadError
from egad.terms.operators import power
from egad.terms.program import Call, Program, Slot
from egad.terms.rule import Rewrite
from egad.terms.term import Term, const_value, is_const, toposort
from egad.terms.types import Mat, Scalar, Vec, leaf_types
from egad.terms.value import Value, literal, scalar, stack

RULES = load()
POINTS = 12  # at which a program is tried while it grows
_TRIES = 6  # to begin with a given operator
KEPT = 3  # at which it is checked
_LITERALS = (0.5, 2.0, -1.0, 1.0, 0.25, 3.0, -0.5, 1.5, -2.0, 0.1, 10.0, 0.0)
_ARITHMETIC = ("add", "sub", "mul", "div", "neg", "power")
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
_TYPES = {
    "float": Scalar.REAL,
    "int": Scalar.I32,
    "bool": Scalar.BOOL,
    "float2": Vec(Scalar.REAL, 2),
    "float3": Vec(Scalar.REAL, 3),
    "float4": Vec(Scalar.REAL, 4),
    "float2x2": Mat(Scalar.REAL, 2, 2),
    "float3x3": Mat(Scalar.REAL, 3, 3),
}


@dataclass(frozen=True)
class Lit:
    """A number in the text of a program: `2` or `2.0`."""

    number: float | int


@dataclass(frozen=True)
class Step:
    """One value: an operator, or `item`, `stack`, `swizzle`, `power`, `detach`, `call`.

    Arguments are the indices of earlier values (parameters first), or literals.
    """

    op: str
    args: tuple[int | Lit, ...]
    attr: Any = None


@dataclass(frozen=True)
class Sketch:
    """A program: parameters (name, type name), steps, and the index of the result."""

    params: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]
    result: int

    def live(self) -> list[int]:
        """The indices of the values that the result needs, in order."""
        needed = {self.result}
        for index in range(len(self.params) + len(self.steps) - 1, len(self.params) - 1, -1):
            if index in needed:
                step = self.steps[index - len(self.params)]
                needed.update(a for a in step.args if isinstance(a, int))
        return sorted(needed)

    def operators(self) -> set[str]:
        """The names of the operators that take part."""
        start = len(self.params)
        return {self.steps[i - start].op for i in self.live() if i >= start}


def _retyped(name: str, real: Scalar) -> Any:
    type_ = _TYPES[name]
    if isinstance(type_, Vec):
        return Vec(real, type_.size)
    if isinstance(type_, Mat):
        return Mat(real, type_.rows, type_.cols)
    return real if type_ is Scalar.REAL else type_


def slots(params: tuple[tuple[str, str], ...], real: Scalar) -> tuple[Slot, ...]:
    return tuple(Slot(name, _retyped(kind, real)) for name, kind in params)


def build(sketch: Sketch, real: Scalar, name: str = "f") -> Program:
    """The program in terms."""
    params = slots(sketch.params, real)
    values = [Value(slot.type, tuple(slot.leaves())) for slot in params]
    for step in sketch.steps:
        values.append(value_of(step, values, real))
    result = values[sketch.result]
    return Program(name, params, (Slot("out", result.type),), (result.leaves,))


def value_of(step: Step, values: list[Value], real: Scalar) -> Value:
    """The value of one step over the earlier ones."""
    args = [literal(a.number, real) if isinstance(a, Lit) else values[a] for a in step.args]
    match step.op:
        case "item":
            return args[0].item(step.attr)
        case "swizzle":
            leaves = tuple(args[0].leaves["xyzw".index(c)] for c in step.attr)
            return Value(Vec(args[0].type.elem, len(leaves)), leaves)  # type: ignore[union-attr]
        case "stack":
            found = stack(args)
            assert found is not None
            return found
        case "power":
            return power(RULES, args[0], literal(step.attr, real), real)
        case "select":
            found = select_values(RULES, args[0].term, args[1], args[2], real)
            assert found is not None
            return found
        case "detach":
            return scalar(Term("detach", args[0].leaves, None, args[0].type))  # type: ignore[arg-type]
        case "call":
            called = _called(step.attr, real)
            term = Term("call", tuple(a.term for a in args), called, real)
            return scalar(Term("proj", (term,), 0, real))
    return apply(RULES, step.op, args, real)


@lru_cache(maxsize=4096)
def _called(body: Sketch, real: Scalar) -> Call:
    """A function with derivatives of its own: those of its body."""
    program = build(body, real, "g")
    fwd = rewrite.derive(program, "fwd", RULES, real)
    bwd = rewrite.derive(program, "bwd", RULES, real)
    tangents = fwd.with_flat(fwd.flat)
    return Call("g", program, tangents, bwd)


# ------------------------------------------------------------------------------ growing


class Grower:
    """Grows one sketch: every step is tried at points, and kept where enough of them are tame."""

    def __init__(self, rng: Any, budget: int, text: bool, depth: int = 0) -> None:
        self.rng, self.text, self.depth, self.budget = rng, text, depth, budget
        self.params = self._parameters()
        self.noise = np.random.default_rng(rng.randrange(1 << 30))
        real = Scalar.F64
        params = slots(self.params, real)
        self.values = [Value(slot.type, tuple(slot.leaves())) for slot in params]
        self.trial = Trial(RULES, {p: self._inputs(k) for s in params for p, k in _paths(s)})
        self.steps: list[Step] = []
        self.fresh: list[int] = list(range(len(self.params)))
        self.tame = np.ones(POINTS, bool)
        self.inside = self.tame  # of what is tried: where functions are in their domains

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def _parameters(self) -> tuple[tuple[str, str], ...]:
        kinds = ["float"]
        if self.depth:
            return (("u", "float"),) if self.chance(60) else (("u", "float"), ("w", "float"))
        kinds += [
            kind
            for kind, percent in (("float", 60), ("float3", 12), ("float2", 8), ("int", 15))
            if self.chance(percent)
        ]
        if self.chance(3):
            kinds.append("float2x2")
        return tuple(zip("xyvwmn", kinds, strict=False))

    def _inputs(self, kind: Scalar) -> Any:
        if kind is Scalar.I32:
            return self.noise.integers(-4, 6, POINTS).astype(np.int32)
        scale = self.noise.choice([0.5, 1.5, 3.0])
        shift = self.noise.choice([0.0, 0.0, 1.0])
        return np.float32(np.round(self.noise.uniform(-scale, scale, POINTS) + shift, 3)).astype(
            np.float64
        )

    # -- operands

    def _indices(self, kind: str) -> list[int]:
        return [i for i, v in enumerate(self.values) if _has_kind(v.type, kind)]

    def _pick(self, kind: str) -> int | None:
        found = self._indices(kind)
        fresh = [i for i in found if i in self.fresh]
        if fresh and self.chance(70):
            return fresh[-1] if self.chance(60) else self.rng.choice(fresh)
        return self.rng.choice(found) if found else None

    def operand(self, kind: str) -> int | Lit:
        """An earlier value (or a new one made from earlier ones) of a parameter's kind."""
        if kind in ("real", "number", "any"):
            if self.chance(12):
                return Lit(self.rng.choice(_LITERALS))
            vectors = self._indices("vec")
            if vectors and self.chance(25):
                return self._component(self.rng.choice(vectors))
            found = self._pick("real")
            return 0 if found is None else found
        if kind == "int":
            found = self._pick("int")
            return Lit(self.rng.randrange(1, 5)) if found is None or self.chance(20) else found
        if kind == "bool":
            found = self._pick("bool")
            return found if found is not None and self.chance(60) else self._comparison()
        found = self._pick(kind)
        if found is not None and self.chance(70):
            return found
        return self._stacked(kind)

    def _component(self, index: int) -> int:
        count = len(self.values[index])
        return self._emit(Step("item", (index,), self.rng.randrange(count)))

    def _comparison(self) -> int:
        op = _COMPARISONS[self.rng.randrange(4)]
        return self._emit(Step(op, (self.operand("real"), self.operand("real"))))

    def _stacked(self, kind: str) -> int:
        size = int(kind[3:]) if kind[3:] else 2 + (self.rng.randrange(10) > 5)
        if kind.startswith("vec"):
            source = [i for i in self._indices("vec") if len(self.values[i]) >= 2]
            if source and self.chance(40):
                vector = self.rng.choice(source)
                names = "xyzw"[: len(self.values[vector])]
                swizzle = "".join(self.rng.choice(names) for _ in range(size))
                return self._emit(Step("swizzle", (vector,), swizzle))
            args = tuple(self.operand("real") for _ in range(size))
            args = (self._some_real(), *args[1:])
        else:
            args = tuple(self.operand(f"vec{size}") for _ in range(size))
        return self._emit(Step("stack", args))

    def _some_real(self) -> int:
        found = self._pick("real")
        return 0 if found is None else found

    # -- steps

    def _emit(self, step: Step) -> int:
        self.values.append(value_of(step, self.values, Scalar.F64))
        self.steps.append(step)
        index = len(self.values) - 1
        self.fresh = [i for i in self.fresh if i not in step.args] + [index]
        return index

    def tame_at(self, index: int) -> Any:
        """Where all components of a value are tame."""
        tame = np.ones(POINTS, bool)
        for leaf in self.values[index].leaves:
            tame = tame & self.trial.at(leaf)[1]
        return tame

    def attempt(self, make: Any) -> bool:
        """Make a value; undo it where it is not tame at enough points."""
        state = len(self.values), len(self.steps), list(self.fresh)
        self.inside = np.ones(POINTS, bool)
        try:
            index = make()
            tame = self.tame & self.inside & self.tame_at(index)
            if tame.sum() >= max(KEPT + 1, 0.55 * self.tame.sum()):
                self.tame = tame
                return True
        except EgadError as error:
            if "does not exist" not in error.message and "shapes" not in error.message:
                raise
        del self.values[state[0] :]
        del self.steps[state[1] :]
        self.fresh = state[2]
        return False

    def _kinds(self, name: str) -> list[str]:
        operator = self.rng.choice(RULES.operators[name])
        integer = all(p.kind == "number" for p in operator.params) and self._indices("int")
        if integer and self.chance(30):
            return ["int"] * operator.arity()
        return [p.kind for p in operator.params]

    def operation(self, name: str) -> int:
        """A value of the operator `name`, its arguments brought into the domain."""
        if name == "power":
            return self._emit(Step("power", (self.operand("real"),), self.rng.choice((2, 3, -1))))
        kinds = self._kinds(name)
        args: list[Any] = []
        for place, kind in enumerate(kinds):
            if kind == "vec" and args and isinstance(args[0], int):  # of one length
                kinds[place] = f"vec{len(self.values[args[0]]) or ''}"
            args.append(self.operand(kinds[place]))
        for place in range(1, len(args)):
            # Equal arguments make constants of whole programs; some are wanted.
            if args[place] in args[:place] and self.chance(85):
                args[place] = self.operand(kinds[place])
        if all(isinstance(a, Lit) for a in args):
            args[0] = self._some_real() if kinds[0] != "int" else args[0]
        if name == "select":
            args[1:] = self._matching(args[1:])
        operator = RULES.operators[name][0]
        if operator.domain is not None and not operator.is_composite:
            args = self._into_domain(operator, kinds, args)
            self.inside = self.inside & self._where_inside(operator, kinds, args)
        return self._emit(Step(name, tuple(args)))

    def _matching(self, args: list[Any]) -> list[Any]:
        vectors = self._indices("vec")
        if vectors and self.chance(15):
            first = self.rng.choice(vectors)
            same = [i for i in vectors if self.values[i].type == self.values[first].type]
            return [first, self.rng.choice(same)]
        return args

    def _into_domain(self, operator: Any, kinds: list[str], args: list[Any]) -> list[Any]:
        for _ in range(5):
            inside = self._where_inside(operator, kinds, args) & self.tame
            if inside.sum() >= 0.7 * self.tame.sum():
                return args
            which = self.rng.randrange(len(args))
            if kinds[which] == "int":
                args[which] = self._repaired_int(args[which])
            elif not isinstance(args[which], Lit):
                args[which] = self._repaired(args[which])
            else:
                args[which] = Lit(self.rng.choice((0.5, 2.0, 1.5, 3.0)))
        return args

    def _where_inside(self, operator: Any, kinds: list[str], args: list[Any]) -> Any:
        """Where arguments are in an operator's domain, of which its definition need say nothing."""
        values = [
            literal(a.number if kind == "int" else float(a.number), Scalar.F64)
            if isinstance(a, Lit)
            else self.values[a]
            for a, kind in zip(args, kinds, strict=True)
        ]
        return self.trial.inside(operator, values)

    def _repaired(self, index: int) -> int:
        """A function of a value with a smaller range."""
        match self.rng.randrange(7):
            case 0:
                square = self._emit(Step("mul", (index, index)))
                return self._emit(Step("add", (square, Lit(0.5))))
            case 1:
                bounded = self._emit(Step("tanh", (index,)))
                return self._emit(Step("mul", (Lit(0.875), bounded)))
            case 2:
                bounded = self._emit(Step("sin", (index,)))
                return self._emit(Step("add", (bounded, Lit(2.5))))
            case 3:
                bounded = self._emit(Step("sigmoid", (index,)))
                return self._emit(Step("add", (Lit(1.0), bounded)))
            case 4:
                size = self._emit(Step("abs", (index,)))
                return self._emit(Step("add", (size, Lit(0.75))))
            case 5:
                return self._emit(Step("sigmoid", (index,)))
        half = self._emit(Step("mul", (Lit(0.5), index)))
        return self._emit(Step("exp", (half,)))

    def _repaired_int(self, arg: int | Lit) -> int | Lit:
        """Another integer: a literal, or a positive function of a value."""
        if isinstance(arg, Lit) or self.chance(50):
            return Lit(self.rng.randrange(-3, 6))
        size = self._emit(Step("abs", (arg,)))
        return self._emit(Step("add", (size, Lit(1 + self.rng.randrange(3)))))

    def guarded(self, name: str) -> int:
        """`op(a) if a > t else b`: undefined in the arm that is not taken."""
        index = self._some_real()
        limit = Lit(self.rng.choice((0.125, 0.25, 1.125, -0.875)))
        other = self.operand("real")
        value = self._emit(Step(name, (index,)))
        if self.chance(70):
            condition = self._emit(Step("gt", (index, limit)))
            return self._emit(Step("select", (condition, value, other)))
        condition = self._emit(Step("le", (index, limit)))
        return self._emit(Step("select", (condition, other, value)))

    def twins(self, rule: Rewrite) -> int:
        """The left side of a rewrite in an arm, its right side in the open.

        They are equal where the left side is defined; nothing of it may take part elsewhere.
        """
        known = {c.args[0]: c.op for c in rule.conditions if c.args[0].op == "var"}
        values: dict[Term, int | Lit] = {}
        for term in toposort([rule.lhs, rule.rhs]):
            if term.op == "var":
                values[term] = self._known(term, known.get(term))
            elif term.op == "const":
                values[term] = Lit(const_value(term))
            else:
                args = tuple(values[a] for a in term.args)
                values[term] = self._emit(Step(term.op, args))
        left, right = (self._value(values[side]) for side in (rule.lhs, rule.rhs))
        index, limit = self._some_real(), Lit(self.rng.choice((0.125, 1.125, -0.875)))
        condition = self._emit(Step(self.rng.choice(("gt", "le")), (index, limit)))
        choice = self._emit(Step("select", (condition, left, self.operand("real"))))
        return self._emit(Step("add", (choice, self._emit(Step("mul", (right, index))))))

    def _known(self, variable: Term, relation: str | None) -> int | Lit:
        """An operand for a variable of a rewrite, its sign known where the rewrite asks for it."""
        if variable.type is Scalar.BOOL:
            return self.operand("bool")
        if relation == "is_const":
            return Lit(self.rng.choice((0.5, 2.0, -1.5)))
        index = self._some_real()
        if relation in ("gt", "ge", "lt", "le"):
            index = self._emit(Step("exp", (index,)))
        return self._emit(Step("neg", (index,))) if relation in ("lt", "le") else index

    def _value(self, arg: int | Lit) -> int:
        return arg if isinstance(arg, int) else self._emit(Step("add", (0, arg)))

    def elementwise(self, name: str) -> int:
        """A scalar operator over the components of a vector."""
        vector = self.rng.choice(self._indices("vec"))
        kinds = self._kinds(name)
        args: list[Any] = [self.operand("real") for _ in kinds]
        args[self.rng.randrange(len(args))] = vector
        return self._emit(Step(name, tuple(args)))

    def call(self) -> int:
        """A function with derivatives of its own."""
        inner = Grower(self.rng, 1 + self.rng.randrange(2), False, depth=1).grow()
        if inner is None:
            return self._some_real()
        args = tuple(self._some_real() for _ in inner.params)
        return self._emit(Step("call", args, inner))

    def _any_step(self) -> int:
        roll = self.rng.randrange(100)
        if roll < 22:
            return self.operation(self.rng.choice(_ARITHMETIC))
        if roll < 32:
            return self.guarded(self.rng.choice(_GUARDED))
        if 32 <= roll < 40 and self._indices("vec"):
            return self.elementwise(self.rng.choice(_elementwise(self.text)))
        if 46 <= roll < 54 and not self.depth:
            return self.twins(self.rng.choice(_REWRITES))
        if 40 <= roll < 42 and not self.text and not self.depth:
            return self._emit(Step("detach", (self._some_real(),)))
        if 42 <= roll < 46 and not self.text and not self.depth:
            return self.call()
        names = _SCALAR if self.depth else _ALL
        return self.operation(self.rng.choice(names))

    def grow(self, first: str | None = None) -> Sketch | None:
        """The sketch, or None where no program came of it; it begins with the operator `first`."""
        grown = 0
        for _ in range(_TRIES if first else 0):
            grown += not grown and self.attempt(lambda: self.operation(first))
        for _ in range(3 * self.budget):
            grown += self.attempt(self._any_step)
            if grown >= self.budget:
                break
        if not self.attempt(self._finish):
            return None
        return Sketch(self.params, tuple(self.steps), len(self.values) - 1)

    def _finish(self) -> int:
        """The result: the last value, joined with what has not been used."""
        index = len(self.values) - 1
        if not self.steps:
            index = self._emit(Step("mul", (0, 0)))
        rest = [i for i in self.fresh if i >= len(self.params) and i != index][-3:]
        if self.depth or not isinstance(self.values[index].type, Vec | Mat):
            index = self._as_real(index)
        if not isinstance(self.values[index].type, Mat):
            for other in map(self._as_real, rest):
                index = self._emit(Step("add" if self.chance(50) else "mul", (index, other)))
        if not _varies(self.values[index]):
            index = self._emit(Step("add", (index, 0)))
        return index

    def _as_real(self, index: int) -> int:
        """A real number in which a value of any type takes part."""
        while not isinstance(type_ := self.values[index].type, Scalar):
            index = self._component(index)
        if type_ is Scalar.BOOL:
            other = self._emit(Step("mul", (0, Lit(0.5))))
            return self._emit(Step("select", (index, 0, other)))
        return self._emit(Step("mul", (index, 0))) if type_ is Scalar.I32 else index


def _paths(slot: Slot) -> list[tuple[str, Scalar]]:
    return list(zip(slot.paths(), leaf_types(slot.type), strict=True))


def _varies(value: Value) -> bool:
    return any(t.op == "var" and t.type.is_real for t in toposort(value.leaves))


def _has_kind(type_: Any, kind: str) -> bool:
    match kind:
        case "real" | "number" | "any":
            return isinstance(type_, Scalar) and type_.is_real
        case "int":
            return type_ is Scalar.I32
        case "bool":
            return type_ is Scalar.BOOL
        case "vec":
            return isinstance(type_, Vec) and type_.elem.is_real
        case "mat":
            return isinstance(type_, Mat) and type_.rows == type_.cols
    wanted = int(kind[3:])
    if kind.startswith("vec"):
        return isinstance(type_, Vec) and type_.size == wanted and type_.elem.is_real
    return isinstance(type_, Mat) and type_.rows == type_.cols == wanted


_ALL = tuple(RULES.words)
_SCALAR = tuple(n for n, o in RULES.operators.items() if n in RULES.plain)
_GUARDED = ("sqrt", "log", "rsqrt", "rcp", "log1p", "acosh", "log2", "lgamma", "cbrt", "xlogx")
_REWRITES = tuple(  # of those with nan others say where they hold: what is none has no derivative
    rule
    for rule in RULES.rewrites
    if not rule.primal
    and rule.lhs.type.is_real
    and all(p.is_scalar for p in rule.params)
    and not any(is_const(t, math.nan) for t in toposort([rule.rhs]))
)
# Python's own functions, which know no vectors.
_BUILTIN = frozenset({"abs", "min", "max", "round", "pow"})


def _elementwise(text: bool) -> tuple[str, ...]:
    """What may be applied to a vector; in text no helper of the rule files, which has no name."""
    return tuple(n for n in _SCALAR if not text or (n in RULES.words and n not in _BUILTIN))


@dataclass(frozen=True)
class Sample:
    """A sketch with the points at which it is tame: an array of KEPT values per input."""

    sketch: Sketch
    inputs: dict[str, Any]
    text: bool = False  # it can be written down as Python


def sample(rng: Any, turn: int, text: bool = False) -> Sample | None:
    """A random program with its points; None where nothing came of it.

    Operators take turns to be the first one in it, so that none is left out of a long run.
    """
    grower = Grower(rng, 2 + rng.randrange(5), text)
    sketch = grower.grow(_ALL[turn % len(_ALL)])
    if sketch is None:
        return None
    chosen = np.flatnonzero(grower.tame)[:KEPT]
    if len(chosen) < KEPT:
        return None
    inputs = {k: v[chosen] for k, v in grower.trial.inputs.items()}
    return Sample(trimmed(sketch), inputs, text)


def trimmed(sketch: Sketch) -> Sketch:
    """The sketch without the steps that its result does not need."""
    start = len(sketch.params)
    kept = [i for i in sketch.live() if i >= start]
    number = {i: i for i in range(start)} | {old: start + k for k, old in enumerate(kept)}
    steps = [
        replace(s, args=tuple(number[a] if isinstance(a, int) else a for a in s.args))
        for s in (sketch.steps[i - start] for i in kept)
    ]
    return Sketch(sketch.params, tuple(steps), number[sketch.result])
