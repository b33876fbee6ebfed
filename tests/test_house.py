"""The rules of the house: which file may import what, sizes, names, docstrings, doctests."""

import ast
import doctest
import importlib
import itertools
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import egad

#: The checkout, not the installed package: README installs a copy of it.
ROOT = Path(__file__).resolve().parent.parent
#: A stage imports only stages before it.
STAGES = ("terms", "rules", "reader", "rewrite", "codegen", "vocabulary", "explaining", "root")
#: So do the rooms of a stage that has rooms; files beside the rooms come before them.
ROOMS = {
    "rules": ("loader", "checker"),
    "reader": ("sympy", "tracing", "python"),
    "rewrite": (
        "egraph",
        "extraction",
        "guarded",
        "undo",
        "loops",
        "factors",
        "derivation",
        "substitutes",
        "scaling",
        "regroup",
        "reuse",
        "rounding",
        "pipeline",
        "proofs",
    ),
    "codegen": ("schedule", "kernel", "host", "devices"),
    "rewrite/substitutes": ("limits", "gaps", "roots", "exponentials", "logarithms"),
    "reader/python": (
        "values",
        "libraries",
        "operations",
        "arrays",
        "builtins",
        "calls",
        "expressions",
        "loops",
        "statements",
    ),
}
HEAVY = {"egglog", "highspy", "sympy", "scipy", "mpmath", "pyopencl"}
FILES = sorted(
    path
    for folder in (ROOT, *(ROOT / stage for stage in STAGES[:-1]))
    for path in folder.glob("**/*.py" if folder != ROOT else "*.py")
)
NAMES = [str(path.relative_to(ROOT)) for path in FILES]


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def stage(path):
    folder = path.relative_to(ROOT).parts[0]
    return folder if folder in STAGES else "root"


def imports(tree, top_only=False):
    """(module, level, names) of every import statement; with `top_only`, what runs on import."""
    pending = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name, 0, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", node.level, tuple(a.name for a in node.names)
        elif not (top_only and runs_later(node)):
            pending += ast.iter_child_nodes(node)


def runs_later(node):
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.dump(node.test)
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def imported_stages(path):
    """The stages that a file imports from, by the first folder of the module."""
    for target in imported(path):
        yield target[0] if target[0] in STAGES else "root"


def imported(path):
    """The modules of egad that a file imports, as paths from the root of the package."""
    here = path.relative_to(ROOT).parts[:-1]
    for module, level, names in imports(tree_of(path)):
        assert level <= len(here) + 1, f"{path} reaches out of the package"
        if level:
            base = here[: len(here) - level + 1]
            tail = tuple(module.split(".")) if module else ()
            yield from ([(*base, *tail)] if tail else [(*base, name) for name in names])


@pytest.mark.parametrize("folder", ROOMS)
def test_rooms_import_one_way(folder):
    rooms, way = ROOMS[folder], tuple(folder.split("/"))
    assert {p.parent.name for p in (ROOT / folder).glob("*/__init__.py")} == set(rooms)
    for path in (ROOT / folder).glob("*/*.py"):
        for target in imported(path):
            *above, room = target[: len(way) + 1]
            if tuple(above) == way and room in rooms:
                assert rooms.index(room) <= rooms.index(path.parent.name), (path, target)


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_imports_go_one_way(path):
    here = STAGES.index(stage(path))
    for other in imported_stages(path):
        assert STAGES.index(other) <= here, f"{path.name} imports from {other}"


def test_the_walk_sees_imports():
    assert set(imported_stages(ROOT / "rewrite" / "derivation" / "derive.py")) >= {"terms"}
    assert "codegen" in set(imported_stages(ROOT / "api.py"))
    assert len(FILES) > 80


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_imports_inside_of_the_package_are_relative(path):
    for module, level, _ in imports(tree_of(path)):
        assert level or module.split(".")[0] not in {"egad", *STAGES}


def importers(name):
    return [
        str(path.relative_to(ROOT))
        for path in FILES
        if any(not level and m.split(".")[0] == name for m, level, _ in imports(tree_of(path)))
    ]


def test_engines_are_imported_in_one_place_each():
    assert importers("egglog") == ["rewrite/egraph/engine.py"]
    assert importers("highspy") == ["rewrite/highs.py"]
    assert importers("pyopencl") and all(
        f.startswith("codegen/devices/") for f in importers("pyopencl")
    )
    assert importers("sympy") and all(f.startswith("reader/sympy") for f in importers("sympy"))


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_heavy_libraries_are_imported_when_they_are_needed(path):
    for module, level, _ in imports(tree_of(path), top_only=True):
        assert level or module.split(".")[0] not in HEAVY, module


