"""Derived functions whose types depend on the arguments: one derivation for each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import reader
from .rules.registry import changes
from .terms.errors import DeriveError, DeviceError, EgadError, public
from .terms.types import Scalar, Type

if TYPE_CHECKING:
    from .api import Derived


class Family:
    """What `derive` gives for a function with a `list[float]`, a protocol or a type variable.

    A call derives the function for the types of its arguments, once for each, and runs it;
    `of(…)` gives that derived object. `source`, `explain()` and all else of a derived object
    are those of the one that was used last. The rule files and blocks are those that were in
    force when `derive` was called; where a module has registered rules since, the next call
    derives anew, so that all types are derived by the same rules.
    """

    def __init__(
        self,
        missing: reader.OpenParameters,
        real: Scalar,
        make: Callable[[Mapping[str, Type]], Derived],
    ) -> None:
        self._missing = missing
        self._real = real
        self._make = make
        self._members: dict[tuple[Type, ...], Derived] = {}
        self._since = changes()
        self._last: Derived | None = None

    def of(self, /, *args: Any, **kwargs: Any) -> Derived:
        """The derived object for arguments of these types."""
        given = dict(zip(self._missing.names, args, strict=False))
        if twice := given.keys() & kwargs.keys():
            raise DeviceError(f"{min(twice)!r} is given twice, by its place and by its name")
        given.update(kwargs)
        types: dict[str, Type] = {}
        for name, hint in self._missing.hints.items():
            if name not in given and name in self._missing.defaults:
                given[name] = self._missing.defaults[name]
            if name not in given:
                raise DeriveError(f"{name!r} is needed: its type decides what is derived")
            types[name] = reader.type_from(hint, given[name], self._real, name)
        if (now := changes()) != self._since:
            self._members, self._since = {}, now
        key = tuple(types.values())
        if key not in self._members:
            try:
                self._members[key] = self._make(types)
            except EgadError as error:
                if (kind := public(type(error))) is type(error):
                    raise
                raise kind(error.message, error.at, error.hint) from None
        self._last = self._members[key]
        return self._last

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Evaluate on the device, derived for the types of the arguments."""
        return self.of(*args, **kwargs)(*args, **kwargs)

    def reference(self, /, *args: Any, **kwargs: Any) -> Any:
        """Evaluate with NumPy, derived for the types of the arguments."""
        return self.of(*args, **kwargs).reference(*args, **kwargs)

    @property
    def members(self) -> Sequence[Derived]:
        """What was derived so far."""
        return tuple(self._members.values())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._last is None:
            what = f"there is no {name!r} yet: "
            raise self.unsaid(f"call it first; or {self._missing.hint}", what)
        return getattr(self._last, name)

    @property
    def open(self) -> Sequence[str]:
        """The parameters whose types depend on the arguments."""
        return tuple(self._missing.hints)

    def unsaid(self, hint: str, what: str = "") -> DeriveError:
        """The error where the types are needed before there are arguments."""
        return DeriveError(f"{what}{self._missing.message}", self._missing.at, hint)

    def __copy__(self) -> Family:
        return self

    def __deepcopy__(self, memo: Any) -> Family:
        return self

    def __reduce__(self) -> Any:
        raise DeriveError(
            "what is derived once for each type of the arguments cannot be pickled",
            hint="pickle what it is for some of them: f.of(…)",
        )

    def __str__(self) -> str:
        return self._missing.message if self._last is None else str(self._last)
