"""What `contextlib` gives for a `with`, in Python: it is read as a class of a user is.

Takes the classes of Python, gives those that stand for them. A generator under `@contextmanager`
is two functions: `halves` gives what is done before its `yield`, which returns what is yielded and
what is done after it.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import contextlib

from .collected import stands_for


def halves(generator):
    """A function of the generator's parameters: the value that it yields, and how it goes on."""

    def begun(*args, **kwargs):
        items = generator(*args, **kwargs)
        return next(items), lambda: next(items, None)

    return begun


@stands_for("contextlib._GeneratorContextManager")
class _Halved:
    """A generator that yields once: before and after what stands in the `with`."""

    def __init__(self, func, args, kwds):
        self._func, self._args, self._kwds = func, args, kwds

    def __enter__(self):
        value, self._leave = halves(self._func)(*self._args, **self._kwds)
        return value

    def __exit__(self, *raised):
        self._leave()


@stands_for(contextlib.nullcontext, lambda known: (known.enter_result,))
class _NullContext:
    """Nothing is done before and after."""

    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *raised):
        pass


@stands_for(contextlib.closing, lambda known: (known.thing,))
class _Closing:
    """What is closed after."""

    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *raised):
        self.thing.close()
