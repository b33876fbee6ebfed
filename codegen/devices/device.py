"""Takes what a user asks for, gives an OpenCL device that has proved that it computes right.

A device in the list proves nothing: some compile no kernel at all. Each one has to compile
and run a small kernel, in a child process, before it is used; the verdict is remembered.
Knows nothing of kernels and arrays.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...terms import store
from ...terms.errors import DeviceError, called
from . import icd, verdict

VARIABLE = "EGAD_DEVICE"
ADVICE = (
    "install a CPU runtime with `pip install intel-opencl-rt intel-cmplr-lib-rt` (x86-64), or the "
    "OpenCL driver of the GPU; `egad devices` lists what is found"
)
INTEL_PLATFORM = "Intel(R) OpenCL"
# Short names that users know, where the platform's own name is another.
_ALIASES = {"Portable Computing Language": "pocl"}


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """One device as users see it; `reason` says why it is refused when not `usable`."""

    index: int
    platform: str
    name: str
    version: str
    kind: str  # "cpu", "gpu" or "accelerator"
    fp64: bool
    fp16: bool
    usable: bool
    reason: str = ""

    @property
    def label(self) -> str:
        """`platform/device`, which `choose` matches against."""
        return f"{self.platform}/{self.name}"

    def __str__(self) -> str:
        types = "float" + ", double" * self.fp64 + ", half" * self.fp16
        state = f"usable ({types})" if self.usable else f"refused: {self.reason}"
        return f"{self.index}: {self.label} [{self.kind}, driver {self.version}]: {state}"


@dataclass(frozen=True, eq=False)
class Device:
    """A usable device with the context and queue that kernels run on."""

    info: DeviceInfo
    key: str  # names driver, device and CPU features: for caches of compiled kernels
    context: Any = field(repr=False)
    queue: Any = field(repr=False)
    programs: dict[tuple[str, str], Any] = field(default_factory=dict, repr=False)
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    @property
    def cl_device(self) -> Any:
        """The pyopencl device."""
        return self.queue.device

    @functools.cached_property
    def shares_memory(self) -> bool:
        """Whether kernels take addresses of the process, as those of a CPU can (OpenCL 2.0)."""
        import pyopencl as cl

        if self.info.kind != "cpu":
            return False
        try:
            found = self.cl_device.svm_capabilities
        except cl.LogicError:  # an older device, which does not know the question
            return False
        return bool(found & cl.device_svm_capabilities.FINE_GRAIN_SYSTEM)

    @property
    def alone(self) -> AbstractContextManager[object]:
        """Held during a run: a lock where the runtime crashes when two threads use it."""
        return self.lock if _is_oclgrind(self.info) else nullcontext()


@dataclass(frozen=True)
class _Found:
    """A listed device, not yet probed."""

    index: int
    handle: Any
    identity: verdict.Identity

    @property
    def info(self) -> DeviceInfo:
        """The device with its verdict; probes when the verdict is not known yet."""
        known, who = verdict.of(self.handle, self.identity), self.identity
        return DeviceInfo(
            self.index, who.platform, who.name, who.version, who.kind,
            known.fp64, known.fp16, known.usable, known.reason,
        )  # fmt: skip

    def matches(self, spec: str) -> bool:
        """Whether a user's spec means this device: index, kind, or part of `platform/device`."""
        who, wanted = self.identity, spec.strip().casefold()
        if wanted.isdecimal():
            return int(wanted) == self.index
        if wanted in ("cpu", "gpu", "accelerator"):
            return wanted == who.kind
        label = f"{who.platform}/{who.name} {_ALIASES.get(who.platform, '')}"
        return wanted in label.casefold()


_LOCK = threading.RLock()
_HANDLES: dict[Any, Device] = {}
_KEPT_HANDLES = 16


def devices(refresh: bool = False) -> list[DeviceInfo]:
    """Every OpenCL device that is installed, best first, with its verdict.

    `refresh` asks the platforms again and forgets the verdicts remembered so far.
    """
    if refresh:
        _listed.cache_clear()
        _chosen.cache_clear()
        verdict.forget()
    return [found.info for found in _listed()]


