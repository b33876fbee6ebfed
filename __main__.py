"""The command line: `python -m egad derive FILE.py:FUNC`, `explain`, `check`, `rules`, `fmt`, …"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Sequence
from typing import Any, NoReturn

from . import __version__
from .loading import load
from .saving import check_target, save
from .terms.errors import DeriveError, EgadError, RuleError, TraceError, nearest, public

OK, FAILED = 0, 1
MODES = ("primal", "fwd", "bwd", "value_and_grad", "jacobian", "hessian", "hvp")
RULES = "rule file or shipped set (slang); may be given several times"
DTYPES = "float16, float32 or float64 (default: float32)"
TYPES = "the type of a parameter that its annotation leaves open, such as 'w=Array[float, 3]'"
ALL_DTYPES = "float16, float32 or float64 (default: the last two, as the device has them)"
COSTS = "a table of costs: intel-cpu, nvidia-h200, measured (after calibrate), or its path"
EFFORTS = "how long to search: fast, default or best (default: default)"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns 0 when it did its work, 1 for an error, 2 for wrong usage."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        code = int(options.run(options))
        print(end="", flush=True)
        return code
    except EgadError as error:
        print(f"{public(type(error)).__name__}: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    except BrokenPipeError:
        _give_up_output()
    except OSError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        _give_up_output()
    return FAILED


def _give_up_output() -> None:
    """What waits to be written goes nowhere: Python would try again when it exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


class _Parser(argparse.ArgumentParser):
    """Says which word is near a wrong one."""

    def error(self, message: str) -> NoReturn:
        wrong = re.search(r"(?:invalid choice: '|unrecognized arguments: )([^\s='']+)", message)
        words = _words(self)
        near = wrong is not None and wrong[1] not in words  # else it is of another command
        super().error(message + (nearest(wrong[1], words) if wrong and near else ""))


