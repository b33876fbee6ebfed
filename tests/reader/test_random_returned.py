"""Random programs over what a loop returns compute what Python computes, or are refused.

`python tests/reader/test_random_returned.py FIRST COUNT` tries more of them.
"""

import sys
from pathlib import Path
from tempfile import mkdtemp

import pytest
import test_random_lent
from random_returned import Writer


def right(seed, folder):
    """Whether a program is read; what it computes is compared."""
    return test_random_lent.right(seed, folder, Writer)


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part, tmp_path):
    read = [right(seed, tmp_path) for seed in range(30 * part, 30 * part + 30)]
    assert sum(read) >= 15  # the others may be refused


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:3])
    folder = Path(mkdtemp())
    print(sum(right(seed, folder) for seed in range(first, first + count)), "of", count, "read")
