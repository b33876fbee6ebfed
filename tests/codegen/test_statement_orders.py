"""Orders of statements: all of them possible, and how many values each keeps alive."""

import functools
import itertools
import random
import time

import pytest

from egad.codegen.schedule.orders import ORDERS, alive, refetched, sparing
from egad.terms.term import CONST, LEAVES, Term, toposort
from egad.terms.types import Scalar

F32 = Scalar.F32


def var(name):
    return Term("var", (), name, F32)


def term(op, *args):
    return Term(op, args, None, F32)


def random_terms(rng, size):
    pool = [var(n) for n in "xyz"] + [Term(CONST, (), 2.0, F32)]
    for _ in range(size):
        pool.append(term(rng.choice(["add", "mul"]), rng.choice(pool), rng.choice(pool[-9:])))
    roots = rng.sample(pool[4:], min(3, size))
    return [t for t in toposort(roots) if t.op not in LEAVES]


def values(term):
    return tuple(a for a in dict.fromkeys(term.args) if a.op != CONST)


def fewest(order, registers):
    """Like `refetched`, by trying everything that a processor might keep."""

    @functools.cache
    def after(i, kept, known):
        if i == len(order):
            return 0
        args = values(order[i])
        missing = [a for a in args if a not in kept]
        cost = sum(a in known for a in missing)
        now = kept | frozenset(args)
        return cost + min(
            fetched(i, sub, known | frozenset(args)) for sub in smaller(now, args, registers)
        )

    def fetched(i, kept, known):
        later = {a for t in order[i + 1 :] for a in values(t)}
        kept = frozenset(k for k in kept if k in later)
        if order[i] not in later:
            return after(i + 1, kept, known)
        known = known | {order[i]}
        return min(
            after(i + 1, sub, known) for sub in smaller(kept | {order[i]}, (order[i],), registers)
        )

    return after(0, frozenset(), frozenset())


def smaller(kept, needed, registers):
    """The sets with room in the registers that are left when some values go."""
    found = {kept} if len(kept) <= registers else set()
    edge = {kept}
    while edge and not found:
        edge = {k - {v} for k in edge for v in k if v not in needed}
        found = {k for k in edge if len(k) <= registers}
    return found


@pytest.mark.parametrize("seed", range(40))
def test_a_processor_that_keeps_the_best_fetches_least(seed):
    rng = random.Random(seed)
    order = random_terms(rng, rng.choice([5, 9, 12]))
    for registers in (2, 3, 4):
        assert refetched(order, registers) == fewest(order, registers)


@pytest.mark.parametrize("seed", range(60))
def test_orders_are_possible_and_spare_registers(seed):
    rng = random.Random(seed)
    terms = random_terms(rng, rng.choice([1, 10, 200, 600]))
    for ordering in ORDERS.values():
        found = ordering(terms)
        place = {t: i for i, t in enumerate(found)}
        assert len(found) == len(place) == len(terms) and set(place) == set(terms)
        assert all(place[a] < place[t] for t in terms for a in t.args if a in place)
    assert refetched(sparing(terms), 32) <= refetched(terms, 32)


def test_values_alive():
    """Four products, kept until the end or summed at once; x is needed to the end."""
    x, y = var("x"), var("y")
    square = term("mul", x, y)
    powers = [square]
    for _ in range(3):
        powers.append(term("mul", powers[-1], x))
    whole = powers[0]
    sums = [whole := term("add", whole, power) for power in powers[1:]]
    assert alive([*powers, *sums]) == 4  # the last power takes the place of x
    assert alive([square, powers[1], sums[0], powers[2], sums[1], powers[3], sums[2]]) == 3
    assert alive(sparing([*powers, *sums])) == 3
    assert refetched([*powers, *sums], 3) == 2


def test_wide_sums_need_few_registers_in_a_good_order():
    """Products of a hundred inputs with each other, all made before they are summed."""
    inputs = [var(f"x{i}") for i in range(100)]
    products = [term("mul", a, b) for a, b in itertools.pairwise(inputs)]
    total = products[0]
    sums = [total := term("add", total, product) for product in products[1:]]
    order = [*products, *sums]
    found = sparing(order)
    assert alive(order) > 90 and alive(found) < 5
    assert refetched(order, 32) > 60 and refetched(found, 32) == 0


def test_orders_of_many_terms_take_linear_time():
    x = [var(f"x{i}") for i in range(50)]
    last = x[0]
    terms = []
    for i in range(10_000):
        product = term("mul", last, x[i % 50])
        last = term("add", product, terms[-80] if len(terms) > 80 else x[1])
        terms += [product, last]
    start = time.process_time()
    found = sparing(terms)
    assert len(found) == len(terms) and time.process_time() - start < 2
