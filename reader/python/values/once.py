"""Iterators: items that can be run over one time, each as it is when its turn comes.

Knows nothing of syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ....terms.errors import Span, TraceError
from .objects import Listed, Object
from .varying import Varying


class Once:
    """What `zip(…)`, `map(…)`, `iter(…)` give: items that can be run over one time."""

    __slots__ = ("_at_turn", "_items", "_taken", "check", "held", "over", "place", "rest")
    described = "an iterator"

    def __init__(
        self,
        items: Iterable[Any],
        at_turn: Callable[[int], Any] | None = None,
        held: Sequence[Object] = (),
        over: Sequence[Any] = (),
        *,
        rest: TraceError | None = None,
        check: Callable[[], None] | None = None,
    ) -> None:
        self._items = tuple(items)
        self._taken = False
        self.rest = rest  # raised where there are more items than these, and one is asked for
        self.held = tuple(held)  # what it runs over, where nothing else may hold that
        self.over = tuple(over)  # what it runs over: its items are of that
        self.check = check or (lambda: None)  # raises where the items are other ones by now
        #: Item k as it is when a loop gets there, which may change the list that it runs over.
        self._at_turn = at_turn or self._items.__getitem__
        self.place = Listed([0])  # how many items `next` has taken

    def take(self, at: Span) -> tuple[Any, ...]:
        """The items. Raises TraceError the second time: in Python nothing is left then."""
        if self.rest is not None:
            hint = "take some of its items: zip(xs, …), itertools.islice(…, n), next(…), break"
            raise TraceError("this iterator has no end", at, hint)
        return self.known(at)

    def known(self, at: Span) -> tuple[Any, ...]:
        """The items; the first ones, where there is no end. Raises TraceError as `take` does."""
        if self._taken:
            message = "this iterator has been run over before: nothing is left in it"
            raise TraceError(message, at, "keep its items: xs = list(…)")
        left = range(self.left(at))
        self._taken = True
        self.check()
        return tuple(self._at_turn(self.place.items[0] + k) for k in left)

    def kept(self) -> Callable[[], None]:
        """Puts the items back that were there when this was asked."""
        taken = self._taken

        def put_back() -> None:
            self._taken = taken

        return put_back

    @property
    def endless(self) -> bool:
        """Whether there is no end: these are the first items."""
        return self.rest is not None

    def left(self, at: Span) -> int:
        """How many items are left. Raises TraceError where only the kernel knows."""
        before = self.place.items[0]
        if not isinstance(before, int):
            message = "how many items of this iterator are taken is known only when the kernel runs"
            raise Varying(message, at, "keep its items, and take them by their places: xs[i]")
        return 0 if self._taken else len(self._items) - before

    def at_turn(self, k: int) -> Any:
        """Item k of those that are left."""
        self.check()
        return self._at_turn(self.place.items[0] + k)
