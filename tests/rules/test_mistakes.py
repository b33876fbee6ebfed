"""Every mistake is found, by who ought to find it, at the place that it has."""

import pytest
from mistakes import MISTAKES

from egad import rules
from egad.rewrite.egraph.explosion import check_growth
from egad.rules.checker.check import check_files
from egad.terms.errors import RuleError


def marked(text):
    """The text without marks, and the line and columns between them."""
    before, inside, after = text.partition("«")[0], *text.partition("«")[2].split("»")
    line = before.count("\n") + 1
    start = len(before.rpartition("\n")[2]) + 1
    return before + inside + after + "\n", line, start, start + len(inside)


def problem(name, folder):
    """The error of a file with a mistake, who found it, and where it should be."""
    text, line, start, end = marked(MISTAKES[name][1])
    (folder / "demo.rules").write_text(text, encoding="utf-8")
    try:
        rules.load(["demo.rules"])
    except RuleError as error:
        return "load", error, (line, start, end)
    tried = check_files(["demo.rules"], growth=check_growth)
    found = [result.problem for result in tried if result.problem]
    assert found, f"{name}: nobody finds it"
    return "check", found[0], (line, start, end)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_found_where_they_are(name, here):
    who, error, (line, start, end) = problem(name, here)
    assert who == MISTAKES[name][0]
    assert MISTAKES[name][2] in error.message
    assert (error.at.file, error.at.line, error.at.column) == ("demo.rules", line, start)
    if not error.message.startswith("this is not Python syntax"):
        assert error.at.end == end and error.hint


@pytest.mark.parametrize("finder", ["load", "check"])
def test_messages(finder, here, golden):
    names = [name for name, mistake in MISTAKES.items() if mistake[0] == finder]
    texts = [f"{name}:\n{problem(name, here)[1]}\n" for name in names]
    golden(f"mistakes/{finder}.txt", "\n".join(texts))


def test_there_are_many():
    assert len(MISTAKES) >= 60
    assert len({text for _, text, _ in MISTAKES.values()}) == len(MISTAKES)
