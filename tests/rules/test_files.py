"""Files that people share: versions, includes, what packages offer, and what is listed."""

import json
import sys
import zipfile
from pathlib import Path

import pytest

import egad
from egad import rules
from egad.__main__ import main
from egad.rules.checker.check import check_files
from egad.rules.loader import closure
from egad.terms.errors import RuleError

TWICE = "def twice(x) -> y:\n    y = 2 * x\n    dy_dx = 2\n"
WRONG = "def wrong(x) -> y:\n    y = 2 * x\n    dy_dx = 3\n"


def write(folder, **files):
    """Rule files by name (`__` stands for a folder); the path of the last one."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.rules"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path


def fault(path):
    with pytest.raises(RuleError) as caught:
        rules.load([path])
    return caught.value


# ---- Includes ---------------------------------------------------------------------------


def test_an_include_counts_from_the_folder_of_its_file(tmp_path):
    main_file = write(
        tmp_path,
        more__angles='include("deep/base.rules")\ndef angle(x) -> y: y = base(x) + 1\n',
        mine='"""Doc."""\nrules_version = 1\ninclude("more/angles.rules")\n'
        "def f(x) -> y: y = angle(x)\n",
    )
    write(tmp_path / "more", deep__base="def base(x) -> y: y = 3 * x\n")
    loaded = rules.load([main_file])
    assert loaded.get("base") and loaded.get("angle") and loaded.get("f")
    assert [Path(s).name for s in loaded.sources[-3:]] == [
        "base.rules",
        "angles.rules",
        "mine.rules",
    ]
    assert egad.derive(lambda x: x * 1.0, rules=[main_file]).reference(1.0, 1.0) == (1.0,)


def test_a_file_that_is_included_twice_is_read_once(tmp_path):
    write(tmp_path, base=TWICE, a='include("base.rules")\n', b='include("base.rules")\n')
    top = write(tmp_path, top='include("a.rules")\ninclude("b.rules")\n')
    assert len(rules.load([top]).operators["twice"]) == 1
    both = rules.load([tmp_path / "a.rules", tmp_path / "b.rules", tmp_path / "base.rules"])
    assert len(both.operators["twice"]) == 1


def test_included_rules_are_checked_with_the_file(tmp_path):
    top = write(tmp_path, base=WRONG, top='include("base.rules")\n' + TWICE)
    results = check_files([str(top)])
    assert [r.rule for r in results if r.problem] == ["wrong"]
    assert {Path(r.at.file).name for r in results} == {"base.rules", "top.rules"}


def test_a_file_that_changed_is_read_again(tmp_path):
    top = write(tmp_path, base=TWICE, top='include("base.rules")\n')
    first = rules.load([top])
    assert rules.load([top]) is first  # linking is not done again
    write(tmp_path, base=TWICE.replace("2 *", "4 *"))
    assert rules.load([top]).operator("twice").definition is not first.operator("twice").definition


def test_cycles(tmp_path):
    write(tmp_path, a='\ninclude("b.rules")\n', b='include("c.rules")\n')
    write(tmp_path, c=f'{"#" * 30}\n\ninclude("a.rules")\n')
    error = fault(tmp_path / "a.rules")
    assert (Path(error.at.file).name, error.at.line, error.at.column) == ("c.rules", 3, 9)
    names = [Path(part).name for part in error.message.split(": ", 1)[1].split(" -> ")]
    assert names == ["a.rules", "b.rules", "c.rules", "a.rules"]
    alone = fault(write(tmp_path, d='include("d.rules")\n'))
    assert "includes itself" in alone.message


def test_missing_files_name_the_nearest(tmp_path):
    top = write(tmp_path, angles=TWICE, top='include("angels.rules")\n')
    assert str(fault(top)).removeprefix(str(tmp_path)) == (
        "/top.rules:1:9: there is no rule file 'angels.rules' beside top.rules; "
        "did you mean 'angles.rules'?\n"
        '    include("angels.rules")\n'
        "            ^^^^^^^^^^^^^^\n"
        "  the path counts from the folder of the file that includes"
    )


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/etc/passwd", "an absolute path"),
        ("C:/x.rules", "an absolute path"),
        ("../x.rules", "a path that leaves the folder of the file"),
        ("a/../../x.rules", "a path that leaves the folder of the file"),
        ("a\\\\x.rules", "parts of a path are separated by /"),
        ("a//x.rules", "parts of a path are made of ASCII letters, digits, _ - and ."),
        ("./x.rules", "parts of a path are made of ASCII letters, digits, _ - and ."),
        (".x.rules", "parts of a path are made of ASCII letters, digits, _ - and ."),
        ("ä.rules", "parts of a path are made of ASCII letters, digits, _ - and ."),
        ("a b.rules", "parts of a path are made of ASCII letters, digits, _ - and ."),
        ("x\\0.rules", "parts of a path are made of ASCII letters, digits, _ - and ."),
        ("", "parts of a path are made of ASCII letters, digits, _ - and ."),
        ("passwd", "the name of a rule file ends in .rules"),
        ("x" * 400 + ".rules", "parts of a path are made of ASCII letters, digits, _ - and ."),
    ],
)
def test_paths_that_are_refused(path, why, tmp_path):
    error = fault(write(tmp_path, top=f'include("{path}")\n'))
    assert error.message.endswith(why) and (error.at.line, error.at.column) == (1, 9)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("include()", "include takes the path of one rule file", (1, 1)),
        ("include(other)", "include takes the path of one rule file", (1, 1)),
        ("include('a.rules', 'b.rules')", "include takes the path of one rule file", (1, 1)),
        ("include(path='a.rules')", "include takes the path of one rule file", (1, 1)),
        ("include(f'a.rules')", "include takes the path of one rule file", (1, 1)),
        (TWICE + "include('a.rules')", "include(…) stands above the first block", (4, 1)),
        ("include('base.rules')\nrules_version = 1", "rules_version stands at the top", (2, 1)),
        ("rules_version = 1\nrules_version = 1", "rules_version stands at the top", (2, 1)),
        ("rules_version = 'x'", "rules_version is a whole number", (1, 17)),
        ("rules_version = 0", "rules_version is a whole number", (1, 17)),
        ("rules_version = True", "rules_version is a whole number", (1, 17)),
    ],
)
def test_lines_that_are_no_head(text, message, place, tmp_path):
    error = fault(write(tmp_path, base="", top=text))
    assert error.message.startswith(message) and (error.at.line, error.at.column) == place


def test_a_text_includes_nothing():
    with pytest.raises(RuleError, match="only a file can include another one"):
        rules.loads('include("trig.rules")\n', "demo.rules")


def test_links_do_not_lead_out(tmp_path):
    write(tmp_path, secret=TWICE)
    top = write(tmp_path, in__top='include("link.rules")\n')
    (top.parent / "link.rules").symlink_to(tmp_path / "secret.rules")
    assert "is a link out of the folder" in fault(top).message
    (top.parent / "inside.rules").write_text(TWICE)
    (top.parent / "link.rules").unlink()
    (top.parent / "link.rules").symlink_to("inside.rules")
    assert rules.load([top]).get("twice")


def test_limits_hold_for_all_files_together(tmp_path, monkeypatch):
    lines = "".join(f"def r{{0}}_{i}(x) -> y: y = x\n" for i in range(1000))
    for number in range(6):
        write(tmp_path, **{f"part{number}": lines.format(number)})
    includes = [f'include("part{number}.rules")\n' for number in range(6)]
    assert rules.load([write(tmp_path, fits="".join(includes[:5]))]).get("r4_999")
    error = fault(write(tmp_path, over="".join(includes)))
    assert (error.at.line, "more than 5000 rules" in error.message) == (6, True)
    write(tmp_path, big="#" * 600_000, large="#" * 600_000)
    error = fault(write(tmp_path, over='include("big.rules")\ninclude("large.rules")\n'))
    assert (error.at.line, "more than 1 MiB" in error.message) == (2, True)
    for number in range(120):
        write(tmp_path, **{f"chain{number}": f'include("chain{number + 1}.rules")\n'})
    write(tmp_path, chain120="")
    assert "100 levels of includes" in fault(tmp_path / "chain0.rules").message
    monkeypatch.setattr(closure, "MAX_FILES", 10)
    for number in range(10):
        write(tmp_path, **{f"leaf{number}": ""})
    many = "".join(f'include("leaf{number}.rules")\n' for number in range(10))
    assert "more than 10 files" in fault(write(tmp_path, many=many)).message


# ---- What packages offer ----------------------------------------------------------------

EXPLODES = "raise SystemError('the code of the package ran')\n"
BASE = "def base(x) -> y: y = x\n"
PARTS = 'include("data/base.rules")\ndef thrice(x) -> y:\n    y = base(x) * 3\n'


def install(folder, entries, distribution="shared-rules"):
    """Metadata as an installer leaves it."""
    info = folder / f"{distribution.replace('-', '_')}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(f"[egad.rules]\n{entries}\n")


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on sys.path, with a package of rules whose code must not run."""
    folder = tmp_path / "site"
    package = folder / "sharedrules" / "sub"
    (package / "data").mkdir(parents=True)
    for home in (package, package.parent):
        (home / "__init__.py").write_text(EXPLODES)
    write(package, mine=PARTS, other=WRONG)
    write(package / "data", base=BASE)
    monkeypatch.syspath_prepend(str(folder))
    return folder


