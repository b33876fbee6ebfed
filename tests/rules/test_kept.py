"""Rules that an earlier process has linked: the same ones, and never of other files or sources."""

import pickle
import subprocess
import sys

import pytest

from egad.rules.loader import kept, load
from egad.terms import store
from egad.terms.digest import digest
from egad.terms.rule import RuleSet


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache that is on."""
    monkeypatch.setenv("EGAD_CACHE", "on")
    monkeypatch.setenv("EGAD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "rules"


def linked():
    """The shipped rules as a new process gets them, and whether it linked them itself."""
    count = []
    whole = load.shipped_rules()

    def link():
        count.append(1)
        return whole

    return kept.kept(link), bool(count)


def test_another_process_loads_the_same_rules(folder):
    code = (
        "import sys, egad\n"
        "from egad.rules.loader import load\n"
        "from egad.terms.digest import digest\n"
        "load._linked = None if sys.argv[1] == 'loads' else load._linked\n"
        "print(digest(egad.rules.load()), egad.derive(lambda a, b: egad.sin(a) / b).source)"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code, how], text=True, capture_output=True, check=True
        ).stdout
        for how in ("links", "loads")
    ]
    assert runs[0] == runs[1]
    assert runs[0].startswith(digest(load.shipped_rules()))
    assert len(list(folder.iterdir())) == 1


def test_kept_rules_are_the_rules(folder):
    first, second = linked(), linked()
    assert first[1] and not second[1]
    assert second[0] is not first[0] and second[0] == first[0]
    # What takes no part in comparisons: places, spellings, costs by type.
    assert pickle.dumps(second[0]) == pickle.dumps(pickle.loads(pickle.dumps(first[0])))


def test_other_sources_find_nothing(folder, monkeypatch):
    linked()
    monkeypatch.setattr(kept, "sources", lambda stages: "other")
    assert linked()[1]
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("damage", ["noise", "other", "evil"])
def test_files_are_not_trusted(folder, damage):
    linked()
    (path,) = folder.iterdir()
    if damage == "noise":
        path.write_bytes(path.read_bytes()[:-3])
    else:
        value = RuleSet if damage == "other" else eval
        assert store.write_sealed(path, pickle.dumps((path.name, value)))
    assert linked()[1] and not linked()[1]


def test_it_can_be_switched_off(folder, monkeypatch):
    monkeypatch.setenv("EGAD_CACHE", "off")
    assert linked()[1] and linked()[1]
    assert not folder.exists()
