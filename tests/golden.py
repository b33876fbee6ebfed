"""Texts that are compared with files: `check(path, text, request)`.

`pytest --update-golden` writes the files anew; look at the difference before committing it.
"""

import difflib
from pathlib import Path

import pytest


def check(name: str, text: str, request: pytest.FixtureRequest) -> None:
    """Compare `text` with `golden/<name>` beside the test file of `request`."""
    path = Path(request.path).parent / "golden" / name
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    if not path.exists():
        pytest.fail(f"{path} does not exist: run pytest --update-golden, then look at it")
    known = path.read_text(encoding="utf-8")
    if known != text:
        lines = difflib.unified_diff(
            known.splitlines(), text.splitlines(), "golden", "now", lineterm=""
        )
        pytest.fail(
            f"{path.name} differs (pytest --update-golden rewrites it)\n" + "\n".join(lines)
        )
