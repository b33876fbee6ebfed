"""What all tests share: golden texts, and how hard tests of numbers search."""

import gc
from collections.abc import Callable
from itertools import islice
from zlib import crc32

import golden as golden_texts
import pytest

# As batches of random programs do: a search as users have it takes three times as long.
TURNS = ("default", "fast", "fast", "fast")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden files instead of comparing"
    )
    parser.addoption(
        "--effort",
        choices=("turns", "fast", "default", "best"),
        default="turns",
        help="how hard tests of numbers search: in turns, or all of them as hard as this",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: takes many seconds, and begins early")
    config.addinivalue_line("markers", "numbers: right at every effort, and tried in turns")
    # Garbage is looked for seldom: collecting thousands of tests took half as long again.
    gc.set_threshold(100_000, 20, 20)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Every worker begins with its part of the long tests: none of them is left for the end.

    Workers share the list in pieces, one after the other, of about the same length.
    """
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    long = [item for item in items if item.get_closest_marker("long")]
    rest = (item for item in items if not item.get_closest_marker("long"))
    total, dealt = len(items), list[pytest.Item]()
    for i in range(workers):
        piece = long[i::workers]
        size = (total - len(dealt)) // (workers - i)
        dealt += [*piece, *islice(rest, max(size - len(piece), 0))]
    items[:] = [*dealt, *rest]


def pytest_collection_finish() -> None:
    """What was collected is never garbage."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test derives anew: what it is about may be how a derivation works."""
    monkeypatch.setenv("EGAD_CACHE", "off")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: compare with the file `golden/<name>` beside the test."""
    return lambda name, text: golden_texts.check(name, text, request)


@pytest.fixture(autouse=True)
def _effort(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What tests of numbers derive without saying how hard is searched by turns of their names."""
    if request.node.get_closest_marker("numbers") is None:
        return
    import egad

    asked = request.config.getoption("--effort")
    effort = TURNS[crc32(request.node.nodeid.encode()) % len(TURNS)] if asked == "turns" else asked
    monkeypatch.setitem(egad.derive.__kwdefaults__, "optimize", effort)
