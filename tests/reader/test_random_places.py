"""Random programs with conditions on the indices of tables compute what Python computes.

`python tests/reader/test_random_places.py FIRST COUNT` tries more of them.
"""

import sys
import tempfile
from pathlib import Path

import pytest
from random_places import Writer
from test_random_lent import right


@pytest.mark.parametrize("seed", range(30))
def test_a_random_program(seed, tmp_path):
    assert right(seed, tmp_path, Writer)


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        print(sum(right(seed, Path(name), Writer) for seed in range(first, first + count)), "read")
