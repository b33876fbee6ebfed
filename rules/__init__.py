"""Rules: the files, what turns them into values, and what is registered in Python.

The module is a function, too: `egad.rules(…)` gives rules as a value, for `with` and `derive`.
"""

import sys

from .loader.load import added, load, loads, merge
from .loader.places import shipped
from .package import RulesModule
from .scope import Rules
from .show import show_expression

__all__ = ["Rules", "added", "load", "loads", "merge", "shipped", "show_expression"]

sys.modules[__name__].__class__ = RulesModule
