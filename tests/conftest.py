"""What all tests share: golden texts."""

from collections.abc import Callable

import golden as golden_texts
import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden files instead of comparing"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: compare with the file `golden/<name>` beside the test."""
    return lambda name, text: golden_texts.check(name, text, request)