def describe_devices(refresh: bool = False) -> str:
    """The list of devices as text, for `egad devices`."""
    lines = [str(info) for info in devices(refresh)]
    lines += _missing()
    if not any(info.usable for info in devices()):
        lines += ["no usable OpenCL device: the NumPy reference runs instead", ADVICE]
    return "\n".join(lines)


def choose(
    spec: str | int | DeviceInfo | Device | Any = None, *, fp64: bool = False, fp16: bool = False
) -> Device:
    """The device to run on: the one asked for, else the best that passes its probe.

    `spec` is part of "platform/device", "cpu", "gpu", an index, a `DeviceInfo`, a pyopencl
    device or queue; without it the variable `EGAD_DEVICE` decides. `fp64` and `fp16` say that
    the kernel computes in double or half: devices that cannot are passed over.
    """
    if isinstance(spec, Device):
        return spec
    if spec is None or isinstance(spec, str | int | DeviceInfo):
        text = str(spec) if isinstance(spec, int) else spec
        by = ""
        if text is None:
            text, by = os.environ.get(VARIABLE) or None, f" (from {VARIABLE})"
        return _chosen(text, by, fp64, fp16)
    return _of_pyopencl(spec)


def of_queue(queue: Any) -> Device:
    """The device behind a user's pyopencl queue, with that queue and its context."""
    found = _find(queue.device)
    info = found.info
    if not info.usable:
        raise DeviceError(f"the device {info.label} is refused: {info.reason}", hint=ADVICE)
    return _handle(found, info, queue)


@functools.lru_cache(maxsize=64)
def _chosen(spec: str | DeviceInfo | None, by: str, fp64: bool, fp16: bool) -> Device:
    """One choice per spec and process: choosing is on the way of every call."""
    if isinstance(spec, DeviceInfo):
        matching = [f for f in _listed() if _same_device(f.info, spec)]
        asked = f"the device {spec.label}"
    else:
        matching = [f for f in _listed() if spec is None or f.matches(spec)]
        asked = f"device={spec!r}{by}"
    refused = []
    for found in matching:
        info = found.info
        lacks = _lacks(info, fp64, fp16)
        if info.usable and not lacks:
            return _handle(found, info)
        refused.append(f"{info.label} {lacks}" if info.usable else "")
    if not _listed():
        raise DeviceError("no OpenCL device is installed", hint="; ".join([*_missing(), ADVICE]))
    if spec is None:
        problem = "no OpenCL device can be used"
    elif not matching:
        problem = f"{asked} matches no OpenCL device"
    else:
        problem = f"{asked} matches no usable OpenCL device"
    lacking = "".join(f"; {text}" for text in refused if text)
    raise DeviceError(problem + lacking, hint=_listing())


def _same_device(info: DeviceInfo, spec: DeviceInfo) -> bool:
    return (info.label, info.version, info.index) == (spec.label, spec.version, spec.index)


def _lacks(info: DeviceInfo, fp64: bool, fp16: bool) -> str:
    lacking = [
        what
        for what, need, has in (
            ("double (fp64)", fp64, info.fp64),
            ("half (fp16)", fp16, info.fp16),
        )
        if need and not has
    ]
    return f"does not compute in {' or '.join(lacking)}" if lacking else ""


def require(device: Device, fp64: bool, fp16: bool) -> None:
    """Refuse a kernel whose arithmetic the device does not have."""
    lacks = _lacks(device.info, fp64, fp16)
    if lacks:
        raise DeviceError(
            f"the device {device.info.label} {lacks}",
            hint="derive with dtype='float32' and use neither half nor double, or ask for another "
            "device (see `egad devices`)",
        )


def _listing() -> str:
    lines = [f"    {found.info}" for found in _listed()]
    choices = "a part of `platform/device`, `cpu`, `gpu` or an index"
    return "\n".join(["found:", *lines, *_missing(), f"  ask for {choices}"])


