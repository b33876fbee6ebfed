"""Launches cover every element once, in groups that the device permits."""

import pytest

from egad.codegen.devices.launches import LANES, SPLIT, WIDEST, Launch, Widths, launches

SIZES = [1, 15, 63, 64, 65, 100, 1000, 2752, 3136, 4099, 4224, SPLIT - 1, SPLIT, 100_003]
DEVICES = [
    Widths.of(limit, units, wide)
    for limit in (1, 8, 64, 100, 8192)
    for units in (1, 4, 64)
    for wide in (False, True)
]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("widths", DEVICES, ids=str)
def test_every_element_is_covered_once_by_groups_that_divide(n: int, widths: Widths) -> None:
    found = launches(n, widths)
    assert len(found) <= 2
    assert [i for part in found for i in range(part.first, part.first + part.count)] == [*range(n)]
    for part in found:
        assert part.count % part.width == 0
        assert part.width <= max(widths.most, widths.least)


def test_narrow_devices_see_two_sizes_of_groups_whatever_the_batch() -> None:
    sizes = {part.width for n in SIZES for part in launches(n, Widths.of(4096, 8, False))}
    assert sizes == {1, 64}


def test_wide_groups_leave_work_for_every_core() -> None:
    widths = Widths.of(8192, 4, True)
    assert all(part.width <= 4096 / 4 / 4 for part in launches(4096, widths))
    assert launches(1 << 20, widths) == [Launch(0, 1 << 20, WIDEST)]


@pytest.mark.parametrize("n", [2560, 2752, 3136, 4224, 4096, 10_000])
def test_a_few_thousand_elements_are_one_launch_in_wide_vectors(n: int) -> None:
    (only,) = launches(n, Widths.of(8192, 1, True))
    assert only.width > 256 and only.width % LANES == 0


@pytest.mark.parametrize("n", [21_824, 99_968, 1 << 17])
def test_many_elements_take_one_launch_where_a_narrower_group_leaves_nothing_over(n):
    (only,) = launches(n, Widths.of(4096, 1, True))
    assert (only.first, only.count) == (0, n)
    assert only.width > WIDEST // 8
