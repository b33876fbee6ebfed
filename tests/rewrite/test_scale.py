"""Programs of 100,000 operators in a chain: no recursion, and no work that grows faster."""

import cProfile
import pickle
import pstats

import pytest

from egad.rewrite import Effort, Options, Report, derive, optimize, substitute_primals
from egad.rewrite.derivation.calls import resolve
from egad.rewrite.derivation.define import define
from egad.rewrite.derivation.elimination import eliminated
from egad.rewrite.derivation.forward import pushforward
from egad.rewrite.derivation.local import Setting
from egad.rewrite.derivation.reverse import pullback
from egad.rewrite.derivation.series import shortened
from egad.rewrite.egraph.egraph import Graph
from egad.rewrite.guarded import decided, without_vanishing
from egad.rewrite.guards import guards
from egad.rewrite.regroup import by_roots
from egad.rules import load
from egad.terms.program import Program, Slot
from egad.terms.rule import MATH_TAGS
from egad.terms.term import SELECT, Term, fold, substitute, toposort, var
from egad.terms.types import Scalar

F = Scalar.F64
RULES = load()
X, Y = var("x", F), var("y", F)
DEEP = 100_000


def chain(size):
    """t -> sin(t y), with a branch, a function and a detached term now and then."""
    test = Term("gt", (X, Y), None, Scalar.BOOL)
    term, count = X, 0
    while count < size:
        term = Term("sin", (Term("mul", (term, Y), None, F),), None, F)
        count += 2
        if count % 100 == 0:
            term = Term(SELECT, (test, term, X), None, F)
        if count % 150 == 0:
            term = Term("tanh", (Term("detach", (term,), None, F),), None, F)
    return Program("f", (Slot("x", F), Slot("y", F)), (Slot("out", F),), ((term,),))


def attached(size):
    """The chain without detached terms: the derivative passes all of it."""
    return Program("f", *_without_detach(chain(size)))


def _without_detach(program):
    done = fold(
        program.flat,
        lambda t, args: args[0] if t.op == "detach" else Term(t.op, args, t.attr, t.type),
    )
    return program.params, program.results, ((done[program.flat[0]],),)


def never(request, rules):
    raise AssertionError("there is no request")


def through_the_egraph(program):
    with Graph(program.flat) as graph:
        return graph.read()


def optimized(program):
    report = Report("f", "primal", "safe", "float64")
    return optimize(program, RULES, F, Options(effort=Effort.FAST), report, derived=True)


def inner(program):
    """A sine half way down the chain."""
    sines = [t for t in program.terms() if t.op == "sin"]
    return sines[len(sines) // 2]


PASSES = {
    "toposort": lambda p: toposort(p.flat),
    "substitute": lambda p: substitute(p.flat, {X: Y}),
    "inline": lambda p: p.inline([Y, X]),
    "pickle": lambda p: pickle.loads(pickle.dumps(p)),
    "guards": lambda p: guards(p.flat),
    "resolve": lambda p: resolve(p, RULES, never, derived=True),
    "define": lambda p: define(RULES, p.flat, F, derived=True),
    "shortened": shortened,
    "substitutes": lambda p: substitute_primals(p, RULES, MATH_TAGS["safe"], {}),
    "pushforward": lambda p: pushforward(p, {X: Y}, Setting(RULES, F))[0],
    "pullback": lambda p: pullback(p, [(p.flat[0], Y)], [X], Setting(RULES, F)),
    "eliminated": lambda p: eliminated(p, [*p.flat, inner(p)], [X, Y], Setting(RULES, F)),
    "derive": lambda p: derive(p, "bwd", RULES, F),
    "egraph": through_the_egraph,
    "decided": lambda p: decided(p, RULES).terms(),
    "vanishing": lambda p: without_vanishing(p, RULES),
    "by roots": lambda p: [*p.flat, *by_roots(p.flat)],
    "optimize": optimized,
}


@pytest.fixture(scope="module")
def deep():
    return attached(DEEP)


@pytest.mark.long
@pytest.mark.parametrize("name", PASSES)
def test_a_hundred_thousand_operators(name, deep):
    result = PASSES[name](deep)
    size = len(deep.terms())
    assert size > DEEP
    if isinstance(result, Program):
        # Choices within choices by the same condition are made once.
        plain = decided(deep, RULES) if name == "optimize" else deep
        assert len(result.terms()) >= len(plain.terms())
    elif name == "egraph":
        assert result.count == size
    else:
        assert len(result) >= 1


def calls(function, program):
    """How many calls a pass makes, those of built-in functions included."""
    profile = cProfile.Profile()
    profile.runcall(function, program)
    return pstats.Stats(profile).total_calls


@pytest.mark.parametrize("name", PASSES)
def test_work_grows_with_the_program_and_not_faster(name):
    small, large = chain(2_000), chain(8_000)
    PASSES[name](chain(200))  # what is done once is done
    few, many = calls(PASSES[name], small), calls(PASSES[name], large)
    assert many < 4.6 * few + 1000
