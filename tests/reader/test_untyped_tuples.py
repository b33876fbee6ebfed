"""Tuples of `collections.namedtuple`: their items have the types of what is given."""

from collections import namedtuple

from egad import derive

Config = namedtuple("Config", "gain offset")
CONFIG = Config(2.0, 3.0)


def by_constant(x: float, y: float) -> float:
    return x * CONFIG.gain + y * CONFIG.offset + CONFIG[0] * x + sum(CONFIG)


def made(x: float, y: float) -> float:
    return Config(x, offset=y).gain


def passed(c: Config, x: float) -> float:
    return c.gain * x


def test_a_constant_is_read():
    assert derive(by_constant, "primal")(1.0, 2.0) == by_constant(1.0, 2.0)
    assert tuple(derive(by_constant)(1.0, 2.0, 1.0)) == (4.0, 3.0)


def test_one_that_is_made_has_the_types_of_its_items():
    assert tuple(derive(made)(2.0, 3.0, 1.0)) == (1.0, 0.0)


def test_one_that_is_passed_comes_back_as_such():
    assert derive(passed)(CONFIG, 5.0, 1.0).c == Config(5.0, 0.0)
