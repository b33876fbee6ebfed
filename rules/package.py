"""The module `egad.rules`, which can be called: `with egad.rules("mine.rules"): …`."""

from __future__ import annotations

from types import ModuleType

from .loader.load import load, loads, merge
from .loader.places import shipped
from .scope import Rules, Source
from .show import show_expression


class RulesModule(ModuleType):
    """What `egad.rules` is: a package with `load`, `loads`, …, and the function that it is.

    The functions stand here for type checkers; the module has them anyway.
    """

    load = staticmethod(load)
    loads = staticmethod(loads)
    merge = staticmethod(merge)
    shipped = staticmethod(shipped)
    show_expression = staticmethod(show_expression)

    def __call__(self, *sources: Source) -> Rules:
        """Rules as a value: files, shipped sets, rule sets, modules, and other such values.

        `with egad.rules(…):` puts them in force inside of the block, for this thread or asyncio
        task; what is registered in the block is forgotten at its end. `derive(f, rules=[…])`
        takes the value for one derivation, and its methods register rules in it alone.

        Raises RuleError for a file that cannot be read, and for two rules for one thing.

        >>> from egad import custom_bwd_of, derive, rules
        >>> def f(x: float) -> float:
        ...     return x * x
        >>> with rules():
        ...     rule = custom_bwd_of(f)(lambda x, d: 100.0 * d)
        ...     inside = derive(f)
        >>> inside.reference(3.0, 1.0), derive(f).reference(3.0, 1.0)
        (Gradients(x=100.0), Gradients(x=6.0))
        """
        return Rules(sources)
