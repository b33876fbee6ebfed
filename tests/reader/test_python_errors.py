"""Every construct outside the language is an error that says where, what, and what instead."""

import ast
import inspect
from pathlib import Path

import asked_errors
import collected_errors
import common_errors
import complex_errors
import dictionary_errors
import generator_errors
import growing_errors
import indexed_errors
import kept_errors
import language
import late_errors
import picked_errors
import pytest
import scalar_errors
import stepping_errors

import egad
from egad.reader import read
from egad.rules import load
from egad.terms.errors import TraceError
from egad.terms.types import Scalar

RULES = load()
HELPERS = {
    "helper",
    "inner",
    "narrow",
    "scaled",
    "rule_with_one_parameter",
    "two_parameters",
    "rule_of_int",
    "one_parameter",
    "rule_without_pair",
    "plain_rule",
    "too_many_gradients",
    "one_gradient",
    "shaded",
    "described",
    "odd_steps",
    "even_steps",
    "upwards",
}
MODULES = (
    language,
    scalar_errors,
    growing_errors,
    dictionary_errors,
    generator_errors,
    late_errors,
    collected_errors,
    common_errors,
    picked_errors,
    asked_errors,
    stepping_errors,
    indexed_errors,
    kept_errors,
    complex_errors,
)


def functions(module):
    tree = ast.parse(Path(module.__file__).read_text())
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    names = [node.name for node in tree.body if isinstance(node, kinds) and node.name[0] != "_"]
    return [getattr(module, name) for name in names if name not in HELPERS]


def error_of(f, **options):
    with pytest.raises(TraceError) as caught:
        read(f, real=Scalar.F32, rules=RULES, **options)
    return caught.value


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_error_texts(module, golden):
    file, texts = Path(module.__file__), []
    for function in functions(module):
        error = error_of(function)
        assert error.at is not None, function
        texts.append(f"{function.__name__}\n{error}".replace(str(file), file.name))
    golden(f"{file.stem}.txt", "\n\n".join(texts) + "\n")


@pytest.mark.parametrize("f", [f for m in MODULES for f in functions(m)], ids=lambda f: f.__name__)
def test_the_caret_stands_in_the_function_or_what_it_uses(f):
    error = error_of(f)
    line = Path(f.__code__.co_filename).read_text().splitlines()[error.at.line - 1]
    assert error.at.text == line
    assert 1 <= error.at.column <= len(line)


def test_columns_count_characters_not_bytes():
    def f(x):
        return "ééé" == "" or x.nothing

    error = error_of(f)
    assert error.at.text[error.at.column - 1 :].startswith("x.nothing")


def test_deep_nesting_is_an_error():
    text = "def f(x):\n    return " + "(-" * 80 + "x" + ")" * 80
    text = text.replace("(-", "abs(-")
    namespace = source_scope("from math import *\n" + text)
    read(namespace["f"], real=Scalar.F32, rules=RULES)

    calls = "\n".join(f"def f{i}(x):\n    return f{i + 1}(x) + 1" for i in range(400))
    namespace = source_scope(calls + "\ndef f400(x):\n    return x\n")
    error = error_of(namespace["f0"])
    assert "f0 is nested too deeply" in str(error)


def source_scope(text, file="<egad nesting>"):
    import linecache

    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {}
    exec(compile(text, file, "exec"), scope)
    return scope


def test_source_that_changed_is_not_trusted(tmp_path):
    path = tmp_path / "changing.py"
    path.write_text("def f(x):\n    return x * 2\n")
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    path.write_text("def other(y):\n    return y * 3\n")
    p = read(scope["f"], real=Scalar.F32, rules=RULES)  # traced instead
    assert [s.name for s in p.params] == ["x"]
    assert repr(p.flat[0]) == "mul(x, 2.0)"


def test_inlined_functions_need_source():
    scope = {}
    exec("def hidden(x):\n    return x", scope)
    hidden = scope["hidden"]
    error = error_of(lambda x: hidden(x))
    assert "the source of 'hidden' cannot be read" in str(error)
    assert inspect.getsourcefile(test_inlined_functions_need_source) == error.at.file


@pytest.mark.numbers
@pytest.mark.parametrize(
    "f", [lambda x: x * 10**400, lambda x: egad.float2(x, 10**400)], ids=["operand", "component"]
)
def test_an_integer_beyond_all_types_is_an_error(f):
    with pytest.raises(egad.EgadError, match="too large for any type"):
        egad.derive(f)
