"""Takes a kernel's text and a device, gives a compiled kernel; knows nothing of arrays.

Compiled kernels are kept in memory per device, and their binaries on disk, under a name that
includes the driver and the instruction set of the CPU. The cache of pyopencl is not used: its
names know nothing of instruction sets, and a lock left behind by a killed process stops it.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ...terms import store
from ...terms.errors import DeviceError, EgadError, EgadWarning, EmitError, Span
from ...terms.types import Scalar, Type
from ..kernel.layout import axes_of, dtype_of
from ..kernel.memory import Scratch
from .device import INTEL_PLATFORM, Device, cache_folder, require
from .launches import Widths

STANDARD = "-cl-std=CL1.2"
# The Intel compiler takes 0.4 s for a function of 1,000 statements, 10 to 16 s for 10,000, minutes
# for 50,000; without optimization 1.1 s and 5.3 s, for code that is 10 to 25 times slower.
LONG_FUNCTION, LONG_TEXT = 10_000, 50_000
_KEPT_PROGRAMS = 512
_KEPT_BINARIES = 2048
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_COMPLAINTS = (  # line, column, text
    re.compile(r"(?:^|\D)(\d+):(\d+): (?:fatal )?error: ?([^\n]*)"),  # clang
    re.compile(r"error: [^\n]*?(\d+):(\d+): ([^\n]*)"),  # pocl
    # NVIDIA's compiler warns of a function that it does not know; its assembler stops, and says
    # not where.
    re.compile(r"(?:^|\D)(\d+):(\d+): warning: (implicit declaration [^\n]*)"),
)
_SAVED = re.compile(r"\n\(source saved as ([^\n]*)\)")
_USER_OPTIONS = "PYOPENCL_BUILD_OPTIONS"


class KernelArg(Protocol):
    """What running needs to know of one argument of a kernel."""

    @property
    def name(self) -> str:
        """The name that inputs and outputs are looked up by."""

    @property
    def type(self) -> Type:
        """The type of one value."""

    @property
    def role(self) -> str:
        """`in` or `out`."""

    @property
    def uniform(self) -> bool:
        """One value for all elements."""


class Kernel(Protocol):
    """What running needs to know of an emitted kernel."""

    @property
    def text(self) -> str:
        """OpenCL C."""

    @property
    def name(self) -> str:
        """The name of the kernel function."""

    @property
    def args(self) -> Sequence[KernelArg]:
        """In the order of the kernel's parameters."""

    @property
    def scratch(self) -> Sequence[Scratch]:
        """Buffers that come after them."""


@dataclass(frozen=True, slots=True)
class Passing:
    """How one argument is passed, worked out once for all launches."""

    name: str
    given: bool  # read by the kernel, not written
    by_value: bool  # a number, and not the memory where numbers are
    axes: tuple[int, ...]  # of one value
    dtype: np.dtype[Any]
    uniform: bool
    count: int  # of numbers or records in one value
    size: int  # of one value, in bytes

    @staticmethod
    def of(arg: KernelArg) -> Passing:
        """How a kernel's argument is passed."""
        by_value = arg.uniform and isinstance(arg.type, Scalar)
        axes, dtype = axes_of(arg.type), dtype_of(arg.type)
        how = arg.role == "in", by_value, axes, dtype, arg.uniform
        return Passing(arg.name, *how, prod(axes), prod(axes) * dtype.itemsize)

    @property
    def packed_as(self) -> np.dtype[Any] | None:
        """The dtype of an argument that is a number; None for memory."""
        if not self.by_value:
            return None
        return np.dtype(np.uint8) if self.dtype == np.bool_ else self.dtype


@dataclass(frozen=True, eq=False)
class Compiled:
    """A kernel ready to run; `lock` guards its arguments from being set by two threads."""

    program: Any = field(repr=False)  # kept: with Intel's runtime a kernel does not hold it
    kernel: Any = field(repr=False)
    args: tuple[Passing, ...] = field(repr=False)
    options: tuple[str, ...]
    seconds: float  # what compiling took
    cached: bool  # the binary came from disk
    widths: Widths  # of its work-groups
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)


