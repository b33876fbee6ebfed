"""Every example runs from the repository root, checks itself, and says what it found."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
TEXTS = {
    "cloth": "differs from central differences",
    "custom_derivative": "by the implicit function",
    "materials": "found: albedo 0.600000, shininess 30.000000, thickness 0.200000",
    "microfacet": "d/d roughness    differs from central differences",
    "neohookean": "stress differs from the closed form",
    "primal_substitute": "radius found: 0.698",
    "reprojection": "2 x 12 Jacobians of 10,000 observations in one launch",
    "rule_file": "sinpi(t0)",
    "walkthrough": "Gradients(a=9.0, x=12.0)",
}
WITH_FOLDER = ("nist_fit", "quickstart", "sphere_tracer")
HELPERS = ("differences", "microfacet_points", "nist_data", "nist_plot", "nist_solve", "pictures")
LARGER = ("cloth", "materials", "sphere_tracer")
# The models of the reference problems that are not in the repository, as NIST writes them.
MODELS = {
    "y = b1 * (1-(1+b2*x/2)**(-2))  +  e": "b1*(1 - (1 + b2*x/2)**-2)",
    "y = b1 * (1-(1+2*b2*x)**(-.5))  +  e": "b1*(1 - (1 + 2*b2*x)**-0.5)",
    "y  = b1*x**b2  +  e": "b1*x**b2",
    "y = b1*(x**2+x*b2) / (x**2+x*b3+b4)  +  e": "b1*(x**2 + x*b2)/(x**2 + x*b3 + b4)",
    "y = b1 * exp[b2/(x+b3)]  +  e": "b1*exp(b2/(x + b3))",
    "y = b1 * (b2+x)**(-1/b3)  +  e": "b1*(b2 + x)**(-1/b3)",
    """pi = 3.141592653589793238462643383279E0
       y =  b1 - b2*x - arctan[b3/(x-b4)]/pi  +  e""": "b1 - b2*x - atan(b3/(x - b4))/pi",
    """y = b1 + b2*cos( 2*pi*x/12 ) + b3*sin( 2*pi*x/12 )
              + b5*cos( 2*pi*x/b4 ) + b6*sin( 2*pi*x/b4 )
              + b8*cos( 2*pi*x/b7 ) + b9*sin( 2*pi*x/b7 )  + e""": (
        "b1 + b2*cos(pi*x/6) + b3*sin(pi*x/6) + b5*cos(2*pi*x/b4) + b6*sin(2*pi*x/b4)"
        " + b8*cos(2*pi*x/b7) + b9*sin(2*pi*x/b7)"
    ),
}


def run(name: str, *arguments: str) -> str:
    """What an example prints; it has to end well."""
    done = subprocess.run(
        [sys.executable, f"examples/{name}.py", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_example_is_run() -> None:
    known = {*TEXTS, *WITH_FOLDER, *HELPERS}
    assert {path.stem for path in EXAMPLES.glob("*.py")} == known


def test_examples_are_short() -> None:
    for path in EXAMPLES.glob("*.py"):
        lines = path.read_text(encoding="utf-8").count("\n")
        most = 120 if path.stem in LARGER else 60
        assert lines < most, f"{path.name} has {lines} lines"


@pytest.mark.parametrize("name", TEXTS)
def test_example(name: str) -> None:
    printed = run(name)
    assert TEXTS[name] in printed


def test_walkthrough_shows_forward_and_backward() -> None:
    printed = run("walkthrough")
    assert "DifferentialPair(p=18.0, d=12.0)" in printed
    assert "Gradients(a=9.0, x=12.0)" in printed


@pytest.mark.long
def test_quickstart_derives_runs_and_fits(tmp_path: Path) -> None:
    printed = run("quickstart", str(tmp_path))
    assert "__kernel void loss_value_and_grad(" in printed
    assert "It runs on " in printed
    table = (tmp_path / "nist.md").read_text()
    assert table.strip() in printed
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    assert len(rows) == 2 * len(list((EXAMPLES / "data" / "nist").glob("*.dat")))
    for problem, start, digits, _, squares, certified in rows:
        assert float(digits) >= 8, (problem, start)
        assert float(squares) == pytest.approx(float(certified), rel=1e-9), (problem, start)
    pytest.importorskip("matplotlib")
    assert {path.stem for path in tmp_path.glob("*.png")} == {row[0] for row in rows}


def test_a_lost_sphere_comes_back(tmp_path: Path) -> None:
    printed = run("sphere_tracer", str(tmp_path))
    *_, last = printed.splitlines()
    assert last.split()[2:] == ["+0.2000", "-0.5000", "-0.3000"]
    image = pytest.importorskip("matplotlib.image")
    before, target, after = (
        image.imread(tmp_path / f"{name}.png") for name in ("before", "target", "after")
    )
    assert target.shape[:2] == (96, 96)
    assert abs(before - target).max() > 0.5
    assert abs(after - target).max() < 0.01


@pytest.mark.parametrize("written", MODELS)
def test_models_are_read_as_nist_writes_them(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sympy

    monkeypatch.syspath_prepend(str(EXAMPLES))
    from nist_data import equation

    response, model = equation(f"Model:\n      9 Parameters (b1 to b9)\n\n   {written}\n\n")
    names = {symbol.name: symbol for symbol in (*response.free_symbols, *model.free_symbols)}
    expected = sympy.sympify(MODELS[written], {**names, "pi": sympy.pi})
    assert str(response) == "y"
    assert sympy.simplify(model - expected) == 0
