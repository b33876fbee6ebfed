"""`try: … finally: …` and `with …`: what is said to happen last, on every way out.

Takes the statement, gives statements without it. Nothing raises in a kernel, so the ways out are
the end, `return`, `break` and `continue`. Knows nothing of values.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

_RETURNED = "_returned"
#: What can be asked before that, in the place of what would raise.
_ASKED = {
    "ZeroDivisionError": "if y != 0: … else: …",
    "ValueError": "if x > 0: … else: …, of the argument of a root or a logarithm",
    "OverflowError": "if x < 88: … else: …, of the argument of an exponential",
    "KeyError": "if key in d: … else: …, or d.get(key, default)",
    "IndexError": "if i < len(xs): … else: …",
    "StopIteration": "next(xs, default)",
    "AttributeError": "if isinstance(x, A): … else: …",
    "TypeError": "if isinstance(x, A): … else: …",
    "ImportError": "import it outside of the function",
}


@dataclass(frozen=True, slots=True)
class Known:
    """What the function says that is read."""

    silent: Callable[[ast.withitem], bool]  # whether an item of a `with` says nothing to a kernel
    handled: Callable[[ast.Try], list[ast.stmt]]  # a `try` with handlers, by branches


def without_try(node: ast.Try, known: Known) -> list[ast.stmt]:
    """The same by branches, with the last statements written out at every way out."""
    body = known.handled(node) if node.handlers else node.body
    if not node.finalbody:
        return body
    return [*_Ways(node.finalbody, known).block(_apart(body)), *node.finalbody]


def _apart(part: Any) -> Any:
    """A copy in which nothing stands twice, as what two arms of a branch have in common does."""
    if isinstance(part, list):
        return [_apart(inner) for inner in part]
    if not isinstance(part, ast.AST):
        return part
    fields = {name: _apart(value) for name, value in ast.iter_fields(part)}
    return ast.copy_location(type(part)(**fields), part)


def without_with(node: ast.With, known: Known) -> list[ast.stmt]:
    """`with m as v: …` as `v = m.__enter__()`, and `m.__exit__(None, None, None)` on every way out.

    The items from the last to the first, each around those that follow it.
    """
    body = node.body
    for item in reversed([item for item in node.items if not known.silent(item)]):
        at = item.context_expr
        name = f"with {at.lineno}:{at.col_offset}"  # no variable can be called so
        made = ast.Assign([ast.Name(name, ast.Store())], at)
        entered: ast.stmt = ast.Expr(_called(name, "__enter__", 0))
        if item.optional_vars is not None:
            entered = ast.Assign([item.optional_vars], _called(name, "__enter__", 0))
        left = ast.Expr(_called(name, "__exit__", 3))
        last = ast.Try(body=body, handlers=[], orelse=[], finalbody=[left])
        for new in (made, entered, left):
            for inner in ast.walk(new):
                if not hasattr(inner, "lineno"):
                    ast.copy_location(inner, at)
        body = [made, entered, *without_try(last, known)]
    return body


def _called(name: str, method: str, nones: int) -> ast.expr:
    function = ast.Attribute(ast.Name(name, ast.Load()), method, ast.Load())
    return ast.Call(function, [ast.Constant(None) for _ in range(nones)], [])


def asked_before(handlers: Sequence[ast.ExceptHandler]) -> str:
    """What to write for exceptions that are caught."""
    names = [n for h in handlers if h.type for n in ast.walk(h.type) if isinstance(n, ast.Name)]
    asked = dict.fromkeys(_ASKED[n.id] for n in names if n.id in _ASKED)
    how = "; ".join(asked) or "if …: … else: …"
    return f"ask before: {how}; what divides by 0, or has no value, gives inf or nan here"


class _Ways(ast.NodeTransformer):
    def __init__(self, last: Sequence[ast.stmt], known: Known) -> None:
        self.last = last
        self.known = known
        self.loops = 0  # around this point, inside

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in statements:
            new = self.visit(statement)
            found += new if isinstance(new, list) else [new]
        return found

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        """What is returned is computed first."""
        if node.value is None or isinstance(node.value, ast.Constant):
            return [*self.last, node]
        stored, read = (ast.Name(_RETURNED, context()) for context in (ast.Store, ast.Load))
        kept = ast.Assign(targets=[stored], value=node.value)
        result = ast.copy_location(ast.Return(read), node)
        for new in (stored, read, kept):
            ast.copy_location(new, node.value)
        return [kept, *self.last, result]

    def visit_Break(self, node: ast.Break) -> list[ast.stmt]:
        """It leaves, where the loop is outside."""
        return [node] if self.loops else [*self.last, node]

    def visit_Continue(self, node: ast.Continue) -> list[ast.stmt]:
        """It leaves, where the loop is outside."""
        return [node] if self.loops else [*self.last, node]

    def visit_For(self, node: ast.For) -> ast.stmt:
        """A loop inside: its own `break` stays inside."""
        return self._loop(node)

    def visit_While(self, node: ast.While) -> ast.stmt:
        """A loop inside: its own `break` stays inside."""
        return self._loop(node)

    def _loop(self, node: ast.For | ast.While) -> ast.stmt:
        self.loops += 1
        node.body = self.block(node.body)
        self.loops -= 1
        node.orelse = self.block(node.orelse)
        return node

    def visit_Try(self, node: ast.Try) -> list[ast.stmt]:
        """What is last inside comes first. Handlers have ways out, too."""
        return self.block(without_try(node, self.known))

    def visit_With(self, node: ast.With) -> list[ast.stmt]:
        """What is last inside comes first."""
        return self.block(without_with(node, self.known))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        """It returns for itself."""
        return node