def ran():
    return [name for name in sys.modules if name.startswith("sharedrules")]


def test_derive_and_check_find_the_rules_of_a_package(site, capsys):
    install(site, "my-rules = sharedrules.sub:mine.rules\nall_of_it = sharedrules.sub")
    derived = egad.derive(lambda x: thrice(x), rules=["my-rules"])  # noqa: F821
    assert derived.reference(1.0, 1.0) == (3.0,)
    assert not rules.load(["my-rules"]).get("wrong")
    assert rules.load(["all_of_it"]).get("wrong")
    assert main(["check", "my-rules"]) == 0
    assert main(["check", "all_of_it"]) == 1
    place = site / "sharedrules" / "sub" / "other.rules"
    assert f"{place}:3:13: [wrong dy_dx] disagrees" in capsys.readouterr().out
    assert not ran()


def test_packages_in_zip_files(tmp_path, monkeypatch):
    archive = tmp_path / "packed.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("sharedzip/__init__.py", EXPLODES)
        packed.writestr("sharedzip/mine.rules", PARTS)
        packed.writestr("sharedzip/data/base.rules", BASE)
    monkeypatch.syspath_prepend(str(archive))
    install(tmp_path, "zipped = sharedzip:mine.rules")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert rules.load(["zipped"]).get("thrice")
    assert "sharedzip" not in sys.modules


