"""What all tests share: golden texts."""

from collections.abc import Callable

import golden as golden_texts
import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden files instead of comparing"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest test first: the other workers run the rest meanwhile."""
    items.sort(key=lambda item: "test_random_programs" not in item.nodeid)


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test derives anew: what it is about may be how a derivation works."""
    monkeypatch.setenv("EGAD_CACHE", "off")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: compare with the file `golden/<name>` beside the test."""
    return lambda name, text: golden_texts.check(name, text, request)
