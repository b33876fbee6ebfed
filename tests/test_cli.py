"""The command line: what it prints, what it returns, and that it never shows a traceback."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import egad
from egad import rewrite
from egad.__main__ import MODES, main
from egad.codegen.devices import device

USER = """
import math
from egad import float3, dot

def wave(x: float, y: float) -> float:
    return math.sin(x) * y

def broken(x: float) -> float:
    return sinn(x)

def lit(n: float3, l: float3) -> float:
    return dot(n, l)

class Lamp:
    @staticmethod
    def wave(x: float, y: float) -> float:
        return math.sin(x) * y

number = 3.0
"""
GOOD_RULES = "@op(cost=3)\ndef thrice(x) -> y:\n    y = 3 * x\n"
BAD_RULES = (
    "@op(cost=3)\ndef wrong(x) -> y:\n"
    '    numpy = "sin(x)"\n    mpmath = "sin(x)"\n    opencl = "sin({x})"\n    dy_dx = sin(x)\n'
)


@pytest.fixture
def user(tmp_path):
    path = tmp_path / "user_functions.py"
    path.write_text(USER)
    return path


def run(capsys, *argv):
    """Exit code, standard output, standard error."""
    code = main([str(a) for a in argv])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, out, err


def test_the_version(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"egad {egad.__version__}\n"


def test_derive_prints_the_kernel(user, capsys):
    code, out, err = run(capsys, "derive", f"{user}:wave")
    assert code == 0 and not err
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("user_functions", user)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert out == egad.derive(module.wave).source + "\n"


def test_a_class_may_hold_the_function(user, capsys):
    code, out, err = run(capsys, "derive", f"{user}:Lamp.wave")
    assert code == 0 and not err
    assert out == run(capsys, "derive", f"{user}:wave")[1]


def test_a_module_of_a_package_may_import_its_neighbours(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path[:])
    inner = tmp_path / "shading_kit" / "lamps"
    inner.mkdir(parents=True)
    (inner.parent / "__init__.py").write_text("def gain(x: float) -> float:\n    return 7 * x\n")
    (inner / "__init__.py").write_text("")
    (inner.parent / "units.py").write_text("SCALE = 7.0\n")
    (inner / "plain_units.py").write_text("OFFSET = 3.0\n")
    (inner / "lamp.py").write_text(
        "from ..units import SCALE\nimport plain_units\n\n"
        "def wave(x: float) -> float:\n    return SCALE * x * x + plain_units.OFFSET * x\n"
    )
    code, out, err = run(capsys, "derive", f"{inner / 'lamp.py'}:wave")
    assert code == 0 and not err and "14.0f" in out and "3.0f" in out
    code, out, err = run(capsys, "derive", f"{inner.parent / '__init__.py'}:gain")
    assert code == 0 and not err and "7.0f" in out


@pytest.mark.skipif(sys.platform == "win32", reason="no shell that closes a stream")
def test_a_closed_standard_error(user):
    command = f"exec '{sys.executable}' -m egad derive '{user}:wave' 2>&-"
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and "__kernel" in done.stdout


def test_derive_takes_all_options(user, capsys):
    code, out, _ = run(
        capsys, "derive", f"{user}:wave", "--mode", "fwd", "--wrt", "y", "--dtype", "float64",
        "--math", "strict", "--optimize", "fast", "--rules", "slang",
    )  # fmt: skip
    assert code == 0
    assert "wave_fwd" in out and "double" in out and "d_y" in out and "d_x" not in out


def test_derive_writes_a_file(user, capsys, tmp_path):
    target = tmp_path / "wave.cl"
    code, out, _ = run(capsys, "derive", f"{user}:wave", "-o", target)
    assert code == 0 and out == f"wrote {target}\n"
    assert run(capsys, "derive", f"{user}:wave")[1] == target.read_text() + "\n"
    code, out, err = run(capsys, "derive", f"{user}:wave", "-o", tmp_path / "no" / "wave.cl")
    assert code == 1 and err.startswith("DeviceError: cannot write")


def test_explain(user, capsys):
    code, out, _ = run(capsys, "explain", f"{user}:lit", "--mode", "value_and_grad")
    assert code == 0
    assert "mode 'value_and_grad'" in out and "cost" in out and "bound" in out
    assert "wave" not in out


@pytest.mark.parametrize(
    ("function", "text"),
    [
        ("{user}:broken", "TraceError: {user}:9:12: "),
        ("{user}:waves", "did you mean 'wave'"),
        ("{user}:Lamp.waves", ":Lamp has no function 'waves'; did you mean 'wave'"),
        ("{user}:number.wave", ":number has no function 'wave'"),
        ("{user}:number", "DeriveError: derive needs a function"),
        ("{user}", "TraceError: "),
        ("absent.py:f", "there is no file 'absent.py'"),
        ("{folder}/crahs.py:f", "crahs.py'; did you mean '{folder}/crash.py'?"),
        ("{folder}/empty.py:f", "  nothing in it can be called"),
        ("{folder}/text.txt:f", "is not a Python file\n  write FILE.py:FUNC"),
        ("{folder}:f", "'{folder}' is a folder\n  name a file in it: {folder}/FILE.py:f"),
        ("{user}:Lamp", "derive needs a function, and Lamp is a class"),
        ("{folder}/crash.py:f", "{folder}/crash.py:2:1: "),
        ("{folder}/crash.py:f", "crash.py cannot be imported: ZeroDivisionError: division by zero"),
        ("{folder}/wrong.py:f", "{folder}/wrong.py:1:6: "),
        ("{folder}/leave.py:f", "leave.py cannot be imported: SystemExit: 3"),
        ("{user}:", "write FILE.py:FUNC; it has "),
        ("{user}:unlike", "  it has "),
    ],
)
def test_errors_are_one_line_of_a_kind_and_exit_code_1(function, text, user, capsys):
    folder = user.parent
    (folder / "text.txt").write_text("no code")
    (folder / "empty.py").write_text("")
    (folder / "crash.py").write_text("x = 1\n1 / 0\n")
    (folder / "wrong.py").write_text("def f(x:\n    return x\n")
    (folder / "leave.py").write_text("raise SystemExit(3)\n")
    names = {"user": user, "folder": folder}
    code, out, err = run(capsys, "derive", function.format(**names))
    assert code == 1 and not out
    assert text.format(**names) in err


OPEN = """
def horner(w: list[float], x: float) -> float:
    total = 0.0
    for i in range(len(w)):
        total = total * x + w[i]
    return total
