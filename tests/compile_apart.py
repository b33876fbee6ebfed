"""Kernels compiled in a process of their own: a compiler that crashes must not end the tests.

Takes kernels, leaves their binaries in egad's cache on disk, where the test's own process
finds them.
"""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures import TimeoutError as Late
from concurrent.futures.process import BrokenProcessPool

_LIMIT = 120  # seconds
_pool: list[ProcessPoolExecutor] = []


def _compile(kernel, double: bool) -> bool:
    from egad.codegen import build, device

    build.compiled(kernel, device.choose(None, fp64=double))
    return True


def compiles(kernel, double: bool) -> bool:
    """Whether the compiler survives the kernel; errors of egad are raised."""
    if not _pool:
        context = multiprocessing.get_context("spawn")
        _pool.append(ProcessPoolExecutor(1, mp_context=context))
    try:
        return _pool[0].submit(_compile, kernel, double).result(timeout=_LIMIT)
    except (BrokenProcessPool, Late):
        pool = _pool.pop()
        for process in list(pool._processes.values()):
            process.kill()
        pool.shutdown(wait=False, cancel_futures=True)
        return False
