"""Takes an emitted kernel, packed arrays and a device, gives the results; knows nothing of terms.

The launch form is the one that was fastest on every runtime measured: full groups in one
launch, the rest in a second one with an offset, no bounds check in the kernel. On CPU
devices the kernel works on NumPy's own memory: by its addresses where the device takes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from ...terms.errors import DeviceError
from ..host.converting import is_device_array
from ..kernel.layout import Array, dtype_of
from . import build
from .build import Kernel, Passing
from .device import Device
from .launches import launches

SCRATCH_BYTES = 1 << 28  # for what loops keep: larger batches are run in several launches
LARGE = 1 << 22  # bytes: from there on NumPy asks for large pages
LINE = 64  # bytes of a cache line
SMALL = 1 << 12  # bytes
ALIGNMENT = 16  # of memory handed to a CPU runtime in place: NumPy's own


def launch(kernel: Kernel, inputs: Mapping[str, Any], n: int, device: Device) -> dict[str, Any]:
    """Run the kernel over `n` elements and return its outputs by name, each (n, *components).

    `inputs` are packed, C-contiguous arrays in the dtype of the arguments: `n` values each,
    one value for uniform arguments. If any is a pyopencl array (of the device's context), the
    outputs are pyopencl arrays on the device's queue, and nothing is waited for.
    """
    ready = build.compiled(kernel, device)
    given = {arg.name: _checked(arg, inputs, n) for arg in ready.args if arg.given}
    resident = any(is_device_array(value) for value in inputs.values())
    import pyopencl as cl

    try:
        with device.alone:
            if resident:
                return _on_device(kernel, ready, given, n, device)
            outputs = rooms([arg for arg in ready.args if not arg.given], n)
            if n:
                # A parameter and a result may have one name.
                arrays = [(given if arg.given else outputs)[arg.name] for arg in ready.args]
                _way(device)(kernel, ready, arrays, n, device)
            return outputs
    except (cl.Error, MemoryError) as error:
        raise DeviceError(
            f"{device.info.label} fails to run kernel {kernel.name!r} over {n} elements: {error}",
            hint="call it on fewer elements at a time, or choose another device",
        ) from error


def _way(device: Device) -> Callable[[Kernel, build.Compiled, Sequence[Any], int, Device], None]:
    """How a kernel comes to arrays of the host."""
    if device.shares_memory:
        return _shared
    return _in_place if device.info.kind == "cpu" else _by_copies


def rooms(args: Sequence[Passing], n: int) -> dict[str, Array]:
    """An array for each output: in one block where NumPy then asks for large pages."""
    if n * sum([arg.size for arg in args]) < LARGE:
        return {arg.name: np.empty((n, *arg.axes), arg.dtype) for arg in args}
    # One line more between them: arrays at equal places of their pages share sets of a cache.
    steps = [-(-n * arg.size // LINE) * LINE + LINE for arg in args]
    block = np.empty(sum(steps) + LINE, np.uint8)
    starts = accumulate(steps, initial=-_address(block) % LINE)
    return {
        arg.name: block[at : at + n * arg.size].view(arg.dtype).reshape(n, *arg.axes)
        for arg, at in zip(args, starts, strict=False)
    }


def _checked(arg: Passing, inputs: Mapping[str, Any], n: int) -> Any:
    """The input of one argument: a kernel reads beyond arrays that are too short."""
    value = inputs[arg.name]
    count = (1 if arg.uniform else n) * arg.count
    if value.dtype != arg.dtype or value.size != count or not value.flags.c_contiguous:
        raise DeviceError(
            f"argument {arg.name!r} needs {count} contiguous values of {arg.dtype}, "
            f"got {value.size} of {value.dtype}"
        )
    return value


def _host_value(value: Any) -> Any:
    """A uniform scalar as the number that pyopencl packs by its type (a bool as uchar)."""
    found = (value.get() if is_device_array(value) else value).item()
    return int(found) if isinstance(found, bool) else found


def _enqueue(
    kernel: Kernel,
    ready: build.Compiled,
    values: Sequence[Any],
    n: int,
    queue: Any,
    wait: Sequence[Any] = (),
) -> Any:
    """All launches, as one event; arguments are read when a launch is enqueued."""
    event: Any = None
    with ready.lock:
        chunk, buffers = scratch_buffers(kernel, ready, n, queue)
        ready.kernel.set_args(*values, *buffers)
        for first in range(0, n, chunk):
            after = [*wait, event] if event is not None else wait
            event = enqueued(ready, first, min(chunk, n - first), queue, after)[-1]
        if buffers and event is not None:
            event.wait()  # pocl does not keep a kernel's buffers alive
    return event


def enqueued(
    ready: build.Compiled, first: int, n: int, queue: Any, wait: Sequence[Any] = ()
) -> list[Any]:
    """The launches over `n` elements from `first` on, one after the other, as events."""
    import pyopencl as cl

    events: list[Any] = []
    for part in launches(n, ready.widths):
        offset = (first + part.first,) if first + part.first else None
        size, group = (part.count,), (part.width,)
        events.append(
            cl.enqueue_nd_range_kernel(
                queue, ready.kernel, size, group, offset, wait_for=[*wait, *events[-1:]]
            )
        )
    return events


def scratch_buffers(
    kernel: Kernel, ready: build.Compiled, n: int, queue: Any
) -> tuple[int, list[Any]]:
    """How many elements go into one launch, and the buffers in which its loops keep values.

    Raises DeviceError where not even one group of work-items finds room.
    """
    import pyopencl as cl

    chunk = one_launch(kernel, ready, n, queue.device)
    flags = cl.mem_flags.READ_WRITE
    return chunk, [cl.Buffer(queue.context, flags, chunk * size) for size in _kept(kernel)]


def one_launch(kernel: Kernel, ready: build.Compiled, n: int, cl_device: Any) -> int:
    """How many of n elements go into one launch: what its loops keep of them has to find room.

    Raises DeviceError where not even one group of work-items does.
    """
    sizes = _kept(kernel)
    if not sizes:
        return max(n, 1)
    most = min(SCRATCH_BYTES // sum(sizes), cl_device.max_mem_alloc_size // max(sizes))
    least = ready.widths.least
    chunk = min(n, int(most) // least * least)
    if chunk < 1:
        raise DeviceError(
            f"kernel {kernel.name!r} keeps {sum(sizes)} bytes per work-item: {least} of them"
            f" do not fit into {SCRATCH_BYTES} bytes",
            hint="lower the bound of its loops (max_iters), or split a loop in two functions",
        )
    return chunk


def _kept(kernel: Kernel) -> list[int]:
    """The bytes per work-item of each buffer in which loops keep values."""
    return [s.type.size * dtype_of(s.type.elem).itemsize for s in kernel.scratch]


def _shared(
    kernel: Kernel, ready: build.Compiled, arrays: Sequence[Any], n: int, device: Device
) -> None:
    """On a device that works in the memory of the process: addresses are all that is passed."""
    import pyopencl as cl

    passed: list[Any] = []
    for arg, array in zip(ready.args, arrays, strict=True):
        if arg.by_value:
            passed.append(_host_value(array))
        elif arg.given and not _is_in_place(array):
            passed.append(cl.SVM(array.copy()))
        else:
            passed.append(cl.SVM(array))
    _enqueue(kernel, ready, passed, n, device.queue).wait()


def _is_in_place(array: Array) -> bool:
    """Whether a kernel reads an array where it is: to copy few bytes is sooner done than to ask.

    pyopencl asks for memory that can be written, whatever a kernel does with it.
    """
    return array.nbytes >= SMALL and array.flags.writeable and _address(array) % ALIGNMENT == 0


def _address(array: Array) -> int:
    found: int = array.__array_interface__["data"][0]
    return found


def _in_place(
    kernel: Kernel, ready: build.Compiled, arrays: Sequence[Any], n: int, device: Device
) -> None:
    """On a CPU device: buffers over the arrays' own memory, mapped before they are read."""
    import pyopencl as cl

    mode = cl.mem_flags.WRITE_ONLY | cl.mem_flags.USE_HOST_PTR
    buffers = _input_buffers(ready.args, arrays, device.context)
    passed, written = [], []
    for arg, array in zip(ready.args, arrays, strict=True):
        if not arg.given:
            passed.append(cl.Buffer(device.context, mode, hostbuf=array))
            written.append((array, passed[-1]))
        else:
            passed.append(_host_value(array) if arg.by_value else buffers[id(array)])
    _enqueue(kernel, ready, passed, n, device.queue)
    releases = []
    for array, buffer in written:
        # Without the map the standard does not promise that the memory is up to date.
        mapped, _ = cl.enqueue_map_buffer(
            device.queue, buffer, cl.map_flags.READ, 0, array.shape, array.dtype
        )
        releases.append(mapped.base.release(device.queue))
    cl.wait_for_events([event for event in releases if event is not None])


def _input_buffers(args: Sequence[Passing], given: Sequence[Any], context: Any) -> dict[int, Any]:
    """A read-only buffer for each input array: in place where alignment and overlap allow it.

    One array passed twice is one buffer; two buffers over shared memory are undefined.
    """
    import pyopencl as cl

    flags = cl.mem_flags
    pairs = zip(args, given, strict=True)
    arrays = {id(v): v for arg, v in pairs if arg.given and not arg.by_value}
    buffers, end = {}, 0
    for array in sorted(arrays.values(), key=lambda a: (_address(a), a.nbytes)):
        start = _address(array)
        alone = start >= end and start % ALIGNMENT == 0 and array.flags.writeable
        end = max(end, start + array.nbytes)
        # The Intel runtime copies READ_ONLY memory that is not aligned to 128 bytes.
        how = flags.READ_WRITE | flags.USE_HOST_PTR
        how = how if alone else flags.READ_ONLY | flags.COPY_HOST_PTR
        buffers[id(array)] = cl.Buffer(context, how, hostbuf=array)
    return buffers


def _by_copies(
    kernel: Kernel, ready: build.Compiled, arrays: Sequence[Any], n: int, device: Device
) -> None:
    """On a device with memory of its own: copy in, run, copy out."""
    import pyopencl as cl

    flags = cl.mem_flags
    passed: list[Any] = []
    copies = []
    for arg, array in zip(ready.args, arrays, strict=True):
        if not arg.given:
            passed.append(cl.Buffer(device.context, flags.WRITE_ONLY, array.nbytes))
            copies.append((array, passed[-1]))
        elif arg.by_value:
            passed.append(_host_value(array))
        else:
            mode = flags.READ_ONLY | flags.COPY_HOST_PTR
            passed.append(cl.Buffer(device.context, mode, hostbuf=array))
    event = _enqueue(kernel, ready, passed, n, device.queue)
    for array, buffer in copies:
        cl.enqueue_copy(device.queue, array, buffer, wait_for=[event], is_blocking=True)


def _on_device(
    kernel: Kernel, ready: build.Compiled, given: Mapping[str, Any], n: int, device: Device
) -> dict[str, Any]:
    """On pyopencl arrays: results stay on the device, ordered by events, not waited for."""
    import pyopencl.array as cla

    outputs: dict[str, Any] = {}
    arrays: list[Any] = []
    passed: list[Any] = []
    for arg in ready.args:
        if not arg.given:
            array = cla.empty(device.queue, (n, *arg.axes), arg.dtype)
            outputs[arg.name] = array
        elif arg.by_value:
            passed.append(_host_value(given[arg.name]))
            continue
        else:
            array = _resident(arg, given[arg.name], device)
        arrays.append(array)
        passed.append(array.base_data)
    if n:
        wait = list(_events(arrays))
        event = _enqueue(kernel, ready, passed, n, device.queue, wait)
        for array in arrays:
            array.add_event(event)
    return outputs


def _resident(arg: Passing, value: Any, device: Device) -> Any:
    """The value as a pyopencl array that starts where its buffer starts."""
    import pyopencl.array as cla

    if not is_device_array(value):
        return cla.to_device(device.queue, value)
    if value.context != device.context:
        raise DeviceError(
            f"argument {arg.name!r} is a pyopencl array of another context than the device's",
            hint="leave `device` out, or create the array with a queue of that device's context",
        )
    return value.copy(device.queue) if value.offset else value


def _events(arrays: Sequence[Any]) -> Iterator[Any]:
    for array in arrays:
        yield from array.events
