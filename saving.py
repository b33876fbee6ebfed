"""Text written to the file that a user names."""

from __future__ import annotations

import os
from pathlib import Path

from .terms.errors import DeviceError


def check_target(path: str | Path) -> None:
    """Raise DeviceError where a file cannot be written: before work that takes long."""
    target = Path(path)
    folder = target.parent
    reason = hint = ""
    if not str(path):
        reason, hint = "it has no name", "give the path of a file"
    elif target.is_dir():
        reason = "it is a folder"
    elif not folder.is_dir():
        reason, hint = f"there is no folder {str(folder)!r}", "make the folder first"
    elif not os.access(target if target.exists() else folder, os.W_OK):
        reason = "it is write-protected"
    if reason:
        raise DeviceError(f"cannot write {str(path)!r}: {reason}", hint=hint)


def save(path: str | Path, text: str) -> Path:
    """Write a text in UTF-8; returns the path. Raises DeviceError where that cannot be."""
    try:
        check_target(path)
        target = Path(path)
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DeviceError(f"cannot write {str(path)!r}: {error.strerror}") from error
    except (TypeError, ValueError) as error:
        raise DeviceError(
            f"cannot write {path!r}: {error}", hint="give the path of a file"
        ) from error
    return target
