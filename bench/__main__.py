"""The command line: `python -m bench`, and its commands."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import egad
from egad.codegen.devices.device import Device, choose
from egad.codegen.devices.timing import one_core

from . import (
    ablation,
    by_hand,
    calls,
    guard,
    on_device,
    orders,
    plot,
    rounding,
    rules,
    standing,
    stored,
    table,
    three_ways,
)
from .compare import Comparison, Entry
from .derivatives import derive
from .harness import compiler
from .harness.bandwidth import gigabytes_per_second
from .loops import measure as measure_loops
from .measure import Run, Settings, measure
from .peers import EMITTERS, NAMES, RUNTIMES
from .peers.worker import LIMIT
from .scale import IMPORT_LIMIT, SERIES, chain_report, import_seconds
from .workloads import BY_NAME, Workload

DTYPES = ("float32", "float64")
TOO_LARGE = ("chain5000",)  # derived and counted, not compiled
QUICK = ("poly", "ggx", "ba_reproj", "chain10")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one measurement; returns 1 where a limit is broken."""
    options = _parser().parse_args(argv)
    if options.command:
        return _COMMANDS[options.command](options)
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
    parser.add_argument("--peers", metavar="NAMES", help="tools to compare with; default: all")
    parser.add_argument("--no-peers", action="store_true", help="egad alone; so does --quick")
    parser.add_argument("--peer-limit", metavar="SECONDS", type=float, default=LIMIT)
    parser.add_argument("--counts", action="store_true", help="compare counts, time nothing")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the comparison (PNG)")
    parser.add_argument("--all-cores", action="store_true", help="run kernels on the whole device")
    parser.add_argument("--device", help="as for egad.derive")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures to FILE")
    parser.add_argument("--markdown", metavar="FILE", type=_page, help="put the tables into FILE")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    chain = commands.add_parser("chain", help="derive longer and longer chains: time and memory")
    chain.add_argument("--links", type=int, nargs="*", default=SERIES, help="six terms each")
    _common(chain)
    loops = commands.add_parser("loops", help="derive and run loops: time, storage, text")
    loops.add_argument("--dtype", choices=DTYPES, help="default: both")
    loops.add_argument("--device", help="as for egad.derive")
    loops.add_argument("--markdown", metavar="FILE", type=_page, help="put the tables into FILE")
    guarded = commands.add_parser("guard", help="compare costs with the stored ones")
    guarded.add_argument("--update", metavar="REASON", help="store today's costs")
    guarded.add_argument("--only", metavar="NAMES", dest="guarded", help="workloads")
    without = commands.add_parser("ablation", help="costs without groups of rules, and phases")
    without.add_argument("--only", metavar="NAMES", dest="chosen", help="workloads")
    without.add_argument("--markdown", metavar="FILE", type=_page, help="put the tables into FILE")
    rounded = commands.add_parser("rounding", help="errors in float32, plain and optimized")
    rounded.add_argument("--only", metavar="NAMES", dest="chosen", help="workloads")
    ways = commands.add_parser("ways", help="three ways to the same numbers, however derived")
    ways.add_argument("--only", metavar="NAMES", dest="chosen", help="workloads")
    ways.add_argument("--optimize", choices=three_ways.EFFORTS, dest="effort", help="default: all")
    ways.add_argument("--device", help="as for egad.derive")
    hand = commands.add_parser("hand", help="kernels by hand as opponents")
    hand.add_argument("--only", metavar="NAMES", dest="chosen", default=",".join(by_hand.NAMES))
    hand.add_argument("--device", help="as for egad.derive")
    hand.add_argument("--json", metavar="FILE", type=Path, help="write the figures to FILE")
    order = commands.add_parser("orders", help="statements in other orders: registers, times")
    order.add_argument("--only", metavar="NAMES", dest="chosen", help="workloads")
    order.add_argument("--device", help="as for egad.derive")
    wide = commands.add_parser("kernels", help="every tool's code as a kernel on a whole device")
    _common(wide)
    wide.add_argument("--only", metavar="NAMES", dest="chosen", help="workloads")
    wide.add_argument("--peers", metavar="NAMES", help="tools to compare with; default: all")
    wide.add_argument("--device", help="as for egad.derive")
    wide.add_argument("--markdown", metavar="FILE", type=_page, help="put the tables into FILE")
    call = commands.add_parser("calls", help="whole calls from Python, beside JAX's")
    call.add_argument("--only", metavar="NAMES", dest="chosen", default=",".join(QUICK))
    commands.add_parser("rules", help="how long rule files take to load and to check")
    commands.add_parser("importtime", help="how long `import egad` takes")
    return parser


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dtype", choices=DTYPES, help="default: both; float32 for a chain")
    efforts = ("fast", "default", "best")
    parser.add_argument("--optimize", choices=efforts, default="default")


