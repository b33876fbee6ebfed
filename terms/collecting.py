"""Python's garbage collector, and when it had better not run; knows nothing of terms."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
_inside = 0  # how many blocks are open, in all threads
_before = True  # whether the collector was on when the first of them began


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the garbage collector, which takes a third of the time of loading and deriving.

    It looks at every live object again and again, and there are hundreds of thousands at a time:
    terms, e-nodes, statements. None of them is part of a cycle, so each is freed without it.
    Blocks may be inside of each other and in several threads: the last one switches it on again.
    """
    global _inside, _before
    with _LOCK:
        if not _inside:
            _before = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _LOCK:
            _inside -= 1
            if not _inside and _before:
                gc.enable()
