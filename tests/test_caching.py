"""What is remembered on disk: found again only where nothing has changed, and never trusted."""

import gc
import importlib
import linecache
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import egad
from egad import caching
from egad.terms import store
from egad.terms.digest import Nameless, digest
from egad.terms.program import Note, Program, Slot
from egad.terms.term import const, var
from egad.terms.types import Scalar

SOURCE = """
import egad

SCALE = 2.0
TABLE = (1.0, 2.0, 3.0)

def helper(x: float) -> float:
    square = x * x
    return square

@egad.struct
class Lens:
    focus: float
    gain: float = 1.5

    def bend(self, x: float) -> float:
        return self.focus * x

def curve(x: float, y: float) -> float:
    lens = Lens(y)
    return SCALE * helper(x) + lens.gain * lens.bend(x) + TABLE[1] + known(x)

def known(x: float) -> float:
    return egad.sin(x)

@egad.custom_bwd_of(known)
def known_bwd(x: float, bar: float) -> float:
    return bar * egad.cos(x)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache that is on."""
    monkeypatch.setenv("EGAD_CACHE", "on")
    monkeypatch.setenv("EGAD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "derived"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """`module(source)`: the module that stands in one file, as it is after an edit."""
    monkeypatch.syspath_prepend(str(tmp_path))
    name = f"remembered_{tmp_path.name.replace('-', '_')}"

    def load(source):
        (tmp_path / f"{name}.py").write_text(source)
        sys.modules.pop(name, None)
        importlib.invalidate_caches()
        linecache.checkcache()
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        return importlib.import_module(name)

    yield load
    sys.modules.pop(name, None)


def square(x: float, y: float) -> float:
    return x * x + egad.sin(x * y)


def loaded(derived):
    return derived.report.loaded is not None


def test_a_second_derivation_is_loaded_and_tells_the_same(folder):
    first, second = egad.derive(square), egad.derive(square)
    assert not loaded(first) and loaded(second)
    assert first == second and first.source == second.source
    assert second(0.5, 2.0, 1.0) == first(0.5, 2.0, 1.0)
    told = [x for x in second.explain().splitlines() if not x.startswith("  cache")]
    plain = first.explain().splitlines()
    seconds = [line.startswith("  seconds") for line in plain]
    assert [x for x, s in zip(told, seconds, strict=True) if not s] == [
        x for x, s in zip(plain, seconds, strict=True) if not s
    ]
    assert "  cache       loaded in" in second.explain()
    assert "cache" not in first.explain()


def test_another_process_loads_and_needs_no_engine(folder):
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import egad, test_caching\n"
        "d = egad.derive(test_caching.square, mode='jacobian')\n"
        "print(d.report.loaded is not None, 'egglog.bindings' in sys.modules, len(d.source))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
        for _ in range(2)
    ]
    first, second = [run.stdout.split() for run in runs]
    assert first[:2] == ["False", "True"] and second[:2] == ["True", "False"]
    assert first[2] == second[2]


def test_processes_at_once_do_not_disturb_each_other(folder):
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import egad, test_caching\n"
        "print(egad.derive(test_caching.square, mode='hessian').source)"
    )
    command = [sys.executable, "-c", code]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    texts = {run.communicate()[0] for run in runs}
    assert len(texts) == 1 and len(list(folder.iterdir())) == 1


EDITS = {
    "a constant of the module": ("SCALE = 2.0", "SCALE = 2.5"),
    "an element of a tuple": ("(1.0, 2.0, 3.0)", "(1.0, 2.5, 3.0)"),
    "a function that is called": ("x * x", "x + x"),
    "a default of a struct": ("gain: float = 1.5", "gain: float = 2.5"),
    "a method": ("self.focus * x", "self.focus + x"),
    "a registered derivative": ("bar * egad.cos(x)", "bar * egad.sin(x)"),
    "the function": ("+ lens.gain", "- lens.gain"),
    "a name in the kernel": ("square", "area"),
    "the bits of a constant": ("SCALE = 2.0", "SCALE = -0.0"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_derives_anew(folder, module, edit):
    old, new = EDITS[edit]
    assert old in SOURCE
    assert not loaded(egad.derive(module(SOURCE).curve))
    assert loaded(egad.derive(module(SOURCE).curve))
    changed = egad.derive(module(SOURCE.replace(old, new)).curve)
    assert not loaded(changed)
    assert changed.source == egad.derive(module(SOURCE.replace(old, new)).curve, cache=False).source
    # Equal terms are one object, with the places of the first of them, as long as one is alive.
    del changed
    gc.collect()
    assert loaded(egad.derive(module(SOURCE).curve))


def test_what_no_kernel_shows_is_no_edit(folder, module):
    egad.derive(module(SOURCE).curve)
    assert loaded(egad.derive(module(SOURCE + "\nUNUSED = 1\n").curve))


def test_captured_numbers_are_part_of_the_name(folder):
    def scaled(k):
        def inner(x: float) -> float:
            return k * x

        return inner

    assert not loaded(egad.derive(scaled(2.0)))
    assert not loaded(egad.derive(scaled(3.0)))
    assert loaded(egad.derive(scaled(2.0)))


OPTIONS = [
    {"mode": "fwd"},
    {"wrt": "x"},
    {"math": "fast"},
    {"math": "strict"},
    {"dtype": "float64"},
    {"optimize": "fast"},
    {"groups": {"algebra": False}},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options_are_part_of_the_name(folder, options):
    egad.derive(square)
    if "groups" in options:
        options = {"groups": {next(iter(egad.rules.load().groups)): False}}
    assert not loaded(egad.derive(square, **options))
    assert loaded(egad.derive(square, **options)) and loaded(egad.derive(square))


def test_rule_files_are_part_of_the_name(folder, tmp_path):
    file = tmp_path / "mine.rules"
    text = '@rewrite(real)\ndef mine(x):\n    """Nothing new."""\n    sin(x) * 0.0 >> 0.0\n'
    file.write_text(text)
    assert not loaded(egad.derive(square, rules=[file]))
    assert loaded(egad.derive(square, rules=[file]))
    file.write_text(text.replace("sin", "cos"))
    assert not loaded(egad.derive(square, rules=[file]))


def test_sources_and_versions_are_part_of_the_name(folder, monkeypatch):
    egad.derive(square)
    with monkeypatch.context() as patched:
        patched.setattr(caching, "sources", lambda stages: "another egad")
        assert not loaded(egad.derive(square))
    with monkeypatch.context() as patched:
        patched.setattr(caching, "_versions", lambda: ("another numpy",))
        assert not loaded(egad.derive(square))
    assert loaded(egad.derive(square))


def test_it_can_be_switched_off(folder, monkeypatch):
    egad.derive(square, cache=False)
    assert not folder.exists()
    egad.derive(square)
    assert not loaded(egad.derive(square, cache=False))
    monkeypatch.setenv("EGAD_CACHE", "off")
    assert not loaded(egad.derive(square))


class Evil:
    """What a foreign file may try."""

    def __reduce__(self):
        return os.mkdir, (str(Path(os.environ["EGAD_CACHE_DIR"]) / "broken_in"),)


def sealed(path, value):
    assert store.write_sealed(path, pickle.dumps(value))


@pytest.mark.parametrize("damage", ["cut", "empty", "noise", "evil", "other", "renamed", "builtin"])
def test_files_are_not_trusted(folder, damage):
    wanted = egad.derive(square)
    (path,) = folder.iterdir()
    data = path.read_bytes()
    if damage == "cut":
        path.write_bytes(data[:-3])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "noise":
        path.write_bytes(data[:200] + b"\x00" + data[201:])
    elif damage == "evil":
        sealed(path, (path.name, Evil(), Evil(), Evil()))
    elif damage == "other":
        sealed(path, (path.name, 1, 2, 3))
    elif damage == "builtin":
        sealed(path, (path.name, print, eval, open))
    else:
        egad.derive(square, mode="fwd")
        (other,) = [p for p in folder.iterdir() if p != path]
        other.replace(path)
    again = egad.derive(square)
    assert not loaded(again) and again == wanted
    assert not (folder.parent / "broken_in").exists()
    assert loaded(egad.derive(square))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no permissions here")
def test_a_folder_that_others_write_to_is_not_used(folder):
    egad.derive(square)
    folder.chmod(0o777)
    assert not loaded(egad.derive(square))
    folder.chmod(0o700)
    assert loaded(egad.derive(square))


def test_a_folder_that_cannot_be_is_no_error(monkeypatch, tmp_path):
    monkeypatch.setenv("EGAD_CACHE", "on")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EGAD_CACHE_DIR", str(tmp_path / "file"))
    assert egad.derive(square)(1.0, 0.0, 1.0).x == 2.0


def test_the_oldest_files_go(tmp_path):
    for i in range(10):
        (tmp_path / f"f{i}").write_bytes(b"x" * 100)
        os.utime(tmp_path / f"f{i}", (i, i))
    store.prune(tmp_path, 20, 2000)
    assert len(list(tmp_path.iterdir())) == 10
    store.prune(tmp_path, 20, 900)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f6", "f7", "f8", "f9"]
    store.prune(tmp_path, 3)
    assert [p.name for p in tmp_path.iterdir()] == ["f9"]


def test_notes_and_places_are_content():
    x = var("x", Scalar.F32)
    plain = Program("f", (Slot("x", Scalar.F32),), (Slot("y", Scalar.F32),), ((x,),))
    named = replace(plain, notes={x: Note("height")})
    assert plain == named and digest(plain) != digest(named)
    assert digest(plain) == digest(replace(plain))
    assert digest(const(0.0)) != digest(const(-0.0))
    with pytest.raises(Nameless):
        digest(object())