def _import_time(_: argparse.Namespace) -> int:
    seconds = import_seconds()
    print(f"import egad: {seconds:.3f} s (limit {IMPORT_LIMIT} s)")
    print(f"from egad import derive: {import_seconds('from egad import derive'):.3f} s")
    return int(seconds >= IMPORT_LIMIT)


def _rules(_: argparse.Namespace) -> int:
    text, broken = rules.report(check=True)
    print(text)
    return int(broken)


def _calls(options: argparse.Namespace) -> int:
    found = (one for w in _chosen(options.chosen, False) for one in calls.called(w))
    print(table.text([calls.table(found)]))
    return 0


def _chains(options: argparse.Namespace) -> int:
    """Measure how time and memory grow; says what breaks a limit."""
    dtype = options.dtype or "float32"
    broken = chain_report(options.links, dtype, options.optimize, partial(print, flush=True))
    for limit in broken:
        print(f"over the limit: {limit}", file=sys.stderr)
    return int(bool(broken))


def _workloads(options: argparse.Namespace) -> int:
    chosen = _chosen(options.only, options.quick)
    peers = _peers(options)
    dtypes = [options.dtype] if options.dtype else DTYPES[:1] if options.quick else DTYPES
    device = choose(options.device, fp64="float64" in dtypes or bool(peers))
    part = device if options.all_cores else one_core(device)
    about = table.environment(device, "one core" if part is not device else "whole device")
    load = table.load()
    runs = [] if options.counts else _runs(chosen, dtypes, options, part)
    entries, bandwidth = _compared(chosen, peers, options, part) if peers else ([], {})
    if entries:
        about["compiler"] = compiler.version()
        about["peers"] = ", ".join(dict.fromkeys(f"{NAMES[e.peer]} {e.version}" for e in entries))
    else:
        about["peers"] = stored.SOURCE
    about["load"] = f"{load} when it began, {table.load()} when it ended"
    best = standing.best(entries) if entries else stored.BEST
    tables = table.tables(runs, best) if runs else []
    duels = by_hand.duels([w.name for w in chosen], part) if entries and bandwidth else []
    tables += [by_hand.table(duels)] if duels else []
    errors = [rounding.rounding(w) for w in chosen if runs and w.name not in TOO_LARGE]
    tables += [rounding.table(errors)] if errors else []
    tables += standing.tables(entries, bandwidth) if entries else []
    print(table.text(tables))
    if options.json:
        figures = table.as_json(runs, about, best) | standing.as_json(entries, bandwidth)
        figures["rounding"] = [asdict(one) for one in errors]
        figures["by hand"] = [asdict(one) for one in duels]
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    if options.markdown:
        page = table.markdown(tables, about)
        if entries and options.plot:
            page += f"\n\n![The comparison as bars]({options.plot.name})"
        table.rewrite_between_markers(options.markdown, page)
    if entries and options.plot:
        plot.draw(entries, options.plot)
    return 0


def _peers(options: argparse.Namespace) -> list[str]:
    """The tools to compare with; none by default in a quick run."""
    if options.no_peers or (options.quick and not options.peers):
        return []
    known = [*EMITTERS, *RUNTIMES]
    names = options.peers.split(",") if options.peers else known
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"no peer {', '.join(unknown)}; there are {', '.join(known)}")
    return names


def _runs(
    chosen: Sequence[Workload], dtypes: Sequence[str], options: argparse.Namespace, part: Device
) -> list[Run]:
    """egad's own figures."""
    runs = []
    for dtype in dtypes:
        settings = Settings(dtype, options.optimize, options.quick)
        derive(BY_NAME["poly"], dtype, options.optimize)  # loads rules and libraries
        runs += [_told(workload, settings, part) for workload in chosen]
    return sorted(runs, key=lambda run: list(BY_NAME).index(run.workload))


def _compared(
    chosen: Sequence[Workload], peers: Sequence[str], options: argparse.Namespace, part: Device
) -> tuple[list[Entry], dict[str, float]]:
    """Every tool on every workload; the speed of copying."""
    comparison = Comparison(peers, part, options.peer_limit, options.optimize)
    entries: list[Entry] = []
    try:
        for workload in chosen:
            timed = not options.counts and workload.name not in TOO_LARGE
            entries += comparison.entries(workload, timed)
    finally:
        comparison.close()
    return entries, {} if options.counts else gigabytes_per_second(part)