"""


def test_modules_in_the_place_of_files(user, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "light.py").write_text("def f(x): return x\n")
    assert main(["derive", "light:f"]) == 1
    assert f"no file 'light'\n  it is in another folder: {Path('inner/light.py')}:f" in (
        capsys.readouterr().err
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["derive", "inner.light:f"]) == 1
    assert "  this is a module: name its file, " in capsys.readouterr().err
    assert main(["derive", "no.such-name:f"]) == 1
    assert capsys.readouterr().err == "TraceError: there is no file 'no.such-name'\n"


def test_types_of_what_annotations_leave_open(tmp_path, capsys):
    file = tmp_path / "open.py"
    file.write_text(OPEN)
    name = f"{file}:horner"
    code, out, _ = run(capsys, "derive", name, "--types", "w=Array[float, 3]")
    assert code == 0 and "horner_bwd(w: Array[float, 3], x: float, out_bar: float)" in out
    code, out, _ = run(capsys, "explain", name, "--types", "w = Array[float, 3]")
    assert code == 0 and out.startswith("horner: ")
    code, _, err = run(capsys, "derive", name)
    assert code == 1 and "type of parameter 'w' of horner" in err and "--types 'w=…'" in err
    for wrong, text in [
        ("w", "--types 'w' is not NAME=TYPE"),
        ("w=Arry[float, 3]", "did you mean 'Array'"),
        ("w=Array[float, 3", "'Array[float, 3' is not a type"),
    ]:
        code, _, err = run(capsys, "derive", name, "--types", wrong)
        assert code == 1 and err.startswith("TraceError: ") and text in err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sni", "no operator that is shipped is called 'sni'; did you mean 'sin'?"),
        ("{folder}/empty.rules", "there are no rules in {folder}/empty.rules"),
        ("trig:sni", "says nothing of 'sni'; did you mean 'sin'?"),
    ],
)
def test_rules_that_are_not_there(name, text, tmp_path, capsys):
    (tmp_path / "empty.rules").write_text("")
    code, out, err = run(capsys, "explain", name.format(folder=tmp_path))
    assert code == 1 and not out
    assert err.startswith("RuleError: ") and text.format(folder=tmp_path) in err


def test_options_without_meaning(user, capsys):
    code, _, err = run(capsys, "derive", f"{user}:wave", "--mode", "bwdd")
    assert code == 1 and "did you mean 'bwd'" in err
    code, _, err = run(capsys, "derive", f"{user}:wave", "--wrt", "x,z")
    assert code == 1 and "'z'" in err
    code, _, err = run(capsys, "derive", f"{user}:wave", "--rules", "absent.rules")
    assert code == 1 and "absent.rules" in err
    code, _, err = run(capsys, "derive", f"{user}:wave", "--wrt", "")
    assert code == 1 and "wrt names ''" in err
    both = "--on", "algebra", "--off", "algebra"
    code, _, err = run(capsys, "derive", f"{user}:wave", *both)
    assert code == 1 and "'algebra' is switched on and off" in err
    code, out, err = run(capsys, "derive", f"{user}:wave", "-o", "")
    assert code == 1 and not out and "cannot write" in err


def test_names_of_parameters_may_have_spaces_between_them(user, capsys):
    code, out, _ = run(capsys, "derive", f"{user}:wave", "--wrt", "x, y")
    assert code == 0 and "x_bar" in out and "y_bar" in out


@pytest.mark.parametrize(
    ("what", "option"),
    [("{user}:wave", ["--latex"]), ("trig:sin", ["--html", "x"]), ("trig:sin", ["--statements"])],
)
def test_options_of_explain_that_do_not_fit(what, option, user, capsys):
    code, out, err = run(capsys, "explain", what.format(user=user), *option)
    assert code == 1 and not out and f"{option[0]} does not explain a" in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_output_that_cannot_be_written(user):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "egad", "derive", f"{user}:wave"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize(
    ("argv", "near"),
    [
        (["dervie", "f.py:f"], "; did you mean 'derive'?"),
        (["rules", "lst"], "; did you mean 'list'?"),
        (["derive", "f.py:f", "--mdoe=bwd"], "; did you mean '--mode'?"),
        (["fmt", "--wirte", "a.rules"], "; did you mean '--write'?"),
        (["derive", "f.py:f", "--device", "cpu"], "unrecognized arguments: --device cpu\n"),
    ],
)
def test_wrong_words_have_near_ones(argv, near, capsys):
    with pytest.raises(SystemExit):
        main(argv)
    assert near in capsys.readouterr().err


@pytest.mark.parametrize("argv", [[], ["frobnicate"], ["derive"], ["derive", "f.py:f", "--speed"]])
def test_wrong_usage_is_exit_code_2(argv, capsys):
    with pytest.raises(SystemExit) as caught:
        main(argv)
    assert caught.value.code == 2
    assert "usage: egad" in capsys.readouterr().err


def test_help(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert all(command in out for command in ("derive", "explain", "check", "devices"))
    assert "Exit codes: 0 " in out


@pytest.mark.parametrize("command", ["derive", "explain", "check", "devices"])
def test_help_of_every_command(command, capsys):
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    if command in ("derive", "explain"):
        assert all(mode in out for mode in MODES)


def test_the_modes_of_the_help_are_those_there_are():
    assert MODES == rewrite.MODES


def test_check_finds_what_is_wrong(tmp_path, capsys):
    good, bad = tmp_path / "good.rules", tmp_path / "bad.rules"
    good.write_text(GOOD_RULES)
    bad.write_text(BAD_RULES)
    code, out, _ = run(capsys, "check", good)
    assert code == 0 and "bad" not in out
    code, out, _ = run(capsys, "check", good, bad, "--verbose")
    assert code == 1 and "bad.rules:" in out and "wrong" in out
    code, _, err = run(capsys, "check", tmp_path / "absent.rules")
    assert code == 1 and "absent.rules" in err


KEYS = ["file", "line", "column", "rule", "kind", "samples", "worst", "seconds"]


def test_check_of_a_shipped_name_in_a_folder_that_has_none(capsys):
    code, out, err = run(capsys, "check", "absent/trig.rules")
    assert code == 1 and not out and "absent/trig.rules:1:1: the rule file does not exist" in err


def test_check_for_tools(tmp_path, capsys):
    good, bad = tmp_path / "good.rules", tmp_path / "bad.rules"
    good.write_text(GOOD_RULES + "\n@rewrite(exact)\ndef f(x): x / 1 >> x\n")
    bad.write_text(BAD_RULES + '\n@rewrite(fast, unchecked="a lie")\ndef g(x): sin(x) >> x\n')
    code, out, err = run(capsys, "check", good, bad, "--json")
    found = json.loads(out)
    assert code == 1 and not err
    assert all(list(entry) == [*KEYS, "unchecked", "problem"] for entry in found)
    kinds = {"definition", "rewrite", "growth", "numpy", "derivative", "opencl"}
    assert {e["kind"] for e in found} == kinds
    (wrong,) = [e for e in found if e["problem"]]
    assert (wrong["rule"], wrong["kind"], wrong["line"], wrong["column"]) == (
        "wrong", "derivative", 6, 13,
    )  # fmt: skip
    assert wrong["problem"]["file"] == str(bad) and wrong["problem"]["line"] == 6
    assert "disagrees with central differences" in wrong["problem"]["message"]
    assert wrong["problem"]["hint"]
    assert {e["rule"]: e["unchecked"] for e in found if e["unchecked"]} == {"g": "a lie"}
    assert all(e["samples"] > 0 and e["seconds"] >= 0 for e in found if not e["unchecked"])
    code, out, _ = run(capsys, "check", good, "--json")
    assert code == 0 and not any(e["problem"] for e in json.loads(out))


def test_check_for_tools_of_what_is_no_rule_file(tmp_path, capsys):
    path = tmp_path / "broken.rules"
    path.write_text("def f(x) -> y:\n    y = x +\n")
    code, out, err = run(capsys, "check", path, "--json")
    (only,) = json.loads(out)
    assert code == 1 and not err
    assert (only["kind"], only["file"], only["line"]) == ("load", str(path), 2)
    assert only["problem"]["message"]
    with pytest.raises(SystemExit) as stopped:
        main(["check", "--jason"])
    assert stopped.value.code == 2


def test_devices_lists_what_there_is(capsys):
    code, out, _ = run(capsys, "devices")
    assert code == 0
    for info in device.devices():
        assert str(info.name) in out


def test_calibrate(user, capsys, tmp_path, monkeypatch):
    """With a clock that is made up: what the device itself says is another test."""
    ticks = {"without": 1.0, "units": 9.0}
    clock = lambda kernel, inputs, n: ticks.get(kernel.name, 16.0)  # noqa: E731
    monkeypatch.setattr("egad.codegen.devices.calibrate._timer", lambda device: clock)
    monkeypatch.setenv("EGAD_CACHE_DIR", str(tmp_path / "cache"))
    code, out, err = run(capsys, "explain", f"{user}:wave", "--costs", "measured")
    assert code == 1 and "`egad calibrate` takes a minute" in err
    path = tmp_path / "own.toml"
    code, out, err = run(capsys, "calibrate", "--dtype", "float32", "--name", "own", "-o", path)
    assert code == 0 and not err and "float32:\n" in out and "  exp              15  (" in out
    assert "[float32]" in path.read_text() and "[float64]" not in path.read_text()
    code, out, err = run(capsys, "explain", f"{user}:wave", "--costs", path)
    assert code == 0 and "costs       own [" in out
    code, out, err = run(capsys, "calibrate")
    assert code == 0 and out.splitlines()[-1].endswith(".toml, for costs='measured'")
    code, out, err = run(capsys, "explain", f"{user}:wave", "--costs", "measured")
    assert code == 0 and "costs       measured [" in out
    code, out, err = run(capsys, "calibrate", "--dtype", "int8")
    assert code == 1 and "dtype='int8' is not one of" in err


def test_what_cannot_be_written_is_said_first(user, capsys, tmp_path, monkeypatch):
    def measured(*_):
        raise AssertionError("this takes minutes")

    monkeypatch.setattr("egad.codegen.devices.calibrate.calibrate", measured)
    monkeypatch.setattr("egad.api.derive", measured)
    for argv in (
        ("calibrate", "-o"),
        ("derive", f"{user}:wave", "-o"),
        ("explain", f"{user}:wave", "--html"),
    ):
        code, _, err = run(capsys, *argv, tmp_path / "no" / "file")
        assert code == 1 and "cannot write" in err and f"there is no folder '{tmp_path}" in err
        code, _, err = run(capsys, *argv, tmp_path)
        assert code == 1 and err == f"DeviceError: cannot write '{tmp_path}': it is a folder\n"


def test_one_kind_of_file_where_another_is_wanted(user, capsys, tmp_path):
    good = tmp_path / "good.rules"
    good.write_text(GOOD_RULES)
    for path in (good, "slang"):
        code, _, err = run(capsys, "derive", f"{user}:wave", "--costs", path)
        assert code == 1 and f"'{path}' has rules, and a table of costs is wanted" in err
        assert "--rules" in err
    code, _, err = run(capsys, "fmt", "slang")
    assert code == 1 and "'slang' is the name of a shipped set" in err and "copy it" in err
    for argv in (("check", ""), ("fmt", ""), ("derive", f"{user}:wave", "--rules", "")):
        code, _, err = run(capsys, *argv)
        assert code == 1 and "the name of a rule file is empty" in err


def test_an_operator_that_nothing_computes(capsys, tmp_path):
    path = tmp_path / "open.rules"
    path.write_text('@nondiff\ndef pick(x) -> n:\n    """Which one."""\n')
    code, out, _ = run(capsys, "explain", f"{path}:pick")
    assert code == 0 and "no kernel computes it" in out and "not differentiable" in out


def test_as_a_process(user):
    def process(*argv):
        return subprocess.run(
            [sys.executable, "-m", "egad", *argv], capture_output=True, text=True, cwd=user.parent
        )

    done = process("derive", "user_functions.py:wave")
    assert done.returncode == 0 and "__kernel" in done.stdout and not done.stderr
    failed = process("derive", "user_functions.py:broken")
    assert failed.returncode == 1 and not failed.stdout
    assert failed.stderr.startswith("TraceError: ") and "Traceback" not in failed.stderr
    assert "    return sinn(x)" in failed.stderr and "           ^^^^" in failed.stderr
    assert process("derive").returncode == 2
