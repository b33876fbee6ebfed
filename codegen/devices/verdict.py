"""Takes a device, gives the verdict of its probe, from memory, from disk, or from a child process.

Knows nothing of how the device is chosen or used.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...terms import store
from . import probe

TIMEOUT = 120.0  # seconds; a first compilation took 1.3 s at most, on shared cores
RETRY = 24 * 3600.0  # a bad verdict is tried again after this many seconds


@dataclass(frozen=True, slots=True)
class Identity:
    """What a verdict and a compiled kernel depend on."""

    platform: str
    name: str
    version: str
    kind: str

    @property
    def key(self) -> str:
        """A file name; CPU devices of one name may differ in their instructions."""
        features = cpu_features() if self.kind == "cpu" else ""
        return store.key_of(probe.VERSION, self.platform, self.name, self.version, features)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the probe found out."""

    usable: bool
    reason: str = ""
    fp64: bool = False
    fp16: bool = False
    lasting: bool = True  # worth remembering on disk


_KNOWN: dict[str, Verdict] = {}
_LOCK = threading.Lock()


def of(device: Any, who: Identity) -> Verdict:
    """The verdict on a device, found out at most once per process."""
    with _LOCK:
        known = _KNOWN.get(who.key)
        if known is None:
            known = _KNOWN[who.key] = _recalled(who) or _probed(device, who)
        return known


def forget() -> None:
    """Forget all verdicts, in memory and on disk."""
    with _LOCK:
        _KNOWN.clear()
        store.prune(_folder(), 0)


@functools.cache
def cpu_features() -> str:
    """The processor and the instruction sets it has: binaries for one may crash on another."""
    parts = [platform.machine(), platform.processor()]
    text = store.read(Path("/proc/cpuinfo")) or b""
    wanted = ("model name", "flags", "Features", "CPU part")
    for line in text.decode("utf-8", "replace").split("\n\n")[0].splitlines():
        name, _, value = line.partition(":")
        if name.strip() in wanted:
            parts.append(" ".join(sorted(value.split())))
    return "|".join(parts)


def _folder() -> Path:
    return store.root() / "devices"


def _recalled(who: Identity) -> Verdict | None:
    """The verdict on disk, unless it is damaged, or bad and old."""
    try:
        row = json.loads(store.read(_folder() / f"{who.key}.json") or b"")
        found = Verdict(**row["verdict"])
        age = time.time() - float(row["time"])
    except (ValueError, TypeError, KeyError):
        return None
    return found if found.usable or 0 <= age < RETRY else None


def _probed(device: Any, who: Identity) -> Verdict:
    found = _in_child(who)
    if found is None:  # no way to start a child
        found = _checked(probe.check(device))
    if found.lasting:
        row = {"device": asdict(who), "verdict": asdict(found), "time": time.time()}
        store.write(_folder() / f"{who.key}.json", json.dumps(row, indent=1).encode())
    return found


def _checked(row: Mapping[str, Any]) -> Verdict:
    return Verdict(**{name: row[name] for name in ("usable", "reason", "fp64", "fp16")})


def _in_child(who: Identity) -> Verdict | None:
    """Probe in a process of its own; None when none can be started."""
    if not sys.executable or getattr(sys, "frozen", False):
        return None  # an embedding program: running it again would start it, not Python
    command = [sys.executable, "-P", probe.__file__, who.platform, who.name, who.version]
    paths = os.pathsep.join(path for path in sys.path if path)
    env = {**os.environ, "PYTHONPATH": paths, "PYOPENCL_NO_CACHE": "1"}
    env.pop("PYOPENCL_BUILD_OPTIONS", None)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", env=env, timeout=TIMEOUT,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Verdict(False, f"its probe did not end within {TIMEOUT:g} s", lasting=False)
    except OSError:
        return None
    return _read_answer(done)


def _read_answer(done: subprocess.CompletedProcess[str]) -> Verdict:
    for line in reversed(done.stdout.splitlines()):
        if line.startswith(probe.MARK):
            return _checked(json.loads(line.removeprefix(probe.MARK)))
    if done.returncode == 3:
        return Verdict(False, "a child process does not see it", lasting=False)
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    crash = f"signal {-done.returncode}" if done.returncode < 0 else f"exit {done.returncode}"
    return Verdict(False, f"its compiler or driver crashed in the probe ({crash}): {last}")