def _guard(options: argparse.Namespace) -> int:
    """Compare costs with the stored ones; says which are dearer."""
    names = options.guarded.split(",") if options.guarded else guard.GUARDED
    text, broken = guard.report([w.name for w in _chosen(",".join(names), False)], options.update)
    print(text)
    if broken:
        print(
            "dearer than stored: make it cheaper, or store it in the same commit with "
            "`python -m bench guard --update REASON`",
            file=sys.stderr,
        )
    return int(broken)


def _page(name: str) -> Path:
    """A page that is there, for who does not want to measure first."""
    path = Path(name)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no file {name}: tables go between its markers")
    return path


def _ablation(options: argparse.Namespace) -> int:
    """What rules and phases win; costs do not depend on what else runs, so all cores look."""
    names = [w.name for w in _chosen(options.chosen or ",".join(guard.GUARDED), False)]
    found = []
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as cores:  # this one may have threads
        for one in cores.map(ablation.of_name, names):
            print(f"{one.workload} …", file=sys.stderr, flush=True)
            found.append(one)
    tables = ablation.tables(found)
    print(table.text(tables))
    if options.markdown:
        page = table.markdown(tables, {"egad": egad.__version__, "effort": "default"})
        table.rewrite_between_markers(options.markdown, page, table.BEGIN_ABLATION)
    return 0


def _rounding(options: argparse.Namespace) -> int:
    """Errors in float32; says which are over the limit."""
    names = options.chosen or ",".join(name for name in BY_NAME if name not in TOO_LARGE)
    found = [rounding.rounding(workload) for workload in _chosen(names, False)]
    print(table.text([rounding.table(found)]))
    for one in found:
        if not one.holds:
            print(f"over the limit: {one.workload}", file=sys.stderr)
    return int(not all(one.holds for one in found))


def _ways(options: argparse.Namespace) -> int:
    """Three ways to the same numbers; says where they differ."""
    names = options.chosen or ",".join(n for n in guard.GUARDED if n != "chain100")
    efforts = [options.effort] if options.effort else three_ways.EFFORTS
    found = []
    for one in three_ways.differences(
        _chosen(names, False), efforts, choose(options.device, fp64=True)
    ):
        print(f"{one.workload} {one.effort} {one.math}", file=sys.stderr, flush=True)
        found.append(one)
    print(table.text([three_ways.table(found)]))
    for one in found:
        if not one.holds:
            print(f"differs: {one}", file=sys.stderr)
    return int(not all(one.holds for one in found))


def _hand(options: argparse.Namespace) -> int:
    """Kernels by hand beside egad's."""
    found = by_hand.duels(options.chosen.split(","), one_core(choose(options.device)))
    print(table.text([by_hand.table(found)]))
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    return 0


def _orders(options: argparse.Namespace) -> int:
    """Values alive and times, by the order of statements."""
    part = one_core(choose(options.device))
    names = options.chosen or ",".join(name for name in BY_NAME if name not in TOO_LARGE)
    found = [one for w in _chosen(names, False) for one in orders.ordered(w, part)]
    print(table.text([orders.table(found)]))
    return 0


def _kernels(options: argparse.Namespace) -> int:
    """Every tool's code as a kernel on the whole device."""
    dtypes = [options.dtype] if options.dtype else DTYPES
    device = choose(options.device, fp64="float64" in dtypes)
    names = options.chosen or ",".join(name for name in BY_NAME if name not in TOO_LARGE)
    about = table.environment(device, "whole device")
    peers = options.peers.split(",") if options.peers else list(EMITTERS)
    with _empty_cache():
        found = on_device.measured(_chosen(names, False), dtypes, peers, options.optimize, device)
    tables = [on_device.table(found, device)]
    print(table.text(tables))
    for one in found:
        for name, why in one.left_out.items():
            print(f"left out: {one.workload} {one.dtype} {name}: {why}")
    if options.markdown:
        page = table.markdown(tables, about)
        table.rewrite_between_markers(options.markdown, page, table.BEGIN_KERNELS)
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


_COMMANDS = {
    "ablation": _ablation,
    "calls": _calls,
    "chain": _chains,
    "guard": _guard,
    "hand": _hand,
    "importtime": _import_time,
    "kernels": _kernels,
    "loops": _loops,
    "orders": _orders,
    "rounding": _rounding,
    "rules": _rules,
    "ways": _ways,
}

if __name__ == "__main__":
    sys.exit(main())
