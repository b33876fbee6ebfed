"""Takes an emitted kernel, packed arrays and a device, gives how long it runs there.

The times are the device's own, from the start to the end of the kernel; moving data to the
device is not in them. Knows nothing of what is computed.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...terms.errors import DeviceError
from ..kernel.layout import axes_of, dtype_of
from . import build
from .build import Kernel
from .device import Device
from .launches import GROUP
from .run import enqueued, one_launch, scratch_buffers


def time_kernel(
    kernel: Kernel, inputs: Mapping[str, Any], n: int, device: Device, repeats: int = 10
) -> list[float]:
    """The seconds of `repeats` runs over `n` elements, after two runs that are not counted.

    `inputs` are packed arrays by name, as for `run.launch`, one value per element each; `n` is
    a multiple of 64, so that a run is one launch or two.
    """
    import pyopencl as cl

    if n <= 0 or n % GROUP:
        raise DeviceError(f"kernels are timed over a multiple of {GROUP} elements, not {n}")
    ready = build.compiled(kernel, device)
    properties = cl.command_queue_properties.PROFILING_ENABLE
    try:
        with device.alone, ready.lock:
            queue = cl.CommandQueue(device.context, device.cl_device, properties)
            buffers = _buffers(kernel, inputs, n, device, queue)  # the kernel does not hold them
            chunk, scratch = scratch_buffers(kernel, ready, n, queue)
            if chunk < n:
                raise DeviceError(f"{kernel.name!r} is timed over at most {chunk} elements")
            ready.kernel.set_args(*buffers, *scratch)
            seconds = [_seconds(queue, ready, n) for _ in range(repeats + 2)]
    except (cl.Error, MemoryError) as error:
        raise DeviceError(f"{device.info.label} fails to time {kernel.name!r}: {error}") from error
    return seconds[2:]


def largest(kernel: Kernel, n: int, device: Device) -> int:
    """How many of n elements can be timed: a multiple of 64, as many as go into one launch."""
    chunk = one_launch(kernel, build.compiled(kernel, device), n, device.cl_device)
    return max(chunk // GROUP * GROUP, GROUP)


def _seconds(queue: Any, ready: build.Compiled, n: int) -> float:
    events = enqueued(ready, 0, n, queue)
    events[-1].wait()
    return float(events[-1].profile.end - events[0].profile.start) * 1e-9


# Arrays that all begin at the same offset of a page meet in the same lines of the first cache: a
# kernel of 26 arguments took 5.2 ns per element, and 2.0 ns with this many bytes between them.
_STAGGER, _PAGE = 640, 4096


def _buffers(
    kernel: Kernel, inputs: Mapping[str, Any], n: int, device: Device, queue: Any
) -> list[Any]:
    """One buffer per argument, in the device's memory: inputs filled, outputs touched once.

    They are parts of one allocation, each begins at another offset of its page.
    """
    import numpy as np
    import pyopencl as cl

    arrays = [
        inputs[arg.name]
        if arg.role == "in"
        else np.zeros((n, *axes_of(arg.type)), dtype_of(arg.type))
        for arg in kernel.args
    ]
    align = max(int(device.cl_device.mem_base_addr_align) // 8, 1)
    starts, end = [], 0
    for array in arrays:
        starts.append(end)
        end += -(-array.nbytes // _PAGE) * _PAGE + -(-_STAGGER // align) * align
    whole = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, end)
    buffers = []
    for arg, array, start in zip(kernel.args, arrays, starts, strict=True):
        access = cl.mem_flags.READ_ONLY if arg.role == "in" else cl.mem_flags.WRITE_ONLY
        buffers.append(whole.get_sub_region(start, array.nbytes, access))
        cl.enqueue_copy(queue, buffers[-1], array)
    queue.finish()
    return buffers


def one_core(device: Device) -> Device:
    """The device cut down to one of its compute units, where it can be divided; else itself.

    On a CPU that is one thread, which is what figures of other tools are for.
    """
    import pyopencl as cl

    try:
        by_counts = [cl.device_partition_property.BY_COUNTS, 1, 0]
        part = device.cl_device.create_sub_devices(by_counts)[0]
        context = cl.Context([part])
        queue = cl.CommandQueue(context, part)
    except (cl.Error, AttributeError):
        return device
    return replace(device, context=context, queue=queue, programs={}, lock=threading.RLock())
