"""Random programs over arrays, objects and ways out compute what Python computes, or are refused.

`python tests/reader/test_random_mixed.py FIRST COUNT` tries more of them.
"""

import sys
import tempfile
from pathlib import Path

import pytest
from random_mixed import Writer
from test_random_lent import right


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part, tmp_path):
    read = [right(seed, tmp_path, Writer) for seed in range(21 * part, 21 * part + 21)]
    assert sum(read) > 0.6 * len(read)  # the others may be refused


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        print(sum(right(seed, Path(name), Writer) for seed in range(first, first + count)), "read")
