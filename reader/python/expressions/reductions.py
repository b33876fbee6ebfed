"""`sum`, `max`, `any`, `next`, … over a generator that is known only at run time: they are loops.

    sum(w[k] * x for k in range(n) if k != i)

becomes a function without parameters, which is called where the expression stands:

    def sum():
        total = 0
        for k in range(n):
            if k != i:
                total = total + w[k] * x
        return total

Takes the syntax of the call, gives the syntax of the function; every part keeps its place in the
source.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ....terms.errors import TraceError
from ..calls.calls import call
from ..operations.library import UNKNOWN
from ..values.once import Once
from ..values.scope import Frame, nested
from ..values.values import is_static
from .comprehensions import NotKnown, comprehension, generated

#: Gives the value of an expression. Handed in, because expressions contain these calls.
Evaluate = Callable[[Frame, ast.expr], Any]

#: What may be said besides the generator: in its place, or by its name.
_REDUCING: Mapping[Any, tuple[int, tuple[str, ...]]] = {
    builtins.sum: (1, ("start",)),
    math.prod: (0, ("start",)),
    builtins.any: (0, ()),
    builtins.all: (0, ()),
    builtins.len: (0, ()),
    builtins.min: (0, ("default",)),
    builtins.max: (0, ("default",)),
    builtins.next: (1, ()),
}


def reduces(callee: Any, node: ast.Call) -> bool:
    """Whether a call reduces a generator, and nothing else is said but how it begins or ends."""
    known = next((said for f, said in _REDUCING.items() if callee is f), None)
    if known is None or not node.args:
        return False
    forms: dict[Any, Any] = {builtins.len: ast.ListComp, builtins.next: ast.GeneratorExp}
    form = forms.get(callee, ast.GeneratorExp | ast.ListComp)
    return (
        len(node.args) - 1 <= known[0]
        and {word.arg for word in node.keywords} <= {*known[1]}
        and len(node.args) + len(node.keywords) <= 2
        and isinstance(node.args[0], form)
    )


def reduced(frame: Frame, callee: Any, node: ast.Call, evaluate: Evaluate) -> Any:
    """`sum(… for … in …)` where that is a loop; UNKNOWN where it can be written out."""
    generator = node.args[0]
    assert isinstance(generator, ast.GeneratorExp | ast.ListComp)
    at = frame.span(node)
    if not _runs_over_unknown(frame, generator, evaluate):
        if not any(part.ifs for part in generator.generators):
            return UNKNOWN
        journal, iterators = frame.session.journal, _iterators(frame, generator)
        journal.begin()
        try:
            if callee is builtins.next and isinstance(generator, ast.GeneratorExp):
                given: Any = generated(frame, generator, evaluate)
            else:
                given = tuple(comprehension(frame, generator, evaluate))
        except NotKnown:  # which items there are, is found at run time
            journal.undo()
            for put_back in iterators:
                put_back()
        except TraceError:  # whoever asked may read it in another way
            journal.undo()
            raise
        else:
            journal.redo(journal.undo(), at)
            rest = [evaluate(frame, arg) for arg in node.args[1:]]
            named = {str(word.arg): evaluate(frame, word.value) for word in node.keywords}
            return call(frame.session, callee, [given, *rest], named, at)
    function = nested(frame, _as_function(callee, node), partial(evaluate, frame))
    return call(frame.session, function, [], {}, at)


def _iterators(frame: Frame, node: ast.expr) -> list[Callable[[], None]]:
    """What puts back the items of the iterators that are named in an expression."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & {*frame.state.names}
    values = [frame.state.names.find(name) for name in sorted(names)]
    return [value.kept() for value in values if isinstance(value, Once)]


def _runs_over_unknown(
    frame: Frame, node: ast.GeneratorExp | ast.ListComp, evaluate: Evaluate
) -> bool:
    """Whether it runs over a range whose ends are known only at run time."""
    own: set[str] = set()
    for part in node.generators:
        given = _ends(frame, part.iter, own, evaluate)
        if any(_unknown(frame, arg, own, evaluate) for arg in given):
            return True
        own |= {n.id for n in ast.walk(part.target) if isinstance(n, ast.Name)}
    return False


