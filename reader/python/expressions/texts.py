"""`f"w{i}"`: texts of what is known while reading, such as the keys of dictionaries."""

from __future__ import annotations

import ast

from ..operations.plain import formatted
from ..values.scope import Frame
from .comprehensions import Evaluate
from .waiting import in_order


def text(frame: Frame, node: ast.JoinedStr, evaluate: Evaluate) -> str:
    """The value of a formatted string."""
    held = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    values = iter(in_order(frame, [part.value for part in held], evaluate))
    found = ""
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            spec = part.format_spec
            form = text(frame, spec, evaluate) if isinstance(spec, ast.JoinedStr) else ""
            found += formatted(next(values), form, part.conversion, frame.span(part))
        elif isinstance(part, ast.Constant):
            found += str(part.value)
    return found
