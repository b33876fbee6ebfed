"""Text written to the file that a user names."""

from __future__ import annotations

from pathlib import Path

from .terms.errors import DeviceError


def save(path: str | Path, text: str) -> Path:
    """Write a text in UTF-8; returns the path. Raises DeviceError where that cannot be."""
    try:
        target = Path(path)
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DeviceError(f"cannot write {str(target)!r}: {error.strerror}") from error
    except (TypeError, ValueError) as error:
        raise DeviceError(
            f"cannot write {path!r}: {error}", hint="give the path of a file"
        ) from error
    return target
