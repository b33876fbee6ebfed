"""The statements of programs: order, scopes, branches; checked by playing them step by step."""

import math
import random
import time
from dataclasses import replace

import numpy as np
import pytest
from hand_rules import BOOL, F32, I32, RULES, select, term

from egad.codegen.host import reference
from egad.codegen.schedule.fusing import Fusing, operands
from egad.codegen.schedule.placing import declare
from egad.codegen.schedule.regions import BRANCH_COST
from egad.codegen.schedule.schedule import schedule
from egad.codegen.schedule.statement import Assign, Declare, Define, Else, ElseIf, End, If
from egad.terms.loop import load
from egad.terms.program import Note, Program, Slot
from egad.terms.term import CONST, LEAVES, VAR, Term, const, const_value, var
from egad.terms.types import Memory

_FMA = replace(RULES.operator("mul"), name="fma", opencl={F32: "fma({a}, {b}, {c})"}, cost=2)
WITH_FMA = replace(RULES, operators={**RULES.operators, "fma": (_FMA,)})
X, Y, Z = (var(n, F32) for n in "xyz")


def program(*roots, notes=None, params="xyz"):
    slots = tuple(Slot(n, F32) for n in params)
    results = tuple(Slot(f"r{i}", r.type) for i, r in enumerate(roots))
    return Program("p", slots, results, tuple((r,) for r in roots), notes or {})


class Player:
    """Executes statements as C would: blocks have scopes, only the arm taken runs."""

    def __init__(self, plan, inputs):
        self.plan = plan
        self.inputs = inputs
        self.scopes = [{}]
        self.executed = []

    def run(self):
        position, statements = 0, self.plan.statements
        while position < len(statements):
            position = self.step(statements[position], position)
        assert len(self.scopes) == 1
        return [self.value(r) for r in self.plan.roots]

    def step(self, statement, position):
        match statement:
            case Define(term=t):
                assert all(t not in s for s in self.scopes), "defined twice"
                self.scopes[-1][t] = self.compute(t)
            case Declare(term=t):
                assert all(t not in s for s in self.scopes), "declared twice"
                self.scopes[-1][t] = None
            case Assign(target=target, value=value, compute=compute):
                scope = next(s for s in reversed(self.scopes) if target in s)
                scope[target] = self.compute(value) if compute else self.value(value)
            case If(condition=c):
                self.scopes.append({})
                return position + 1 if self.value(c) else self.enter_other(position)
            case Else() | ElseIf():
                end = self.after(position, End)
                self.scopes.pop()
                return end + 1
            case End():
                self.scopes.pop()
        return position + 1

    def enter_other(self, position):
        """The first statement of the side to take when the test at `position` fails."""
        position = self.after(position, Else | ElseIf)
        statement = self.plan.statements[position]
        if isinstance(statement, ElseIf) and not self.value(statement.condition):
            return self.enter_other(position)
        return position + 1

    def after(self, position, kind):
        """The next statement of a kind that belongs to the `If` at or around `position`."""
        depth = 0
        for i in range(position + 1, len(self.plan.statements)):
            statement = self.plan.statements[i]
            if isinstance(statement, kind) and depth == 0:
                return i
            depth += isinstance(statement, If) - isinstance(statement, End)
        raise AssertionError("unbalanced")

    def value(self, t):
        if t.op == VAR:
            return np.float32(self.inputs[t.attr])
        if t.op == CONST:
            return const_value(t)
        if t in self.plan.inline:
            return self.compute(t)
        scope = next(s for s in reversed(self.scopes) if t in s)
        assert scope[t] is not None, f"{t} is read before it is assigned"
        return scope[t]

    def compute(self, t):
        self.executed.append(t)
        if t in self.plan.fused:
            parts, negated = operands(t, self.plan.fused[t])
            a, b, c = (
                -self.value(x) if i == negated else self.value(x) for i, x in enumerate(parts)
            )
            return STEPS["add"](STEPS["mul"](a, b), c)
        args = [self.value(a) for a in t.args]
        if t.op == "select":
            return args[1] if args[0] else args[2]
        if t.op == "fmod":
            assert args[1] != 0, "integer division by zero"
            return int(math.fmod(*args))
        return STEPS[t.op](*args)


STEPS = {
    "add": lambda a, b: np.float32(a) + np.float32(b),
    "sub": lambda a, b: np.float32(a) - np.float32(b),
    "mul": lambda a, b: np.float32(a) * np.float32(b),
    "neg": lambda a: -a,
    "sin": lambda a: np.sin(np.float32(a)),
    "sqrt": lambda a: np.sqrt(np.float32(a)),
    "exp": lambda a: np.exp(np.float32(a)),
    "gt": lambda a, b: a > b,
    "lt": lambda a, b: a < b,
    "ne": lambda a, b: a != b,
    "logical_not": lambda a: not a,
}


