"""A peer that does everything wrong, for tests of the worker."""

import os
import time

from bench.peers.protocol import Emitted, Refused


def emit(workload, dtype):
    if workload.name == "ggx":
        raise Refused("has no microfacets")
    if workload.name == "fk6":
        os._exit(3)
    if workload.name == "lj8":
        time.sleep(60)
    if workload.name == "radtan":
        raise ValueError("no lens\nfor this camera")
    if workload.name == "springs":
        import no_such_package_anywhere  # noqa: F401
    return Emitted("out_0 = in_1 * in_1; out_1 = in_0 * in_1; out_1 = out_1 + 2 * in_0 * in_1;")
