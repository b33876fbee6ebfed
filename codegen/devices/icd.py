"""Takes the installed Intel CPU runtime, makes the OpenCL loader see it; knows nothing of devices.

The wheel `intel-opencl-rt` does not register itself: its .icd file holds a placeholder path.
The loader reads one directory of .icd files at the first platform call of the process, so a
private directory with the right path, and copies of the system's files, is put in place of
the system's before that call. A user who has set a loader variable is left alone.
"""

from __future__ import annotations

import functools
import importlib.metadata
import os
import sys
import tempfile
from pathlib import Path

from ...terms import store

USER_VARIABLES = ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH")
SYSTEM_DIRECTORY = Path("/etc/OpenCL/vendors")
PACKAGE = "intel-opencl-rt"
_LIBRARY = {"linux": "libintelocl.so", "win32": "intelocl64.dll"}


@functools.cache
def register() -> Path | None:
    """Make the pip Intel CPU runtime visible to this process, once; the library, or None.

    It must run before the first platform call of the process. None: the runtime is not
    installed, is registered already, or the user's environment decides.
    """
    if any(os.environ.get(name) for name in USER_VARIABLES):
        return None
    library = runtime_library()
    if library is None:
        return None
    if sys.platform == "win32":
        return _register_windows(library)
    system = _system_files()
    if any("libintelocl" in text for text in system.values()):
        return None  # two copies of one runtime in one process would clash
    directory = _private_directory({**system, "egad-intel.icd": f"{library}\n"})
    if directory is None:
        return None
    os.environ["OPENCL_VENDOR_PATH"] = str(directory)
    return library


def runtime_library() -> Path | None:
    """The library of the installed Intel CPU runtime, or None."""
    wanted = _LIBRARY.get(sys.platform)
    try:
        files = importlib.metadata.files(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name == wanted:
            path = Path(os.path.abspath(str(file.locate())))
            if path.is_file():
                return path
    return None


def _system_files() -> dict[str, str]:
    """The registrations of the system: file name -> content."""
    try:
        paths = sorted(SYSTEM_DIRECTORY.glob("*.icd"))
    except OSError:
        return {}
    found = {path.name: store.read(path) for path in paths}
    return {name: data.decode("utf-8", "replace") for name, data in found.items() if data}


def _private_directory(files: dict[str, str]) -> Path | None:
    """A directory that holds exactly `files`; its name is their hash, so it never changes."""
    name = f"icd-{store.key_of(sorted(files.items()))}"
    for parent in (store.root, lambda: Path(tempfile.mkdtemp(prefix="egad-"))):
        try:
            directory = parent() / name
        except OSError:
            continue
        if all(_same(directory / file, text) for file, text in files.items()):
            return directory
    return None


def _same(path: Path, text: str) -> bool:
    data = text.encode()
    return store.read(path) == data or store.write(path, data)


def _register_windows(library: Path) -> Path:
    """The Khronos loader of Windows reads a list of libraries, beside the registry."""
    known = os.environ.get("OCL_ICD_FILENAMES", "")
    if str(library) not in known:
        os.environ["OCL_ICD_FILENAMES"] = f"{known}{os.pathsep if known else ''}{library}"
        os.environ["PATH"] = f"{library.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return library