def play(p, inputs, plan=None, **options):
    player = Player(plan or schedule(p, WITH_FMA, **options), inputs)
    with np.errstate(all="ignore"):
        return player.run(), player


def same(got, wanted):
    return all(
        (math.isnan(a) and math.isnan(b)) or a == b for a, b in zip(got, wanted, strict=True)
    )


def heavy(x, times=3):
    """Work that is worth a branch."""
    for _ in range(times):
        x = term("sin", x)
    return x


def kinds(plan):
    return [type(s).__name__ for s in plan.statements]


def test_cheap_select_stays_a_select():
    plan = schedule(program(select(term("gt", X, 0.0), term("sqrt", X), 0.0)), RULES)
    assert kinds(plan) == ["Define"] * 3


def test_expensive_arms_become_a_block_and_are_not_run():
    p = program(select(term("gt", X, 0.0), heavy(X), heavy(Y)))
    plan = schedule(p, RULES)
    assert kinds(plan).count("If") == 1
    _, player = play(p, {"x": 1.0, "y": 2.0, "z": 0.0})
    assert not any(t.op == "sin" and t.args == (Y,) for t in player.executed)


def test_selects_of_one_condition_share_one_block():
    c = term("gt", X, 0.0)
    p = program(select(c, heavy(X), heavy(Y)), select(c, heavy(Y, 4), 1.0), select(c, Z, 2.0))
    assert kinds(schedule(p, RULES)).count("If") == 1


def test_a_dependency_splits_the_block_and_shared_work_is_done_once():
    c = term("gt", X, 0.0)
    shared = heavy(Y)
    first = select(c, shared, heavy(Z))
    between = term("exp", first)
    second = select(c, term("mul", shared, between), heavy(term("add", between, Z)))
    p = program(first, between, second)
    plan = schedule(p, RULES)
    assert kinds(plan).count("If") == 2
    inputs = {"x": 1.0, "y": 2.0, "z": 0.5}
    got, player = play(p, inputs)
    assert same(got, [r.item() for r in reference.evaluate(p, RULES, inputs)])
    assert player.executed.count(shared) == 1


def test_integer_division_never_runs_where_it_is_not_wanted():
    n, d = var("n", I32), var("d", I32)
    zero = const(0, I32)
    root = Term("select", (term("ne", d, 0), term("fmod", n, d), zero), None, I32)
    p = Program("p", (Slot("n", I32), Slot("d", I32)), (Slot("r", I32),), ((root,),))
    assert "If" in kinds(schedule(p, RULES))


def test_elif_chains_stay_flat():
    p = program(chain(5, lambda i: heavy(term("add", Y, float(i)))))
    assert kinds(schedule(p, RULES)).count("ElseIf") == 4
    assert nesting(schedule(p, RULES)) == 1


def test_detach_disappears():
    p = program(Term("detach", (term("sin", X),), None, F32))
    plan = schedule(p, RULES)
    assert kinds(plan) == ["Define"] and plan.roots[0].op == "sin"


def test_negations_of_one_use_have_no_statement_unless_named():
    negated = term("neg", term("sin", X))
    p = program(term("add", negated, Y))
    assert negated in schedule(p, RULES).inline
    named = program(term("add", negated, Y), notes={negated: Note("minus")})
    assert negated not in schedule(named, RULES).inline


def chain(depth, arm):
    """if x > 0: a elif x > -1: … `depth` conditions."""
    result = arm(depth)
    for i in range(depth - 1, -1, -1):
        result = select(term("gt", X, float(-i)), arm(i), result)
    return result


@pytest.mark.parametrize("depth", [1, 24, 25, 26, 27, 40, 500])
def test_deep_chains_of_conditions(depth):
    p = program(chain(depth, lambda i: heavy(term("add", Y, float(i)))))
    plan = schedule(p, RULES)
    assert nesting(plan) <= 26
    for x in (1.0, -0.5, -3.5, -depth + 0.5, -depth - 5.0):
        got, player = play(p, {"x": x, "y": 0.25, "z": 0.0}, plan)
        wanted = reference.evaluate(p, RULES, {"x": x, "y": 0.25, "z": 0.0})
        assert same(got, [w.item() for w in wanted])
        assert sum(t.op == "sin" for t in player.executed) == 3


def nesting(plan):
    depth = deepest = 0
    for s in plan.statements:
        depth += isinstance(s, If) - isinstance(s, End)
        deepest = max(deepest, depth)
    return deepest


