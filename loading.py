"""Functions that are named on the command line: `FILE.py:FUNC`, `FILE.py:Class.method`.

Takes such a name, imports the file, gives the function; an error in the file is told where it is.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from .terms.errors import EgadError, Span, TraceError, line_of, nearest


def load(spec: str) -> Any:
    """The object called FUNC in FILE.py. Raises TraceError where there is none."""
    path, colon, name = spec.rpartition(":")
    if not colon or not path or not name:
        known = _defined(Path(spec.rstrip(":")))
        hint = f"write FILE.py:FUNC{'; it has ' + ', '.join(known) if known else ''}"
        raise TraceError(f"{spec!r} names no function", hint=hint)
    file = Path(path)
    if file.is_dir():
        raise TraceError(f"{path!r} is a folder", hint=f"name a file in it: {path}/FILE.py:{name}")
    if not file.is_file():
        near = nearest(path, _beside(file))
        raise TraceError(f"there is no file {path!r}{near}", hint="" if near else _of_module(spec))
    module = _run(path, file)
    if module is None:
        raise TraceError(f"{path!r} is not a Python file", hint="write FILE.py:FUNC")
    found: Any = module
    where = path
    for part in name.split("."):  # a class may hold the function
        if not hasattr(found, part):
            known = _functions_of(found)
            hint = f"it has {', '.join(known)}" if known else "nothing in it can be called"
            message = f"{where} has no function {part!r}{nearest(part, known)}"
            raise TraceError(message, hint=hint)
        found, where = getattr(found, part), f"{where}:{part}"
    return found


def _of_module(spec: str) -> str:
    """What to write where the name is that of a module, in this folder or wherever Python looks."""
    path, _, name = spec.rpartition(":")
    parts = path.split(".")
    if not all(part.isidentifier() for part in parts):
        return ""
    for folder in map(Path, ["", *sys.path]):
        for file in (
            folder.joinpath(*parts).with_suffix(".py"),
            folder.joinpath(*parts, "__init__.py"),
        ):
            if file.is_file():
                return f"this is a module: name its file, {file}:{name}"
    beside = [found for found in Path().glob(f"*/{parts[-1]}.py") if found.is_file()]
    return f"it is in another folder: {min(beside)}:{name}" if beside else ""


def _beside(file: Path) -> list[str]:
    """The Python files in the folder where a file is missing."""
    return [str(found) for found in sorted(file.parent.glob("*.py"))]


def _functions_of(owner: Any) -> list[str]:
    """What can be called in a module or a class, of its own."""
    home = getattr(owner, "__name__", None)
    own = [n for n in vars(owner) if n[0] != "_"] if hasattr(owner, "__dict__") else []
    called = [n for n in own if callable(getattr(owner, n, None))]
    if isinstance(owner, type):
        return called
    return [n for n in called if getattr(getattr(owner, n), "__module__", home) == home]


def _defined(file: Path) -> list[str]:
    """The functions in a file, without running it; none where it is no Python."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return []
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [name for name in names if name[0] != "_"]


def _run(path: str, file: Path) -> Any:
    """The module in a file. Raises TraceError, with the place in the file, where it fails."""
    try:
        return _imported(file)
    except EgadError:
        raise
    except (Exception, SystemExit) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        message = f"{path} cannot be imported: {type(error).__name__}: {reason}"
        raise TraceError(message, _place(error, file)) from error


def _place(error: BaseException, file: Path) -> Span | None:
    """Where an error is: the place of wrong syntax, or the last line of the file that ran."""
    if isinstance(error, SyntaxError):
        if error.filename is None or error.lineno is None:
            return None
        text = (error.text or "").rstrip("\n")
        column = max(error.offset or 1, 1)
        return Span(error.filename, error.lineno, column, error.end_offset or 0, text)
    found = None
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if Path(code.co_filename).resolve() == file.resolve():
            found = line_of(code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return found


def _imported(file: Path) -> Any:
    """The module in a file, of the package that its folder is part of; None if it is none."""
    folder = file.resolve().parent
    sys.path.insert(0, str(folder))
    names = [file.stem] if file.stem != "__init__" else []
    while (folder / "__init__.py").is_file():
        names, folder = [folder.name, *names], folder.parent
    if folder != file.resolve().parent and file.suffix == ".py":
        sys.path.insert(1, str(folder))
        return importlib.import_module(".".join(names))
    found = importlib.util.spec_from_file_location(file.stem, file)
    if found is None or found.loader is None:
        return None
    module = importlib.util.module_from_spec(found)
    sys.modules.setdefault(file.stem, module)
    found.loader.exec_module(module)
    return module
