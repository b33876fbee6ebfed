"""Tuples of `collections.namedtuple`: constants of a module, and errors that say what to write."""

from collections import namedtuple

import pytest

from egad import derive
from egad.terms.errors import DeriveError, TraceError

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


def test_one_that_is_made_needs_types():
    with pytest.raises(TraceError, match=r"class Config") as error:
        derive(made)
    assert "typing.NamedTuple" in str(error.value)


def test_one_that_is_passed_needs_types():
    with pytest.raises(DeriveError, match=r"argument 'c' is a Config, which is no struct"):
        derive(passed, "primal")(CONFIG, 1.0)
