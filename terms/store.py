"""Takes names and bytes, keeps them in the user's cache directory; knows nothing of OpenCL.

A cache may be missing, read-only, full or damaged: then reading gives None, writing does
nothing, and the caller works without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

_DIGEST = hashlib.sha256().digest_size


def root() -> Path:
    """The directory of everything remembered: `EGAD_CACHE_DIR`, else the user's cache directory."""
    chosen = os.environ.get("EGAD_CACHE_DIR")
    if chosen:
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("egad", appauthor=False))


def key_of(*parts: object) -> str:
    """A file name for the given parts: equal parts give equal names.

    >>> key_of("a", "bc") == key_of("ab", "c")
    False
    """
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:40]


def write(path: Path, data: bytes) -> bool:
    """Put a file in place as a whole, or not at all; False when the disk refuses."""
    scratch = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(scratch, path)
    except OSError:
        if scratch:
            with contextlib.suppress(OSError):
                os.unlink(scratch)
        return False
    return True


def read(path: Path) -> bytes | None:
    """The content of a file, or None."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def write_sealed(path: Path, data: bytes) -> bool:
    """Like `write`, with a checksum in front: drivers crash on damaged binaries."""
    return write(path, hashlib.sha256(data).digest() + data)


def read_sealed(path: Path) -> bytes | None:
    """The data that `write_sealed` wrote, or None when it is missing or damaged."""
    content = read(path) or b""
    seal, data = content[:_DIGEST], content[_DIGEST:]
    return data if data and hashlib.sha256(data).digest() == seal else None


def is_private(folder: Path) -> bool:
    """Whether a folder is the user's own, or can be made so: nobody else may write to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = folder.stat()
    except OSError:
        return False
    if not hasattr(os, "getuid"):  # Windows: the user's directories are private by themselves
        return True
    return found.st_uid == os.getuid() and not found.st_mode & 0o022


def prune(folder: Path, keep: int, most_bytes: int | None = None) -> None:
    """Delete the oldest files of `folder` where there are more than `keep`, or than `most_bytes`.

    Half of what is allowed is left.
    """
    try:
        entries = [entry for entry in os.scandir(folder) if entry.is_file()]
        if len(entries) <= keep and most_bytes is None:
            return  # mostly: no file need be looked at
        files = [(entry, entry.stat()) for entry in entries]
    except OSError:
        return
    size = sum(stat.st_size for _, stat in files)
    if len(files) <= keep and (most_bytes is None or size <= most_bytes):
        return
    files.sort(key=lambda pair: (pair[1].st_mtime, pair[0].name))
    left = len(files)
    for entry, stat in files:
        if left <= keep // 2 and (most_bytes is None or size <= most_bytes // 2):
            return
        with contextlib.suppress(OSError):
            os.unlink(entry.path)
        left, size = left - 1, size - stat.st_size