def test_unknown_names_list_what_there_is(site):
    install(site, "my-rules = sharedrules.sub:mine.rules")
    with pytest.raises(RuleError) as caught:
        rules.load(["my-rule"])
    known = ", ".join((*rules.shipped(), "my-rules"))
    assert str(caught.value) == (
        "there is no rule set 'my-rule'; did you mean 'my-rules'?\n"
        f"  there are {known}; a file is given by its path"
    )


def test_two_packages_with_one_name(site):
    install(site, "mine = sharedrules.sub:mine.rules")
    install(site, "mine = sharedrules.sub:other.rules", "others-rules")
    with pytest.raises(RuleError, match=r"'mine': others-rules 1\.2 and shared-rules 1\.2"):
        rules.load(["mine"])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("nowhere:mine.rules", "there is no package 'nowhere'"),
        ("sharedrules.nowhere", "there is no package 'sharedrules.nowhere'"),
        ("sharedrules.sub.deeper.still", "there is no package"),
        ("json.decoder", "there is no package 'json.decoder'"),  # a module, no folder
        ("sharedrules.sub:mine", "which names no rule file"),
        ("sharedrules", "which has no rule files"),
    ],
)
def test_offers_that_lead_nowhere(site, value, message):
    install(site, f"mine = {value}")
    with pytest.raises(RuleError) as caught:
        rules.load(["mine"])
    assert caught.value.message.startswith(f"shared-rules 1.2 offers rules 'mine' as {value!r}, ")
    assert message in caught.value.message and not ran()


def test_a_file_that_a_package_promised_is_missing(site):
    install(site, "mine = sharedrules.sub:absent.rules")
    with pytest.raises(RuleError, match="the rule file does not exist"):
        rules.load(["mine"])


# ---- `egad rules list` -------------------------------------------------------------------


def run(capsys, *argv):
    code = main([str(a) for a in argv])
    return code, capsys.readouterr().out


def test_rules_list(site, capsys):
    install(site, "my-rules = sharedrules.sub:mine.rules\nall-of-it = sharedrules.sub")
    code, out = run(capsys, "rules", "list", "--json")
    sets = {entry["name"]: entry for entry in json.loads(out)["sets"]}
    assert code == 0
    assert list(sets) == [
        *(n for n in rules.shipped() if n != "slang"),
        "slang",
        "all-of-it",
        "my-rules",
    ]
    loaded = rules.load()
    own = [entry for entry in sets.values() if entry["origin"] == "shipped"]
    assert sum(entry["rewrites"] for entry in own) == len(loaded.rewrites)
    assert sum(entry["facts"] for entry in own) == len(loaded.facts)
    assert sum(entry["operators"] for entry in own) == sum(map(len, loaded.operators.values()))
    assert sets["slang"] == {
        "name": "slang",
        "origin": "shipped, on request",
        "operators": 0,
        "changes": 5,
        "rewrites": 0,
        "facts": 0,
        "version": 1,
        "files": [str(Path(rules.__file__).parent / "slang.rules")],
        "distribution": "",
        "error": "",
    }
    assert sets["my-rules"]["operators"] == 2 and sets["all-of-it"]["operators"] == 3
    assert [Path(f).name for f in sets["my-rules"]["files"]] == ["base.rules", "mine.rules"]
    assert sets["my-rules"]["distribution"] == "shared-rules 1.2"
    code, out = run(capsys, "rules", "list")
    lines = out.splitlines()
    assert code == 0 and len(lines) == len(sets) + 1
    head = "name operators changes rewrites facts version from"
    assert " ".join(lines[0].split()) == head
    package = site / "sharedrules" / "sub"
    assert lines[-1].split(maxsplit=6) == [
        *["my-rules", "2", "0", "0", "0", "1"],
        f"entry point, shared-rules 1.2: {package / 'mine.rules'} and 1 more",
    ]


def test_broken_offers_are_listed_with_what_is_wrong(site, capsys):
    write(site / "sharedrules" / "sub", broken="def f(x) -> y: y = z\n")
    install(site, "bad = sharedrules.sub:broken.rules\nslang = sharedrules.sub:mine.rules")
    code, out = run(capsys, "rules", "list")
    assert code == 1
    assert "broken.rules:1:20: [f] unknown name 'z'" in out
    assert "slang: hidden by the shipped set 'slang'" in out
