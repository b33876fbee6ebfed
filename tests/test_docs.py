"""Every code block of README and docs: Python blocks run, and print what the page says.

A `python` block is run after the ones above it on the page; a `text` block right below one is
its output. A `rules` block is a rule file that loads and passes the check; one that begins with
a name (`# mine.rules`) is there for the Python blocks. A `c` block right below a `python` block
stands in the kernel that the block printed last.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from egad.rules.checker.check import check_files

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
RUN = {"python", "text", "c"}
SHELL = {"sh", "console"}  # README's commands are those of .ci/run: see test_commands


NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def assert_same(text, output):
    """Equal texts, but for the last digits of numbers: they are the device's own."""
    assert NUMBER.sub("#", text.strip()) == NUMBER.sub("#", output.strip())
    numbers = [float(n) for n in NUMBER.findall(output)]
    assert [float(n) for n in NUMBER.findall(text)] == pytest.approx(numbers, rel=1e-6)


def blocks(page):
    return [(m[1], m[2]) for m in BLOCK.finditer(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_python_blocks(page, tmp_path):
    """One script per page: the blocks in order, a marker after each."""
    found = [(kind, text) for kind, text in blocks(page) if kind in RUN]
    for kind, text in blocks(page):
        name = re.match(r"# (\w+\.rules)\n", text)
        if kind == "rules" and name:
            (tmp_path / name[1]).write_text(text)
    script = tmp_path / "page.py"
    mark = "=== end of block ==="
    script.write_text(
        "\n".join(f"{text}\nprint({mark!r})" for kind, text in found if kind == "python")
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    outputs = iter(done.stdout.split(f"{mark}\n"))
    output = ""
    for kind, text in found:
        if kind == "python":
            output = next(outputs)
        elif kind == "text":
            assert_same(text, output)
        else:
            assert text.strip() in output


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_rules_blocks(page, tmp_path):
    for number, (kind, text) in enumerate(blocks(page)):
        if kind == "rules":
            file = tmp_path / f"{page.stem}-{number}.rules"
            file.write_text(text, encoding="utf-8")
            results = check_files([str(file)])
            assert results or "@opencl" in text  # a spelling has no number to be tried with
            assert not [str(r.problem) for r in results if r.problem]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_block_is_of_a_kind_that_is_tested(page):
    assert {kind for kind, _ in blocks(page)} <= RUN | SHELL | {"rules"}
    fences = [line for line in page.read_text().splitlines() if line.startswith("```")]
    assert len(fences) == 2 * len(blocks(page))


LINK = re.compile(r"\[[^\]]+\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")


def anchors(page):
    """Where links can go in a page: its headings, as GitHub names them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head) for head in heads]
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in plain}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page):
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for path, anchor in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), (path, anchor)


def test_commands():
    """README's two commands are what CI runs."""
    ci = (ROOT / ".ci" / "run").read_text()
    commands = [text for kind, text in blocks(ROOT / "README.md") if kind == "sh"][:2]
    assert len(commands) == 2
    for line in "".join(commands).replace("\\\n", " ").splitlines():
        for part in line.split("&&"):
            words = part.split()
            if words[:1] in (["pip"], ["pytest"], ["python"]):
                plain = " ".join(w for w in words if w not in ("--quiet",))
                assert plain in ci.replace("--quiet ", ""), plain
