"""What tests of `bench` share: it lies beside the package, and needs a device."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))


@pytest.fixture(scope="module")
def device():
    """The best device with double precision."""
    pytest.importorskip("pyopencl")
    from egad.codegen.devices.device import choose
    from egad.terms.errors import DeviceError

    try:
        return choose(fp64=True)
    except DeviceError as error:
        pytest.skip(str(error))
