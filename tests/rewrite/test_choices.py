"""Choices whose arms say what the condition says: of the nearest place, and of positive parts.

And choices of one condition that meet.
"""

import math

import numpy as np
import pytest
from mpmath import mp

from egad import clamp, derive, dot, float3, length, max, min


def capsule(p: float3, a: float3, b: float3, r: float) -> float:
    along, to = b - a, p - a
    h = clamp(dot(to, along) / dot(along, along), 0.0, 1.0)
    return length(to - along * h) - r


def box(p: float3, b: float3) -> float:
    q = abs(p) - b
    return length(max(q, 0.0)) + min(max(q.x, max(q.y, q.z)), 0.0)


def slope(f, at, number, i, h=1e-6):
    """Central differences of Python's own numbers, by one component of one argument."""
    found = []
    for sign in (1, -1):
        moved = [np.array(x, float) for x in at]
        moved[number][i] += sign * h
        found.append(f(*moved))
    return (found[0] - found[1]) / (2 * h)


def capsule_in_numpy(p, a, b):
    along, to = b - a, p - a
    h = np.clip(to @ along / (along @ along), 0, 1)
    return np.linalg.norm(to - along * h)


def box_in_numpy(p, b):
    q = np.abs(p) - b
    return np.linalg.norm(np.maximum(q, 0)) + min(q.max(), 0)


def test_the_nearest_place_of_a_segment_may_stay_where_it_is():
    """The slope by that is 0, inside of the segment as at its ends."""
    d = derive(capsule, dtype="float64")
    assert d.report.counts_after["select"] == 1  # of the length
    rng = np.random.default_rng(1)
    for _ in range(30):
        at = rng.normal(size=(3, 3))
        found = d(*at, 0.25, 1.0)
        for number, name in enumerate("pab"):
            want = [slope(capsule_in_numpy, at, number, i) for i in range(3)]
            assert getattr(found, name) == pytest.approx(want, abs=1e-8)


def test_a_positive_part_needs_no_halves_of_ties_beside_it():
    d = derive(box, dtype="float64")
    counts = d.report.counts_after
    assert counts.get("gt", 0) + counts["ge"] == 4  # of the maximum, none of the parts
    rng = np.random.default_rng(2)
    for _ in range(30):
        at = np.array([rng.normal(size=3), rng.uniform(0.2, 0.8, 3)])
        found = d(*at, 1.0)
        for number, name in enumerate("pb"):
            want = [slope(box_in_numpy, at, number, i) for i in range(3)]
            assert getattr(found, name) == pytest.approx(want, abs=1e-8)


def test_at_ties_the_slope_of_a_positive_part_stays_what_it_was():
    def hinge(x: float, k: float) -> float:
        part = max(x, 0.0)
        return part * length(float3(part, 2.0 * part, k)) + part * k

    d, plain = (derive(hinge, dtype="float64", math=m) for m in ("safe", "strict"))
    for x in (-1.0, -0.0, 0.0, 1e-300, 2.0):
        for k in (2.0, -3.0):
            assert list(d(x, k, 1.0)) == pytest.approx(list(plain(x, k, 1.0)), rel=1e-14)


def bell(x: float, m: float, s: float) -> float:
    return math.exp(-0.5 * (x - m) * (x - m) / (s * s)) / s


def test_what_is_guarded_alike_is_guarded_once():
    """A guard for each result, not for each summand of it; no numbers are lost by that."""
    d = derive(bell, "jacobian", dtype="float64")
    assert d.report.counts_after["select"] <= 2
    exact = type(bell)(bell.__code__, {"math": mp})
    with mp.workdps(50):
        for at in [(0.3, 0.4, 0.5), (-1.0, 0.7, 0.1), (2.0, 2.0, 3.0)]:
            order = [tuple(int(i == k) for k in range(3)) for i in range(3)]
            wanted = [float(mp.diff(exact, at, n)) for n in order]
            for found in (d(*at), d.reference(*at)):
                assert tuple(found) == pytest.approx(wanted, rel=1e-13)
    assert list(d(3.0, 1e-200, 1e-200)) == [0.0, 0.0, 0.0]
