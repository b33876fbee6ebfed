"""Errors, warnings, and silence: the diagnostics of the reference system that Python has.

The number in a name is the reference system's code. The golden file holds the texts; functions
whose name ends in `fine` must give neither an error nor a warning.
"""

import warnings

import diagnostics
import pytest

import egad
from egad.terms.errors import EgadError, Span, warn

FILE = diagnostics.__file__


def said(function):
    """What deriving a function says: an error, warnings, or nothing."""
    mode = getattr(function, "mode", "bwd")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lines = []
        try:
            egad.derive(function, mode, **getattr(function, "options", {}))
        except EgadError as error:
            assert error.at is not None
            lines.append(f"error: {type(error).__name__}: {error}")
    for warning in caught:
        assert issubclass(warning.category, egad.EgadWarning)
        assert warning.filename == FILE
        lines.append(f"warning: {warning.message}")
    return "\n".join(lines).replace(FILE, "diagnostics.py")


def test_texts(golden):
    texts = [f"{f.__name__}\n{said(f)}" for f in diagnostics.WRONG]
    golden("diagnostics.txt", "\n\n".join(texts) + "\n")


@pytest.mark.parametrize("function", diagnostics.WRONG, ids=lambda f: f.__name__)
def test_something_is_said(function):
    severity = "warning" if function.__name__.startswith("warn_") else "error"
    assert said(function).startswith(severity)


@pytest.mark.parametrize("function", diagnostics.FINE, ids=lambda f: f.__name__)
def test_nothing_is_said(function):
    assert said(function) == ""


def test_rules_of_what_is_no_function_30015():
    with pytest.raises(egad.RuleError) as caught:
        egad.custom_fwd_of("nonexistent")(lambda x: x)
    assert "'nonexistent' is not a function" in str(caught.value)
    assert caught.value.at.file == __file__


def test_rules_that_are_no_functions_31148():
    with pytest.raises(egad.RuleError) as caught:
        egad.custom_bwd("nonexistent")
    assert "custom_bwd needs a function, not 'nonexistent'" in str(caught.value)
    assert caught.value.at.file == __file__ and caught.value.hint


def test_warnings_can_be_silenced_and_raised():
    function = diagnostics.warn_case_twice
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=egad.EgadWarning)
        egad.derive(function)
    assert not caught
    with warnings.catch_warnings(), pytest.raises(egad.EgadWarning):
        warnings.simplefilter("error", egad.EgadWarning)
        egad.derive(function)


def test_a_warning_is_shown_once_by_default():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            warn("something", Span("file.py", 7, 3, 5, "  x = 1"), "do this")
    (warning,) = caught
    assert (warning.filename, warning.lineno) == ("file.py", 7)
    assert str(warning.message).endswith("do this")


def test_an_error_names_the_place_in_its_own_function():
    def only_compared(x: float) -> float:
        return x if diagnostics.table(x) > 0 else 2 * x

    def differentiated(x: float) -> float:
        y = diagnostics.table(x)
        return y * y

    kept = egad.derive(only_compared)
    with pytest.raises(egad.DeriveError) as caught:
        egad.derive(differentiated)
    assert caught.value.at.text.strip() == "y = diagnostics.table(x)"
    assert kept(3.0, 1.0).x == 1.0
