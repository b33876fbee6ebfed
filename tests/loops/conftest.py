"""What the tests of loops share: short loops can be kept from being written out."""

import pytest

from egad.rewrite.loops import unrolling


@pytest.fixture
def as_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every loop stays a loop, however short."""
    monkeypatch.setattr(unrolling, "TRIPS", 0)