def random_program(rng, size):
    pool, conditions = [X, Y, Z, const(0.5, F32)], []
    for _ in range(size):
        kind = rng.random()
        if kind < 0.2 or not conditions:
            conditions.append(term(rng.choice(["gt", "lt"]), rng.choice(pool), rng.choice(pool)))
        elif kind < 0.25:
            conditions.append(term("logical_not", rng.choice(conditions)))
        elif kind < 0.3:
            a, b, c = (rng.choice(conditions) for _ in range(3))
            conditions.append(Term("select", (a, b, c), None, BOOL))
        elif kind < 0.6:
            a, b = rng.choice(pool[-6:]), rng.choice(pool)
            pool.append(Term("select", (rng.choice(conditions[-4:]), a, b), None, F32))
        elif kind < 0.8:
            pool.append(term(rng.choice(["sin", "sqrt", "neg", "exp"]), rng.choice(pool[-8:])))
        else:
            op = rng.choice(["add", "mul", "sub"])
            pool.append(Term(op, (rng.choice(pool[-8:]), rng.choice(pool)), None, F32))
    return program(*[rng.choice(pool[-6:]) for _ in range(rng.choice([1, 2, 4]))])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"branch_cost": 0.0},
        {"branch_cost": 0.0, "max_depth": 0},
        {"branch_cost": 0.0, "max_depth": 1},
        {"branch_cost": 10.0, "max_depth": 2},
        {"order": "breadth"},
        {"branch_cost": 0.0, "order": "registers"},
        {"branch_cost": 0.0, "fusing": Fusing.ALL},
    ],
)
@pytest.mark.parametrize("seed", range(60))
def test_random_programs_keep_their_values(seed, options):
    rng = random.Random(seed)
    p = random_program(rng, rng.choice([10, 40, 120]))
    for _ in range(4):
        inputs = {n: rng.choice([-2.0, -0.5, 0.0, 0.5, 3.0]) for n in "xyz"}
        got, player = play(p, inputs, **options)
        wanted = reference.evaluate(p, RULES, inputs)
        assert same([float(g) for g in got], [float(w) for w in wanted])
        executed = [t for t in player.executed if t not in player.plan.inline]
        assert len(executed) == len(set(executed)), "computed twice"


def test_what_a_fused_sum_reads_is_visible_where_it_stands():
    """A difference takes the opposite of a negation, which a block before it has computed."""
    positive = term("gt", X, 0.0)
    wave = term("sin", X)
    negated = term("neg", wave)
    first = select(positive, term("exp", negated), Y)
    between = term("sqrt", first)
    second = select(positive, term("sub", between, term("mul", negated, Y)), Z)
    p = program(second, between)
    for x in (-1.0, 1.0):
        inputs = {"x": x, "y": 0.5, "z": 2.0}
        got, player = play(p, inputs, branch_cost=0.0, fusing=Fusing.SOUND)
        assert player.plan.fused and kinds(player.plan).count("If") == 2
        assert same(map(float, got), map(float, reference.evaluate(p, RULES, inputs)))


def test_schedules_are_deterministic_and_fast():
    rng = random.Random(5)
    p = random_program(rng, 300)
    assert schedule(p, RULES).statements == schedule(p, RULES).statements
    x = X
    for i in range(10_000):
        x = term("add", term("mul", x, Y), float(i % 7))
    start = time.process_time()
    plan = schedule(program(x), RULES)
    assert len(plan.statements) == 20_000
    assert time.process_time() - start < 2


def test_leaves_alone_need_no_statement():
    plan = schedule(program(X, const(1.0, F32)), RULES)
    assert plan.statements == () and all(r.op in LEAVES for r in plan.roots)


def test_the_threshold_is_the_documented_one():
    arm = term("sin", X)
    assert BRANCH_COST == 40
    below = select(term("gt", X, 0.0), arm, 0.0)
    at = select(term("gt", X, 0.0), arm, term("sin", Y))
    assert "If" not in kinds(schedule(program(below), RULES))
    assert "If" in kinds(schedule(program(at), RULES))


def test_a_condition_from_a_memory_is_read_where_it_stands():
    """A write may follow before the `if`: only computed conditions are written into it."""
    tape = var("tape", Memory(BOOL, 4))
    kept, computed = load(tape, const(1, I32)), term("lt", X, Y, type=BOOL)
    for condition, inlined in ((kept, False), (computed, True)):
        chosen = select(condition, X, Y)
        arms = [If(condition), Assign(chosen, X), Else(), Assign(chosen, Y), End()]
        statements, inline = declare([Define(condition), *arms], [chosen], [], {chosen: 1}, [], {})
        assert (condition in inline) is inlined
        assert (Define(condition) in statements) is not inlined
