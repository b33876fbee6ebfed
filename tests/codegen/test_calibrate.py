"""`egad calibrate`: with a device whose costs are known, and with the one that is there."""

import re
from dataclasses import replace

import pytest

from egad.codegen.devices import calibrate, device, measured
from egad.codegen.devices.calibrate import Priced, rounded, table_of
from egad.rules import load
from egad.terms.errors import DeviceError
from egad.terms.types import Scalar

RULES = load()
COSTS = {"exp": 15.0, "sqrt": 7.0, "pow": 60.0, "/": 4.0, "fmin": 3.0, "?": 2.0, "sincos": 26.0}
WORDS = re.compile(r"(\w+)\(|( [-+*/?<>]=? |==|!=)")


def clock(noise=None):
    """A device on which a statement costs what its operator does, and a launch a thousand."""

    def seconds(kernel, inputs, n):
        body = kernel.text.split("{", 1)[1].split("\n}", 1)[0]
        total = 1000.0
        for line in body.splitlines():
            for call, sign in WORDS.findall(line.split("//")[0].partition(" = ")[2]):
                total += COSTS.get(call or sign.strip(), 1.0)
        return (total + (noise() if noise else 0.0)) * 1e-9

    return seconds


@pytest.fixture
def here():
    return device.choose(None)


def test_a_device_that_is_known_is_found_out(here):
    prices = {p.name: p.cost for p in calibrate.calibrate(here, RULES, Scalar.F32, clock())}
    known = {"exp": 15, "sqrt": 7, "pow": 60, "div": 4, "rcp": 4, "min": 3, "select": 2}
    assert {name: prices[name] for name in known} == known
    assert prices["sincos"] == 26
    assert (prices["add"], prices["mul"], prices["lt"]) == (1, 1, 1)  # the choice is not in it
    assert "logical_and" not in prices and "shl" not in prices


@pytest.mark.parametrize("turns", [9, calibrate.TURNS])  # a GPU has a sixth of them, two at least
def test_on_a_gpu_the_chains_go_on_in_a_loop(here, turns, monkeypatch):
    monkeypatch.setattr(calibrate, "TURNS", turns)
    gpu = replace(here, info=replace(here.info, kind="gpu"))
    texts = []

    def seconds(kernel, inputs, n):
        texts.append((n, kernel.text))
        return clock()(kernel, inputs, n)

    prices = {p.name: p.cost for p in calibrate.calibrate(gpu, RULES, Scalar.F32, seconds)}
    known = {"exp": 15, "sqrt": 7, "pow": 60, "div": 4, "min": 3, "select": 2, "sincos": 26}
    assert {name: prices[name] for name in known} == known
    units = here.cl_device.max_compute_units
    assert all(n == 2048 * units and "k < 64" in text for n, text in texts)


def test_single_runs_that_are_disturbed_do_not_count(here):
    state = iter(range(10**9))

    def noise():
        return 5000.0 if next(state) % 7 == 0 else 0.0

    prices = {p.name: p.cost for p in calibrate.calibrate(here, RULES, Scalar.F32, clock(noise))}
    assert prices["exp"] == pytest.approx(15, rel=0.1)


def test_a_clock_that_stands_still_is_an_error(here):
    with pytest.raises(DeviceError, match=r"shows no difference.*\n.*calibrate again"):
        next(calibrate.calibrate(here, RULES, Scalar.F32, lambda *_: 1.0))


def test_types_that_the_device_does_not_have(here):
    poor = replace(here, info=replace(here.info, fp64=False))
    with pytest.raises(DeviceError, match="does not compute in float64"):
        next(calibrate.calibrate(poor, RULES, Scalar.F64, clock()))


def test_the_device_itself(here, monkeypatch):
    """Not how much, but what is more: the same on every processor."""
    monkeypatch.setattr(calibrate, "TURNS", 9)
    few = {name: RULES.operators[name] for name in ("select", "add", "mul", "exp", "pow")}
    some = replace(RULES, operators=few)
    monkeypatch.setattr(type(some), "joints", {})
    prices = {p.name: p.cost for p in calibrate.calibrate(here, some, Scalar.F32)}
    assert prices["mul"] < prices["exp"] < prices["pow"]


def test_measured_costs_are_kept_for_the_device(here, monkeypatch, tmp_path, golden):
    monkeypatch.setenv("EGAD_CACHE_DIR", str(tmp_path))
    texts = []

    def said():
        with pytest.raises(DeviceError) as error:
            measured.recall()
        text = str(error.value).replace(str(tmp_path), "CACHE")
        text = text.replace(here.info.label, "DEVICE").replace(here.info.version, "DRIVER")
        texts.append(re.sub(r"[0-9a-f]{40}", "KEY", text))

    said()
    prices = {Scalar.F32: [Priced("exp", rounded(11.2), 11.0, 12.0)]}
    table = table_of(prices, "measured", here, "2026-01-01")
    path = measured.remember(table, here)
    assert measured.recall().costs == {Scalar.F32: {"exp": 11.0}}
    path.write_text(path.read_text().replace(here.info.version, "an older one"))
    said()
    golden("measured.txt", "\n\n".join(texts) + "\n")


def test_a_folder_that_cannot_be_written_is_an_error(here, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EGAD_CACHE_DIR", str(tmp_path / "file"))
    table = table_of({Scalar.F32: [Priced("exp", 1.0, 1.0, 1.0)]}, "measured", here, "today")
    with pytest.raises(DeviceError, match=r"cannot be written.*\n.*calibrate -o FILE"):
        measured.remember(table, here)
