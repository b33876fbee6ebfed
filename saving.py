"""Text written to the file that a user names."""

from __future__ import annotations

from pathlib import Path

from .terms.errors import DeviceError


def save(path: str | Path, text: str) -> Path:
    """Write a text in UTF-8; returns the path. Raises DeviceError where that cannot be."""
    target = Path(path)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DeviceError(f"cannot write {str(target)!r}: {error.strerror}") from error
    return target