@dataclass
class _Entry:
    """A place in a device's memory of programs: whoever comes first compiles, others wait."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    compiled: Compiled | None = None


def compiled(kernel: Kernel, device: Device) -> Compiled:
    """The kernel compiled for the device; at most once per process and text."""
    key = (kernel.text, kernel.name)
    with device.lock:
        entry = device.programs.pop(key, None) or _Entry()
        device.programs[key] = entry
        if len(device.programs) > _KEPT_PROGRAMS:
            del device.programs[next(iter(device.programs))]
    with entry.lock:
        if entry.compiled is None:
            with device.alone:
                entry.compiled = _compile(kernel, device)
        result: Compiled = entry.compiled
        return result


def options_for(text: str) -> tuple[str, ...]:
    """The build options of a kernel; optimization is off for very long functions, and files.

    >>> options_for("__kernel void f(void) {}")
    ('-cl-std=CL1.2',)
    """
    longest = max(part.count(";") for part in text.split("\n}\n"))
    many = longest > LONG_FUNCTION or text.count(";") > LONG_TEXT
    return (STANDARD, "-cl-opt-disable") if many else (STANDARD,)


def _compile(kernel: Kernel, device: Device) -> Compiled:
    import pyopencl as cl

    code = _COMMENT.sub(" ", kernel.text)
    require(
        device,
        fp64=re.search(r"\bdouble\d*\b", code) is not None,
        fp16=re.search(r"\bhalf\d*\b", code) is not None,
    )
    options = options_for(code)
    key = store.key_of(kernel.text, options, device.key, cl.VERSION_TEXT)
    path = cache_folder() / f"{key}.bin"
    start = time.perf_counter()
    try:
        with _undisturbed():
            found = _from_binary(store.read_sealed(path), kernel, device, options)
            program, function = found or _from_source(kernel, device, options)
        limit = function.get_work_group_info(
            cl.kernel_work_group_info.WORK_GROUP_SIZE, device.cl_device
        )
    except cl.Error as error:
        raise _translated(error, kernel, device) from error
    if found is None:
        _remember(path, program, device)
    args = tuple([Passing.of(arg) for arg in kernel.args])
    known = [*(arg.packed_as for arg in args), *[None] * len(kernel.scratch)]
    function.set_scalar_arg_dtypes(known)  # else each number is asked what it is at every call
    wide = device.info.kind == "cpu" and device.info.platform == INTEL_PLATFORM
    widths = Widths.of(int(limit), int(device.cl_device.max_compute_units), wide)
    seconds = time.perf_counter() - start
    return Compiled(program, function, args, options, seconds, found is not None, widths)


def _from_source(kernel: Kernel, device: Device, options: tuple[str, ...]) -> tuple[Any, Any]:
    import pyopencl as cl

    program = cl.Program(device.context, kernel.text)
    no_cache: Any = False  # typed as a path, documented as False
    program.build(list(options), devices=[device.cl_device], cache_dir=no_cache)
    return program, _function(program, kernel.name)


def _from_binary(
    binary: bytes | None, kernel: Kernel, device: Device, options: tuple[str, ...]
) -> tuple[Any, Any] | None:
    """The kernel from a remembered binary; None when the driver does not take it."""
    import pyopencl as cl

    if binary is None:
        return None
    try:
        program = cl.Program(device.context, [device.cl_device], [binary])
        program.build(list(options), devices=[device.cl_device])
        return program, _function(program, kernel.name)
    except cl.Error:
        return None


def _function(program: Any, name: str) -> Any:
    """A kernel of a program, without the cache of pyopencl where that is of no use.

    pyopencl keeps the code that passes arguments in a database of its own, and stops where the
    user's cache directory cannot be written or the database is damaged.
    """
    import pyopencl as cl

    try:
        return cl.Kernel(program, name)
    except (OSError, sqlite3.Error):
        cl._PYOPENCL_NO_CACHE = True
        return cl.Kernel(program, name)


def _remember(path: Path, program: Any, device: Device) -> None:
    """Keep the binary for other processes; that no driver has to give one is no error."""
    import pyopencl as cl

    try:
        owners = program.get_info(cl.program_info.DEVICES)
        binaries = program.get_info(cl.program_info.BINARIES)
        binary = bytes(binaries[list(owners).index(device.cl_device)] or b"")
    except (cl.Error, ValueError, IndexError):
        return
    if binary and store.write_sealed(path, binary):
        store.prune(path.parent, _KEPT_BINARIES)


# Environment and warning filters belong to the process: one build at a time changes them.
_BUILDING = threading.RLock()
_told: set[str] = set()


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """A build without the user's build options and without pyopencl's warning about logs.

    `-cl-fast-relaxed-math` and its kin make derivatives wrong; the Intel compiler writes a log
    for every kernel.
    """
    import pyopencl as cl

    with _BUILDING, warnings.catch_warnings():
        if not os.environ.get("PYOPENCL_COMPILER_OUTPUT"):
            warnings.simplefilter("ignore", cl.CompilerWarning)
        ignored = os.environ.pop(_USER_OPTIONS, "")
        try:
            yield
        finally:
            if ignored:
                os.environ[_USER_OPTIONS] = ignored
    if ignored and ignored not in _told:
        _told.add(ignored)
        warnings.warn(
            f"{_USER_OPTIONS}={ignored!r} is ignored for kernels of egad: build options can "
            "change what a derivative computes; ask for math='fast' instead",
            EgadWarning,
            stacklevel=2,
        )


def _translated(error: Any, kernel: Kernel, device: Device) -> EgadError:
    """A compiler's complaint as an error of egad, with the line of the kernel."""
    import pyopencl as cl

    text = str(error)
    for saved in _SAVED.findall(text):  # pyopencl leaves a copy of the source behind
        with contextlib.suppress(OSError):
            os.unlink(saved)
    text = _SAVED.sub("", text)
    where = device.info.label
    failures = (cl.status_code.BUILD_PROGRAM_FAILURE, cl.status_code.INVALID_KERNEL_NAME)
    if getattr(error, "code", None) not in failures:
        return DeviceError(f"{where} cannot prepare kernel {kernel.name!r}: {_first_line(text)}")
    log = text.split("Build on <", 1)[-1].split("\n", 1)[-1].strip()
    shown = log.splitlines()[:40]
    hint = "\n  ".join(
        ["an OpenCL spelling in a rule file may be wrong; the compiler's log:", *shown]
    )
    at, complaint = _place(log, kernel)
    message = f"{where} does not compile kernel {kernel.name!r}"
    return EmitError(f"{message}: {complaint}" if complaint else message, at, hint)


def _place(log: str, kernel: Kernel) -> tuple[Span | None, str]:
    """The first error of a compiler's log: the place in the kernel, and what is wrong."""
    found = next(filter(None, (pattern.search(log) for pattern in _COMPLAINTS)), None)
    if not found:
        return None, ""
    line, column = int(found[1]), int(found[2])
    lines = kernel.text.splitlines()
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return Span(f"{kernel.name}.cl", line, column, text=text), found[3]


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no message")
