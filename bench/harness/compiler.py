"""Takes C++ text, gives a function that runs it, or a program's output: one compiler for all.

The compiler is `$CXX`, else g++ or clang++ (Debian: the package g++).
"""

from __future__ import annotations

import ctypes
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..workloads import Array
from .wrap import HERE

SEPARATE = tuple(f"-fno-builtin-{name}{f}" for name in ("sin", "cos") for f in ("", "f"))
PLAIN = ("-O3", "-march=native", "-std=c++17", "-fopenmp-simd")
FAST = (*PLAIN, "-ffast-math")
VECTOR = (*FAST, *SEPARATE, "-mprefer-vector-width=512")
COUNTING = ("-O0", "-std=c++17")
LIMIT = 120.0  # seconds for one text


class CompileFailure(Exception):
    """The compiler refuses a text, or takes too long; the text says which."""


@dataclass(frozen=True)
class Compiled:
    """`run(n, in, out)` of a shared object, and what compiling took."""

    run: Any
    seconds: float

    def __call__(self, n: int, inputs: Array, outputs: Array) -> None:
        self.run(ctypes.c_long(n), _pointer(inputs), _pointer(outputs))


def compiler() -> list[str]:
    """The command of the C++ compiler, which may have options of its own."""
    for name in (os.environ.get("CXX", ""), "g++", "clang++"):
        command = shlex.split(name)
        if command and shutil.which(command[0]):
            return command
    raise CompileFailure("no C++ compiler: install g++ (Debian: apt-get install g++) or set CXX")


def version() -> str:
    found = subprocess.run([*compiler(), "--version"], capture_output=True, text=True, check=True)
    return found.stdout.splitlines()[0]


def shared(text: str, flags: tuple[str, ...]) -> Compiled:
    """The text as a shared object in this process.

    Linked in a step of its own: with -ffast-math, g++ 12 would link in what flushes the small
    numbers of the whole process to 0.
    """
    with tempfile.TemporaryDirectory() as folder:
        target, compiled = Path(folder) / "it.so", Path(folder) / "it.o"
        began = time.perf_counter()
        _compile(text, (*flags, "-fPIC", "-c"), compiled)
        _run([*compiler(), "-shared", str(compiled), "-o", str(target), "-lm"])
        seconds = time.perf_counter() - began
        return Compiled(ctypes.CDLL(str(target)).run, seconds)


def tallied(text: str, rows: Array) -> tuple[list[list[float]], Mapping[str, float]]:
    """What a counting program computes for rows of numbers, and what it counts."""
    numbers = "\n".join(" ".join(repr(float(x)) for x in row) for row in rows)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "it"
        _compile(text, COUNTING, target)
        ran = subprocess.run([target], input=numbers, capture_output=True, text=True)
        if ran.returncode:
            raise CompileFailure(f"the counting program ends with {ran.returncode}")
    results, counts = json.loads(_as_json(ran.stdout))
    return results, counts


def _compile(text: str, flags: tuple[str, ...], target: Path) -> None:
    source = target.with_suffix(".cpp")
    source.write_text(text)
    _run([*compiler(), *flags, "-I", str(HERE), "-w", str(source), "-o", str(target), "-lm"])


def _run(command: Sequence[str]) -> None:
    try:
        made = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise CompileFailure(f"not compiled in {LIMIT:.0f} s") from None
    if made.returncode:
        errors = [line for line in made.stderr.splitlines() if "error:" in line]
        raise CompileFailure((errors or [made.stderr.strip()[:200]])[0])


def _pointer(array: Array) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p)


def _as_json(printed: str) -> str:
    return printed.replace("-nan", "nan").replace("nan", "NaN").replace("inf", "Infinity")
