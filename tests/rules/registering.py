"""Modules that register rules for each other, written to a folder and imported from there."""

import importlib
import sys

import pytest

#: `f` and a function that calls it; nobody has said anything about `f`.
LIBRARY = """
def f(x: float) -> float:
    return x * x

def loss(x: float) -> float:
    return 3.0 * f(x)
"""

#: A module with a rule for `f`, whose functions call it, themselves and through the library.
USER = """
from egad import custom_bwd_of, derive
import {library}

@custom_bwd_of({library}.f)
def rule(x, d):
    return {slope} * d

def direct(x: float) -> float:
    return {library}.f(x)

def deep(x: float) -> float:
    return {library}.loss(x)

def grad(function):
    return derive(function)
"""


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """`modules(name=text, …)` gives the imported modules; afterwards they are gone."""
    monkeypatch.syspath_prepend(tmp_path)
    made = []

    def make(**texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.py").write_text(text)
            made.append(name)
        importlib.invalidate_caches()
        found = [importlib.import_module(name) for name in texts]
        return found[0] if len(found) == 1 else found

    yield make
    for name in made:
        sys.modules.pop(name, None)


def user(library, slope):
    """The text of a module that registers a rule for `f` of the library."""
    return USER.format(library=library, slope=slope)


def slope(derived, x=1.0):
    """The gradient at a point where the true one of `f` is 2."""
    return derived.reference(x, 1.0)[0]
