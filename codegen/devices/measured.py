"""Takes a device, keeps its table of costs beside the compiled kernels, and gives it back.

Knows nothing of how costs are measured.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...rules.costs import SUFFIX, CostTable, read_table
from ...terms import store
from ...terms.errors import DeviceError
from .device import Device, choose


def remember(table: CostTable, device: Device) -> Path:
    """Put a table where `recall` finds it; DeviceError where the folder cannot be written."""
    path = _place(device)
    if not store.write(path, table.text().encode()):
        raise DeviceError(
            f"the table of costs cannot be written to {path}",
            hint="write it elsewhere, `egad calibrate -o FILE`, or set EGAD_CACHE_DIR",
        )
    return path


def recall(spec: Any = None) -> CostTable:
    """The table measured on the device that `spec` names; DeviceError where there is none.

    A table that was measured with another driver is none: its numbers may be others now.
    """
    device = choose(spec)
    path = _place(device)
    asked = "egad calibrate" if spec is None else f"egad calibrate --device {str(spec)!r}"
    if not path.exists():
        raise DeviceError(
            f"costs='measured', but nothing has been measured on {device.info.label}",
            hint=f"`{asked}` takes a minute",
        )
    table = read_table(path)
    if (table.device, table.driver) != (device.info.label, device.info.version):
        raise DeviceError(
            f"the costs in {path} are those of {table.device}, driver {table.driver}; the device "
            f"is {device.info.label}, driver {device.info.version}",
            hint=f"measure again: `{asked}`",
        )
    return table


def _place(device: Device) -> Path:
    """By the name of the device, not its driver's: so that another driver is noticed."""
    return store.root() / "costs" / f"{store.key_of(device.info.label)}{SUFFIX}"
