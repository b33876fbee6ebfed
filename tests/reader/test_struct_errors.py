"""What cannot be done with structs and lists is refused: where, what, and what instead."""

import inspect
from pathlib import Path

import pytest
import struct_errors

from egad.reader import read
from egad.rules import load
from egad.terms.errors import TraceError
from egad.terms.types import Scalar

FILE = Path(struct_errors.__file__)
FUNCTIONS = [
    f
    for name, f in vars(struct_errors).items()
    if inspect.isfunction(f) and f.__module__ == struct_errors.__name__ and name[0] != "_"
]


def error_of(f):
    with pytest.raises(TraceError) as caught:
        read(f, real=Scalar.F32, rules=load(), types=TYPES.get(f.__name__))
    return caught.value


TYPES = {"mark_on_a_declaration": {"d": struct_errors.Implementation}}


def test_error_texts(golden):
    texts = [f"{f.__name__}\n{error_of(f)}".replace(str(FILE), FILE.name) for f in FUNCTIONS]
    golden("struct_errors.txt", "\n\n".join(texts) + "\n")


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_place_is_the_line_that_is_wrong(f):
    error = error_of(f)
    assert error.at is not None
    assert FILE.read_text().splitlines()[error.at.line - 1] == error.at.text
