"""Random programs of statements compute what Python computes, or are refused.

`python tests/reader/test_random_statements.py mixed FIRST COUNT` tries more of them.
"""

import sys
import tempfile
from pathlib import Path

import pytest
import random_containers
import random_mixed
from test_random_lent import right

WRITERS = {"containers": random_containers.Writer, "mixed": random_mixed.Writer}
EACH = 21  # programs of a part: `mixed` has three grammars, which take turns


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("name", WRITERS)
def test_random_programs(name, part, tmp_path):
    seeds = range(EACH * part, EACH * (part + 1))
    read = [right(seed, tmp_path, WRITERS[name]) for seed in seeds]
    assert sum(read) > 0.6 * len(read)  # the others may be refused


if __name__ == "__main__":
    writer, (first, count) = WRITERS[sys.argv[1]], map(int, sys.argv[2:])
    with tempfile.TemporaryDirectory() as name:
        print(sum(right(seed, Path(name), writer) for seed in range(first, first + count)), "read")