def _missing() -> list[str]:
    """A line about the pip Intel runtime when it is installed but the loader shows it not."""
    library = icd.register()
    shown = any(found.identity.platform == INTEL_PLATFORM for found in _listed())
    if library is None or shown:
        return []
    return [
        f"the Intel CPU runtime {library} is installed but was not loaded: install "
        "intel-cmplr-lib-rt beside it, and let egad list devices before pyopencl does"
    ]


@functools.cache
def _listed() -> tuple[_Found, ...]:
    """All devices, in an order that does not depend on the loader: best first."""
    icd.register()
    try:
        import pyopencl as cl
    except ImportError:
        return ()
    try:
        platforms = cl.get_platforms()
    except cl.Error:  # the loader's way to say "none"
        return ()
    handles = []
    for platform in platforms:
        try:
            handles += platform.get_devices()
        except cl.Error:
            continue
    named = [(_identity(handle), handle) for handle in handles]
    named.sort(key=lambda pair: (_rank(*pair), pair[0].platform, pair[0].name, pair[0].version))
    return tuple(_Found(i, handle, who) for i, (who, handle) in enumerate(named))


def _identity(handle: Any) -> verdict.Identity:
    import pyopencl as cl

    kinds = cl.device_type
    kind = "accelerator"
    if handle.type & kinds.CPU:  # before GPU: oclgrind says that it is everything
        kind = "cpu"
    elif handle.type & kinds.GPU:
        kind = "gpu"
    return verdict.Identity(
        handle.platform.name.strip(), handle.name.strip(), handle.driver_version.strip(), kind
    )


def _rank(who: verdict.Identity, handle: Any) -> tuple[int, int]:
    """GPUs first, the one with most memory before the others; then CPU runtimes by speed."""
    if who.kind == "gpu":
        return 0, -int(handle.global_mem_size)
    if who.platform == INTEL_PLATFORM and who.kind == "cpu":
        return 1, 0
    if _is_oclgrind(who):
        return 4, 0  # an interpreter that checks: correct, and a thousand times slower
    return (2, 0) if who.platform in _ALIASES else (3, 0)


def _is_oclgrind(who: verdict.Identity | DeviceInfo) -> bool:
    return "oclgrind" in who.platform.lower()


def _find(handle: Any) -> _Found:
    """The listed device equal to a pyopencl device (which may be a part of one)."""
    for found in _listed():
        if found.handle == handle:
            return found
    return _Found(len(_listed()), handle, _identity(handle))


def _of_pyopencl(thing: Any) -> Device:
    import pyopencl as cl

    if isinstance(thing, cl.CommandQueue):
        return of_queue(thing)
    if not isinstance(thing, cl.Device):
        raise DeviceError(
            f"device={called(thing)} does not name a device",
            hint="give a part of `platform/device`, 'cpu', 'gpu', an index, or a pyopencl device",
        )
    found = _find(thing)
    info = found.info
    if not info.usable:
        raise DeviceError(f"the device {info.label} is refused: {info.reason}", hint=ADVICE)
    return _handle(found, info)


def _handle(found: _Found, info: DeviceInfo, queue: Any = None) -> Device:
    """The handle of a device, or of a user's queue: made once, the oldest forgotten."""
    with _LOCK:
        key = found.handle if queue is None else queue
        known = _HANDLES.pop(key, None)
        if known is None:
            known = Device(info, found.identity.key, *_context(found, queue))
        _HANDLES[key] = known
        for old in list(_HANDLES)[:-_KEPT_HANDLES]:
            del _HANDLES[old]
        return known


def _context(found: _Found, queue: Any) -> Sequence[Any]:
    import pyopencl as cl

    try:
        if queue is not None:
            return queue.context, queue
        context = cl.Context([found.handle])
        return context, cl.CommandQueue(context)
    except cl.Error as error:
        raise DeviceError(
            f"the device {found.identity.platform}/{found.identity.name} gives no context: {error}",
            hint="keep the context of a queue in a variable (the Intel runtime does not), or ask "
            "for another device: `egad devices` lists them",
        ) from error


def cache_folder() -> Path:
    """Where compiled kernels are kept between processes."""
    return store.root() / "kernels"
