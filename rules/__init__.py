"""Rule files: the data, and what turns them into values."""

from .loader.load import load, loads, merge, shipped
from .show import show_expression

__all__ = ["load", "loads", "merge", "shipped", "show_expression"]
