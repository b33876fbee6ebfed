"""What a class says of one of its methods: static, of the class, or chosen by an argument.

Takes what stands in the class and an object, gives a function that can be called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatchmethod
from types import MethodType
from typing import Any

#: What `bound_method` takes.
KINDS = (staticmethod, classmethod, singledispatchmethod)


@dataclass(frozen=True)
class ByArgument:
    """The dispatcher of a `singledispatchmethod`, called with an object and the arguments."""

    choose: Callable[[type], Any]

    def __call__(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """As Python does it."""
        method = bound_method(self.choose(type(args[0])), value, type(value))
        return method(*args, **kwargs)


def bound_method(found: Any, value: Any, cls: type) -> Any:
    """A method as a class has it, bound to an object of this class, or to the class."""
    match found:
        case staticmethod():
            return found.__func__
        case classmethod():
            return MethodType(found.__func__, cls)
        case singledispatchmethod():
            return MethodType(ByArgument(found.dispatcher.dispatch), value)
    return MethodType(found, value)
