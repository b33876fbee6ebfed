"""Where a vector may be an element of a list, and may be not, a change of it is refused."""

import inspect
from pathlib import Path

import lent_errors
import pytest

from egad import derive
from egad.terms.errors import TraceError

FILE = Path(lent_errors.__file__)
FUNCTIONS = [
    f
    for name, f in vars(lent_errors).items()
    if inspect.isfunction(f) and f.__module__ == lent_errors.__name__ and name[0] != "_"
]


def test_error_texts(golden):
    texts = []
    for f in FUNCTIONS:
        with pytest.raises(TraceError) as caught:
            derive(f, "primal", optimize="fast")
        texts.append(f"{f.__name__}\n{caught.value}".replace(str(FILE), FILE.name))
    golden("lent_errors.txt", "\n\n".join(texts) + "\n")
