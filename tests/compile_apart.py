"""Kernels compiled in a process of their own: a compiler that crashes must not end the tests.

Takes kernels, leaves their binaries in egad's cache on disk, where the test's own process
finds them. Run as a program it is that other process.
"""

import contextlib
import pickle
import subprocess
import sys
import threading
from dataclasses import replace

_LIMIT = 120  # seconds
_workers: list[subprocess.Popen] = []


def compiles(kernel, double: bool) -> bool:
    """Whether the compiler survives the kernel."""
    if not _workers:
        pipe = subprocess.PIPE
        _workers.append(subprocess.Popen([sys.executable, __file__], stdin=pipe, stdout=pipe))
    worker = _workers[0]
    clock = threading.Timer(_LIMIT, worker.kill)
    clock.start()
    try:
        pickle.dump((replace(kernel, written=()), double), worker.stdin)  # no terms: they are slow
        worker.stdin.flush()
        return worker.stdout.readline() != b""
    except BrokenPipeError:
        return False
    finally:
        clock.cancel()
        if worker.poll() is not None:
            _workers.remove(worker)


def _main() -> None:
    """Compile what comes in; an error is found again, and reported, by whoever asked."""
    from egad.codegen.devices import build, device
    from egad.terms.errors import EgadError

    while True:
        try:
            kernel, double = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        with contextlib.suppress(EgadError):
            build.compiled(kernel, device.choose(None, fp64=double))
        sys.stdout.write("done\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _main()