def test_importing_and_deriving_load_no_more_than_they_need():
    code = (
        "import sys, egad\n"
        f"heavy = {sorted(HEAVY)!r} + ['numpy']\n"
        "print([m for m in heavy if m in sys.modules])\n"
        "egad.derive(lambda x: x * x).reference(1.0, 1.0)\n"
        "print([m for m in ('sympy', 'pyopencl') if m in sys.modules])\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.splitlines() == ["[]", "[]"], run.stdout + run.stderr


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_files_are_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def functions():
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node.end_lineno - node.lineno + 1, f"{path.relative_to(ROOT)}:{node.name}"


def test_functions_are_short():
    lengths = sorted(functions())
    assert lengths[-1][0] <= 70, lengths[-1]
    assert lengths[int(0.9 * len(lengths))][0] <= 25


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_everything_public_says_what_it_is(path):
    tree = tree_of(path)
    assert ast.get_docstring(tree)
    pending = [(tree, "")]
    while pending:
        node, prefix = pending.pop()
        for child in node.body:
            if isinstance(child, ast.FunctionDef | ast.ClassDef) and not child.name.startswith("_"):
                assert prefix == "local" or ast.get_docstring(child), f"{prefix}{child.name}"
                if isinstance(child, ast.ClassDef):
                    pending.append((child, f"{child.name}."))


TRACKED = subprocess.run(
    ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
).stdout.split("\n")
TEXTS = [
    name
    for name in TRACKED
    if name.endswith((".py", ".rules", ".toml", ".md")) and not name.startswith("tests/")
] or NAMES
UNFINISHED = re.compile(r"\b(NotImplementedError|TODO|FIXME|XXX)\b")
ELSEWHERE = re.compile(r"(?<![\w.])/(home|Users|root|work|tmp|private)/\w")


@pytest.mark.parametrize("name", TEXTS)
def test_nothing_is_unfinished_and_nothing_is_tied_to_a_machine(name):
    if not (ROOT / name).exists():
        pytest.skip("deleted, not yet committed")
    text = (ROOT / name).read_text(encoding="utf-8")
    for pattern in (UNFINISHED, ELSEWHERE):
        found = pattern.search(text)
        assert found is None, f"{name}: {found and found[0]}"


NOT_SHIPPED = {"bench", "build", "docs", "examples", "tests"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_files_of_tests_have_names_of_their_own():
    """Their folders are no packages: of two of one name, pytest finds the first."""
    names = sorted(path.name for path in (ROOT / "tests").rglob("*.py"))
    twice = {a for a, b in itertools.pairwise(names) if a == b} - {"conftest.py"}
    assert not twice


def test_the_packages_are_those_of_the_folders():
    listed = set(PROJECT["tool"]["setuptools"]["packages"])
    inits = [path for path in TRACKED if Path(path).name == "__init__.py"] or [
        str(path.relative_to(ROOT)) for path in FILES if path.name == "__init__.py"
    ]
    folders = [Path(path).parent.parts for path in inits]
    shipped = {".".join(("egad", *f)) for f in folders if not {*f[:1]} & NOT_SHIPPED}
    assert listed == shipped
    assert not list((ROOT / "tests").glob("**/__init__.py"))


def test_rule_files_are_packaged():
    data = PROJECT["tool"]["setuptools"]["package-data"]
    assert len(list((ROOT / "rules").glob("*.rules"))) >= 8
    assert "*.rules" in data["egad.rules"] and "py.typed" in data["egad"]
    assert (ROOT / "py.typed").exists()


def test_the_version_is_in_one_place():
    project = PROJECT["project"]
    if "version" in project:
        assert project["version"] == egad.__version__
    else:
        assert "version" in project["dynamic"]


def test_every_name_resolves():
    for module, names in egad._HOMES.items():
        home = importlib.import_module(f"egad.{module}")
        for name in names:
            assert getattr(egad, name) is getattr(home, name)
    for name in egad.__all__:
        assert getattr(egad, name) is not None
    for path in FILES:
        module = importlib.import_module(module_name(path))
        for name in getattr(module, "__all__", ()):
            assert hasattr(module, name), f"{path.name}: {name}"


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("egad", *(p for p in parts if p != "__init__")))


MODULES = [p for p in FILES if ">>> " in p.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", MODULES, ids=[str(p.relative_to(ROOT)) for p in MODULES])
def test_doctests(path):
    result = doctest.testmod(importlib.import_module(module_name(path)))
    assert result.attempted > 0
    assert result.failed == 0


def test_there_are_doctests():
    assert len(MODULES) > 10
