"""Random programs over containers that names share compute what Python computes, or are refused.

`python tests/reader/test_random_containers.py FIRST COUNT` tries more of them.
"""

import sys
import tempfile
from pathlib import Path

import pytest
from random_containers import Writer
from test_random_lent import right


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part, tmp_path):
    read = [right(seed, tmp_path, Writer) for seed in range(20 * part, 20 * part + 20)]
    assert sum(read) > 0.6 * len(read)  # the others may be refused


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        print(sum(right(seed, Path(name), Writer) for seed in range(first, first + count)), "read")
