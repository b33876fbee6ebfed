"""The command line: `python -m bench`, and the commands chain, loops, rules and importtime."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from egad.codegen.device import Device, choose
from egad.codegen.timing import one_core

from . import rules, table
from .derivatives import derive
from .loops import measure as measure_loops
from .measure import Run, Settings, measure
from .peers import SOURCE
from .scale import IMPORT_LIMIT, SERIES, chain_report, import_seconds
from .workloads import BY_NAME, Workload

DTYPES = ("float32", "float64")
QUICK = ("poly", "ggx", "ba_reproj", "chain10")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one measurement; returns 1 where a limit is broken."""
    options = _parser().parse_args(argv)
    if options.command == "chain":
        return _chains(options)
    if options.command == "importtime":
        seconds = import_seconds()
        print(f"import egad: {seconds:.3f} s (limit {IMPORT_LIMIT} s)")
        print(f"from egad import derive: {import_seconds('from egad import derive'):.3f} s")
        return int(seconds >= IMPORT_LIMIT)
    if options.command == "rules":
        text, broken = rules.report()
        print(text)
        return int(broken)
    if options.command == "loops":
        return _loops(options)
    with _empty_cache():
        return _workloads(options)


@contextmanager
def _empty_cache() -> Iterator[None]:
    """Without the kernels of earlier runs, which would build in no time."""
    name = "EGAD_CACHE_DIR"
    before = os.environ.get(name)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[name] = folder
        try:
            yield
        finally:
            os.environ.pop(name)
            if before is not None:
                os.environ[name] = before


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Measure egad on the workloads of bench/workloads.py."
    )
    _common(parser)
    parser.add_argument("--only", metavar="NAMES", help="workloads, separated by commas")
    parser.add_argument("--quick", action="store_true", help="four workloads, one dtype, < 20 s")
    parser.add_argument("--all-cores", action="store_true", help="run kernels on the whole device")
    parser.add_argument("--device", help="as for egad.derive")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures to FILE")
    parser.add_argument("--markdown", metavar="FILE", type=Path, help="put the tables into FILE")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    chain = commands.add_parser("chain", help="derive longer and longer chains: time and memory")
    chain.add_argument("--links", type=int, nargs="*", default=SERIES, help="six terms each")
    _common(chain)
    loops = commands.add_parser("loops", help="derive and run loops: time, storage, text")
    loops.add_argument("--dtype", choices=DTYPES, help="default: both")
    loops.add_argument("--device", help="as for egad.derive")
    loops.add_argument("--markdown", metavar="FILE", type=Path, help="put the tables into FILE")
    commands.add_parser("rules", help="how long rule files take to load")
    commands.add_parser("importtime", help="how long `import egad` takes")
    return parser


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dtype", choices=DTYPES, help="default: both; float32 for a chain")
    efforts = ("fast", "default", "best")
    parser.add_argument("--optimize", choices=efforts, default="default")


def _chains(options: argparse.Namespace) -> int:
    """Measure how time and memory grow; says what breaks a limit."""
    dtype = options.dtype or "float32"
    broken = chain_report(options.links, dtype, options.optimize, partial(print, flush=True))
    for limit in broken:
        print(f"over the limit: {limit}", file=sys.stderr)
    return int(bool(broken))


def _workloads(options: argparse.Namespace) -> int:
    chosen = _chosen(options.only, options.quick)
    dtypes = [options.dtype] if options.dtype else DTYPES[:1] if options.quick else DTYPES
    device = choose(options.device, fp64="float64" in dtypes)
    part = device if options.all_cores else one_core(device)
    about = table.environment(device, "one core" if part is not device else "whole device")
    about["peers"] = SOURCE
    load = table.load()
    runs = []
    for dtype in dtypes:
        settings = Settings(dtype, options.optimize, options.quick)
        derive(BY_NAME["poly"], dtype, options.optimize)  # loads rules and libraries
        runs += [_told(workload, settings, part) for workload in chosen]
    runs.sort(key=lambda run: list(BY_NAME).index(run.workload))
    about["load"] = f"{load} when it began, {table.load()} when it ended"
    tables = table.tables(runs)
    print(table.text(tables))
    if options.json:
        options.json.write_text(json.dumps(table.as_json(runs, about), indent=1) + "\n")
    if options.markdown:
        table.rewrite_between_markers(options.markdown, table.markdown(tables, about))
    return 0


def _loops(options: argparse.Namespace) -> int:
    """Measure loops; says what breaks a limit."""
    dtypes = [options.dtype] if options.dtype else DTYPES
    device = choose(options.device, fp64="float64" in dtypes)
    part = one_core(device)
    about = table.environment(device, "one core" if part is not device else "whole device")
    load = table.load()
    figures = measure_loops(dtypes, part)
    about["load"] = f"{load} when it began, {table.load()} when it ended"
    tables = figures.tables()
    print(table.text(tables))
    if options.markdown:
        page = table.markdown(tables, about)
        table.rewrite_between_markers(options.markdown, page, table.BEGIN_LOOPS)
    for limit in figures.broken:
        print(f"over the limit: {limit}", file=sys.stderr)
    return int(bool(figures.broken))


def _told(workload: Workload, settings: Settings, device: Device) -> Run:
    """The figures of a workload, with a line on standard error while it runs."""
    print(f"{workload.name} {settings.dtype} …", end=" ", file=sys.stderr, flush=True)
    run = measure(workload, settings, device)
    print(f"derived in {sum(run.seconds.values()):.2f} s", file=sys.stderr, flush=True)
    return run


def _chosen(only: str | None, quick: bool) -> list[Workload]:
    names = only.split(",") if only else QUICK if quick else list(BY_NAME)
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        raise SystemExit(f"no workload {', '.join(unknown)}; there are {', '.join(BY_NAME)}")
    return [BY_NAME[name] for name in names]


if __name__ == "__main__":
    sys.exit(main())
