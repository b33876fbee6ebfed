"""Tables of costs: what a file may say, and what a derivation makes of it."""

import pickle
import re

import pytest

import egad
from egad.rules import load
from egad.rules.costs import parse_table, priced, read_table, shipped_tables, table_named
from egad.terms.errors import EgadError
from egad.terms.types import Scalar

HEAD = 'name = "mine"\ndevice = "p/d"\ndriver = "1"\nmeasured = "2026-01-01"\n'
WRONG = {
    "no TOML": HEAD + "[float32\nexp = 1\n",
    "unknown key": HEAD + 'drivers = "2"\n[float32]\nexp = 1\n',
    "unknown type": HEAD + "[flaot32]\nexp = 1\n",
    "a type that is no section": HEAD + "float32 = 3\n",
    "no name": HEAD.replace('name = "mine"\n', "") + "[float32]\nexp = 1\n",
    "negative cost": HEAD + "[float32]\nexp = 15\nsin = -2\n",
    "cost of 0": HEAD + "[float32]\nexp = 0\n",
    "endless cost": HEAD + "[float64]\nexp = inf\n",
    "cost in words": HEAD + '[float64]\nexp = "much"\n',
    "nothing priced": HEAD,
    "unknown operator": HEAD + "[float64]\nexp = 10\n\n[float32]\nexpp = 10\n",
}


def quotients(a, b, c, x):
    return [a / x, b / x, c / x]


def powers(x, y):
    return egad.exp(x) * egad.exp(y) + x


def table(tmp_path, name="mine", **costs):
    path = tmp_path / f"{name}.toml"
    lines = [f"{op} = {cost}" for op, cost in costs.items()]
    path.write_text("\n".join([HEAD.replace("mine", name) + "[float32]", *lines]) + "\n")
    return path


def test_what_is_wrong_is_said_with_its_place(golden, tmp_path):
    texts = []
    for name, text in WRONG.items():
        path = tmp_path / "table.toml"
        path.write_text(text)
        with pytest.raises(EgadError) as error:
            egad.derive(quotients, "primal", costs=path)
        texts.append(f"{name}\n{error.value}".replace(str(path), "table.toml"))
    for name, costs in {
        "no such table": "intel-cpi",
        "no such file": tmp_path / "nowhere.toml",
        "a folder": f"{tmp_path}/",
        "no table at all": 3,
        "another type": table(tmp_path, exp=2),
    }.items():
        with pytest.raises(EgadError) as error:
            egad.derive(quotients, "primal", costs=costs, dtype="float64")
        text = f"{name}\n{error.value}".replace(str(tmp_path), ".")
        texts.append(re.sub(r"^.*test_costs.py:\d+", "test_costs.py", text, flags=re.M))
    golden("costs.txt", "\n\n".join(texts) + "\n")


def test_a_table_is_written_as_it_is_read():
    shipped = table_named("intel-cpu")
    assert parse_table(shipped.text(), shipped.path) == shipped
    assert priced(load(), shipped).operator("exp").costs == {
        kind: section["exp"] for kind, section in shipped.costs.items()
    }


@pytest.mark.parametrize("name", shipped_tables())
def test_shipped_tables_price_every_operator_over_reals(name):
    rules, found = load(), table_named(name)
    for kind in (Scalar.F32, Scalar.F64):
        missing = [
            op
            for op, overloads in rules.operators.items()
            if overloads[0].is_primitive
            and kind in overloads[0].opencl
            and overloads[0].params
            and op not in found.costs[kind]
        ]
        assert not missing
        assert found.costs[kind]["add"] == 1


def test_devices_with_other_tables_get_other_kernels(tmp_path):
    """Three quotients of one divisor: where division is cheap three, elsewhere one reciprocal."""
    cheap = egad.derive(quotients, "primal", costs=table(tmp_path, "cheap", div=1, rcp=8))
    dear = egad.derive(quotients, "primal", costs=table(tmp_path, "dear", div=20, rcp=8))
    assert [f.source.count(" / x;") for f in (cheap, dear)] == [3, 1]
    assert [f.report.counts_after for f in (cheap, dear)] == [{"div": 3}, {"mul": 3, "rcp": 1}]
    assert cheap(1.0, 2.0, 3.0, 4.0) == pytest.approx(dear(1.0, 2.0, 3.0, 4.0))
    assert cheap != dear


def test_a_cpu_and_a_gpu_get_other_kernels():
    """By the tables that were measured: on the GPU a reciprocal square root is one instruction."""

    def lengths(x: float, y: float) -> tuple[float, float]:
        r = egad.sqrt(x * x + y * y)
        return 1.0 / r, r

    tables = "intel-cpu", "nvidia-h200"
    cpu, gpu = (egad.derive(lengths, "primal", costs=table) for table in tables)
    assert [
        ("rsqrt" in f.report.counts_after, "rcp" in f.report.counts_after) for f in (cpu, gpu)
    ] == [
        (False, True),
        (True, False),
    ]
    assert cpu(3.0, 4.0) == pytest.approx(gpu(3.0, 4.0))


def test_what_is_computed_together_has_a_price_for_each_type(tmp_path):
    def both(x: float) -> tuple[float, float]:
        return egad.sin(x), egad.cos(x)

    costs = {"sin": 20, "cos": 20, "sincos": 30}
    assert egad.derive(both, "primal", costs=table(tmp_path, **costs)).report.cost_after == 30
    assert egad.derive(both, "primal").report.cost_after == 24


def test_the_default_knows_no_device():
    plain = egad.derive(quotients, "primal")
    assert plain.rules.prices == "" and "costs " not in plain.explain()
    assert plain.source == egad.derive(quotients, "primal", costs=None).source


def test_a_table_is_part_of_a_derived_object(tmp_path):
    path = table(tmp_path, exp=3)
    first, again, plain = (egad.derive(powers, "primal", costs=c) for c in (path, path, None))
    assert first.source == plain.source  # and yet
    assert first == again != plain and hash(first) == hash(again)
    kept = pickle.loads(pickle.dumps(first))
    assert kept == first and kept.rules.operator("exp").costs[Scalar.F32] == 3
    about = read_table(path).about
    assert f"  costs       {about}\n" in kept.explain()
    assert "mine [" in about and "on p/d, driver 1" in about


def test_what_a_table_leaves_out_costs_what_rule_files_say(tmp_path):
    plain, own = (egad.derive(powers, "primal", costs=c) for c in (None, table(tmp_path, sin=3)))
    assert own.report.cost_after == plain.report.cost_after