def _words(parser: argparse.ArgumentParser) -> list[str]:
    """The commands and options of a parser, and of the commands."""
    found: list[str] = []
    for action in parser._actions:
        found += action.option_strings
        inner = action.choices if isinstance(action.choices, dict) else {}
        found += [*inner, *(word for one in inner.values() for word in _words(one))]
    return found


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="egad",
        description="Derivative code from Python functions, as OpenCL kernels.",
        epilog="Exit codes: 0 done, 1 an error or a wrong rule, 2 wrong usage.",
    )
    parser.add_argument("--version", action="version", version=f"egad {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    derive = commands.add_parser("derive", help="derive a function and print its OpenCL kernel")
    _function_options(derive)
    derive.add_argument("-o", "--output", metavar="FILE", help="write the kernel to FILE")
    derive.set_defaults(run=_derive)

    explain = commands.add_parser(
        "explain", help="say what a derivation did, or what a rule is as mathematics"
    )
    _function_options(explain, "FILE.py:FUNC or FILE.rules:NAME")
    explain.add_argument("--latex", action="store_true", help="a rule's formulas in LaTeX")
    explain.add_argument(
        "--statements", action="store_true", help="the derivation of every statement, too"
    )
    explain.add_argument("--html", metavar="FILE", help="write a page with all of it to FILE")
    explain.set_defaults(run=_explain)

    check = commands.add_parser("check", help="try every rule of rule files with numbers")
    check.add_argument("files", nargs="*", metavar="FILE", help="rule files (default: shipped)")
    check.add_argument("-v", "--verbose", action="store_true", help="one line for every check")
    check.add_argument("--json", action="store_true", help="one object for every check, for tools")
    check.set_defaults(run=_check)

    rules = commands.add_parser("rules", help="rule sets: `egad rules list` shows what there is")
    _rules_commands(rules)

    fmt = commands.add_parser("fmt", help="print rule files in the one canonical form")
    fmt.add_argument("files", nargs="+", metavar="FILE", help="rule files; - is standard input")
    how = fmt.add_mutually_exclusive_group()
    how.add_argument("--write", action="store_true", help="rewrite the files")
    how.add_argument("--check", action="store_true", help="exit 1 where a file would change")
    fmt.set_defaults(run=_fmt)

    devices = commands.add_parser("devices", help="list OpenCL devices, and why one is refused")
    devices.add_argument("--refresh", action="store_true", help="probe again, forget verdicts")
    devices.set_defaults(run=_devices)

    calibrate = commands.add_parser(
        "calibrate", help="measure what operators cost on a device, for costs='measured'"
    )
    calibrate.add_argument("--device", help="part of its name, cpu, gpu or its number")
    calibrate.add_argument("--dtype", action="append", metavar="DTYPE", help=ALL_DTYPES)
    calibrate.add_argument("--rules", action="append", default=[], metavar="FILE", help=RULES)
    calibrate.add_argument("--name", default="measured", help="the name of the table")
    calibrate.add_argument("-o", "--output", metavar="FILE", help="write the table to FILE")
    calibrate.set_defaults(run=_calibrate)
    return parser


def _rules_commands(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="what is shipped, and what packages offer")
    listing.add_argument("--json", action="store_true", help="for tools")
    listing.set_defaults(run=_list_rules)


def _function_options(parser: argparse.ArgumentParser, names: str = "FILE.py:FUNC") -> None:
    parser.add_argument(
        "function",
        metavar=names,
        help="the function to derive" + (", or the rule" if "rules" in names else ""),
    )
    parser.add_argument("--mode", default="bwd", help=f"{', '.join(MODES)} (default: bwd)")
    parser.add_argument("--wrt", help="comma-separated parameters (default: all real ones)")
    parser.add_argument("--types", action="append", default=[], metavar="NAME=TYPE", help=TYPES)
    parser.add_argument("--rules", action="append", default=[], metavar="FILE", help=RULES)
    parser.add_argument("--math", default="safe", help="strict, safe or fast (default: safe)")
    parser.add_argument("--dtype", default="float32", help=DTYPES)
    parser.add_argument("--optimize", default="default", help=EFFORTS)
    parser.add_argument("--costs", metavar="TABLE", help=COSTS)
    for word in ("on", "off"):
        about = f"a group of rewrites to be switched {word}; may be given several times"
        parser.add_argument(f"--{word}", action="append", default=[], metavar="GROUP", help=about)


def _derived(options: argparse.Namespace) -> Any:
    from .api import derive
    from .family import Family

    with _Progress(f"deriving {options.function}"):
        found = derive(
            load(options.function),
            options.mode,
            wrt=None if options.wrt is None else [w.strip() for w in options.wrt.split(",")],
            types=_types(options.types),
            rules=options.rules,
            math=options.math,
            dtype=options.dtype,
            optimize=options.optimize,
            costs=options.costs,
            groups=_groups(options.on, options.off),
        )
    if isinstance(found, Family):
        how = _HOW + " ".join(f"--types '{n}=…'" for n in found.open)
        raise found.unsaid(how + (_OF_AN_INSTANCE if "self" in found.open else ""))
    return found


_OF_AN_INSTANCE = "; or make an instance in the file, and derive its method: FILE.py:name.method"
_HOW = "say what it is, such as Array[float, 3] or a struct class: "


def _types(given: Sequence[str]) -> dict[str, str]:
    """What `--types` says, by parameter. Raises TraceError for what is not NAME=TYPE."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, type_ = text.partition("=")
        if not (equals and name.strip() and type_.strip()):
            hint = "write --types 'w=Array[float, 3]'"
            raise TraceError(f"--types {text!r} is not NAME=TYPE", hint=hint)
        found[name.strip()] = type_.strip()
    return found


def _groups(on: Sequence[str], off: Sequence[str]) -> dict[str, bool]:
    """What is switched on and off. Raises DeriveError for a group that is both."""
    if both := set(on) & set(off):
        raise DeriveError(f"the group {min(both)!r} is switched on and off")
    return {**dict.fromkeys(on, True), **dict.fromkeys(off, False)}


def _derive(options: argparse.Namespace) -> int:
    if options.output is not None:
        check_target(options.output)
    derived = _derived(options)
    if options.output is not None:
        print(f"wrote {derived.export(options.output)}")
    else:
        print(derived.source)
    return OK


def _explain(options: argparse.Namespace) -> int:
    from .explaining.rule import explain_rule, is_rule

    about_rule = is_rule(options.function)
    for word, given, fits in (
        ("--latex", options.latex, about_rule),
        ("--statements", options.statements, not about_rule),
        ("--html", options.html is not None, not about_rule),
    ):
        if given and not fits:
            what = "a rule" if about_rule else "a function"
            hint = f"it is about {'functions: FILE.py:FUNC' if about_rule else 'rules: trig:sin'}"
            raise RuleError(f"{word} does not explain {what}: {options.function}", hint=hint)
    if about_rule:
        print(explain_rule(options.function, latex=options.latex))
        return OK
    if options.html is not None:
        check_target(options.html)
    derived = _derived(options)
    with _Progress(f"explaining {options.function}"):
        text = derived.explain(rules=options.statements, html=options.html)
    print(text if options.html is None else f"{text}\nwrote {options.html}")
    return OK


def _check(options: argparse.Namespace) -> int:
    from .rewrite.egraph.explosion import check_growth
    from .rules.checker.check import check_files
    from .rules.checker.report import as_json, failed_to_load, summary

    try:
        with _Progress("checking rules") as progress:
            results = check_files(options.files, progress.step, check_growth)
    except RuleError as error:
        if not options.json:
            raise
        results = [failed_to_load(error)]
    print(as_json(results) if options.json else summary(results, verbose=options.verbose))
    return FAILED if any(r.problem for r in results) else OK


def _list_rules(options: argparse.Namespace) -> int:
    from .rules.loader.listing import as_json, as_text, listed

    entries = listed()
    print(json.dumps(as_json(entries), indent=1) if options.json else as_text(entries))
    return FAILED if any(entry.error for entry in entries) else OK


def _fmt(options: argparse.Namespace) -> int:
    from .rules.loader.canonical import format_files

    mode = "write" if options.write else "check" if options.check else "print"
    return FAILED if format_files(options.files, mode) else OK


def _devices(options: argparse.Namespace) -> int:
    from .codegen.devices.device import describe_devices

    print(describe_devices(options.refresh))
    return OK


def _calibrate(options: argparse.Namespace) -> int:
    from datetime import date

    from . import rules
    from .codegen.devices import calibrate, measured
    from .codegen.devices.device import choose
    from .codegen.devices.timing import one_core
    from .rules.costs import REALS
    from .settings import choice

    if options.output:
        check_target(options.output)
    device = choose(options.device)
    known, core = rules.load(options.rules), one_core(device)
    words = options.dtype or ["float32", *(["float64"] if device.info.fp64 else [])]
    prices: dict[Any, list[Any]] = {}
    print(f"{device.info.label}, driver {device.info.version}")
    for word in dict.fromkeys(words):
        kind = choice("dtype", word, REALS)
        found = prices[kind] = []
        with _Progress(f"measuring {word}") as progress:
            for price in calibrate.calibrate(core, known, kind):
                found.append(price)
                progress.step(price.name)
        print("\n".join([f"{word}:", *(f"  {price}" for price in found)]))
    table = calibrate.table_of(prices, options.name, device, date.today().isoformat())
    if options.output:
        print(f"wrote {save(options.output, table.text())}")
    else:
        print(f"wrote {measured.remember(table, device)}, for costs='measured'")
    return OK


class _Progress:
    """A line on a terminal's standard error while long work runs; silent when redirected."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.began = time.perf_counter()
        self.shown = False

    def __enter__(self) -> _Progress:
        self.step("")
        return self

    def step(self, detail: str) -> None:
        """Show what is being done now."""
        if sys.stderr is not None and sys.stderr.isatty():  # none where it is closed
            seconds = time.perf_counter() - self.began
            line = f"{self.what} … {detail} {seconds:.0f} s"[:100]
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
            self.shown = True

    def __exit__(self, *_: object) -> None:
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
