"""Errors: what they say, where they point, and that they travel."""

import doctest
import pickle

import pytest

from egad.terms import errors
from egad.terms.errors import (
    DeriveError,
    DeviceError,
    EgadError,
    EgadWarning,
    EmitError,
    ExtractError,
    RuleError,
    Span,
    TraceError,
    nearest,
)

KINDS = [TraceError, RuleError, DeriveError, ExtractError, EmitError, DeviceError]


@pytest.mark.parametrize("kind", KINDS)
def test_one_family(kind):
    assert issubclass(kind, EgadError) and kind.__doc__
    assert not issubclass(EgadWarning, EgadError)


def test_the_message_has_place_line_caret_and_advice():
    at = Span("f.py", 3, 12, 16, "    return sinn(x)")
    error = TraceError("unknown name 'sinn'", at, "write sin(x)")
    assert str(error).splitlines() == [
        "f.py:3:12: unknown name 'sinn'",
        "    return sinn(x)",
        "           ^^^^",
        "  write sin(x)",
    ]
    assert str(DeriveError("no mode")) == "no mode"
    assert str(DeriveError("no mode", Span("f.py", 1), "x")).splitlines() == [
        "f.py:1:1: no mode",
        "  x",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_errors_can_be_pickled(kind):
    error = kind("message", Span("f.py", 1, 2, 3, "text"), "hint")
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is kind and str(twin) == str(error) and twin.at == error.at


@pytest.mark.parametrize("column", [1, 50, 150, 399])
def test_long_lines_are_cut_around_the_column(column):
    text = "".join(chr(ord("a") + i % 26) for i in range(400))
    line, caret = Span("f.py", 1, column, column + 3, text).excerpt().splitlines()
    assert len(line) <= 104 and len(caret) <= 104
    assert line[caret.index("^")] == text[column - 1]


@pytest.mark.parametrize(
    ("column", "end", "width"), [(1, 0, 1), (1, 1, 1), (2, 4, 2), (2, 99, 3), (9, 3, 1)]
)
def test_carets_stay_within_the_line(column, end, width):
    line, caret = Span("f.py", 1, column, end, "abcd").excerpt().splitlines()
    assert caret.count("^") == width and caret.index("^") == 4 + column - 1
    assert line == "    abcd"


def test_without_a_line_there_is_no_excerpt():
    assert Span("f.py", 1, 1, 2, "   ").excerpt() == ""


def test_nearest_spelling():
    assert nearest("sinn", ["cos", "sin"]) == "; did you mean 'sin'?"
    assert nearest("zzz", ["cos", "sin"]) == ""
    assert nearest("ab", {"ba", "abc", "abd"}) == nearest("ab", ["abd", "abc", "ba"])


def test_doctests():
    result = doctest.testmod(errors)
    assert result.attempted and not result.failed