def _ends(frame: Frame, node: ast.expr, own: set[str], evaluate: Evaluate) -> Sequence[ast.expr]:
    """What is said to `range(…)`; of anything else, nothing."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords:
        return ()
    return node.args if node.func.id not in own and evaluate(frame, node.func) is range else ()


def _unknown(frame: Frame, node: ast.expr, own: set[str], evaluate: Evaluate) -> bool:
    """Whether a value is known only at run time, whatever the variables of the generator are."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    if isinstance(node, ast.Starred):
        return False
    if not any(n.id in own for n in names):
        return not is_static(evaluate(frame, node))
    others = [n for n in names if n.id not in own and isinstance(n.ctx, ast.Load)]
    return any(not is_static(evaluate(frame, n)) for n in others)


def _as_function(callee: Any, node: ast.Call) -> ast.FunctionDef:
    """The function that a reduction means."""
    generator = node.args[0]
    assert isinstance(generator, ast.GeneratorExp | ast.ListComp)
    used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    total = "total"
    while total in used or f"new_{total}" in used:
        total += "_"
    said = [*node.args[1:], *(word.value for word in node.keywords)]
    first, step, last = _parts(callee.__name__, total, said[0] if said else None)
    body = [_with_item(statement, generator.elt) for statement in step]
    for part in reversed(generator.generators):
        for test in reversed(part.ifs):
            body = [ast.If(test, body, [])]
        body = [ast.For(part.target, part.iter, body, [])]
    arguments = ast.arguments([], [], None, [], [], None, [])
    function = ast.FunctionDef(callee.__name__, arguments, [*first, *body, *last], [], None)
    return _placed(function, node)


def _parts(
    name: str, total: str, said: ast.expr | None
) -> tuple[list[ast.stmt], list[ast.stmt], list[ast.stmt]]:
    """What is done first, with every ITEM, and last; `said`: where it begins, or what it gives."""
    begins, step, ends = _MEANT[name]
    texts = [text.replace("TOTAL", total) for text in (begins, step, ends)]
    first, each, last = (_without_places(ast.parse(text).body) for text in texts)
    if said is not None and name in ("sum", "prod"):
        first = [ast.Assign([ast.Name(total, ast.Store())], said)]
    elif said is not None:
        last[-1:] = [ast.Return(said)]
    return first, each, last


#: By the name of the reduction.
_MEANT: Mapping[str, tuple[str, str, str]] = {
    "sum": ("TOTAL = 0", "TOTAL = TOTAL + ITEM", "return TOTAL"),
    "prod": ("TOTAL = 1", "TOTAL = TOTAL * ITEM", "return TOTAL"),
    "len": ("TOTAL = 0", "ITEM\nTOTAL = TOTAL + 1", "return TOTAL"),
    "any": ("", "if ITEM:\n return True", "return False"),
    "all": ("", "if not ITEM:\n return False", "return True"),
    "next": ("", "return ITEM", "raise StopIteration('no item is left')"),
    **{
        name: (
            "TOTAL = None",
            f"new_TOTAL = ITEM\nif TOTAL is None or new_TOTAL {sign} TOTAL:\n TOTAL = new_TOTAL",
            f"if TOTAL is not None:\n return TOTAL\nraise ValueError('{name}() of no items')",
        )
        for name, sign in (("min", "<"), ("max", ">"))
    },
}


def _without_places(statements: list[ast.stmt]) -> list[ast.stmt]:
    for statement in statements:
        for inner in ast.walk(statement):
            for word in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
                inner.__dict__.pop(word, None)
    return statements


def _with_item(statement: ast.stmt, item: ast.expr) -> ast.stmt:
    """The statement, about the items of the generator."""

    class Named(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return item if node.id == "ITEM" else node

    found = Named().visit(statement)
    assert isinstance(found, ast.stmt)
    return found


def _placed(function: ast.FunctionDef, node: ast.Call) -> ast.FunctionDef:
    """The function, in which what has no place in the source yet stands where the call does."""
    for inner in ast.walk(function):
        if isinstance(inner, ast.stmt | ast.expr) and not hasattr(inner, "lineno"):
            part = inner.iter if isinstance(inner, ast.For) else node
            ast.copy_location(inner, part)
    return function
