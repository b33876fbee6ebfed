"""The source that a program was read from, and the line that each of its terms is from.

Takes programs with notes, gives lines of files and, for terms, the places in them. What was
not named in the source belongs to the line of what it was computed for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..rewrite.derivation.local import Made
from ..terms.errors import Span
from ..terms.loop import LOOP
from ..terms.program import Program
from ..terms.term import LEAVES, Term, toposort

#: A line: file and number, from 1.
Place = tuple[str, int]


def source_of(places: Iterable[Place], texts: Mapping[Place, str]) -> dict[Place, str]:
    """The functions around some lines, whole, in the order in which the lines come.

    Of a file that cannot be read only these lines are known, as they were.
    """
    found: dict[Place, str] = {}
    for file, line in places:
        lines, functions = _read(file)
        around = [f for f in functions if f[0] <= line <= f[1]]
        first, last = max(around, default=(line, line))
        for number in range(first, last + 1):
            if number <= len(lines):
                found.setdefault((file, number), lines[number - 1])
        if not lines:
            found.setdefault((file, line), texts.get((file, line), ""))
    return found


def returns(place: Place) -> Place | None:
    """The one `return` of the function that begins at a line; None where there are several."""
    file, line = place
    tree = _tree(file)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.FunctionDef) and _first(node) <= line <= node.body[0].lineno:
            found = [n.lineno for n in ast.walk(node) if isinstance(n, ast.Return)]
            if len(found) == 1:
                return file, found[0]
    return None


def places_of(
    primal: Program, plain: Program, made: Mapping[Term, Made], loop: Span | None
) -> dict[Term, Place]:
    """The lines that the terms of a plain program are from.

    What is in a `loop`, and of no other line, is of the line where that begins.
    """
    found: dict[Term, Place] = {}
    for program in (primal, plain):
        for term, note in program.notes.items():
            if note.at is not None:
                found.setdefault(term, (note.at.file, note.at.line))
    own = (primal.at.file, primal.at.line) if primal.at else None
    ends = returns(own) or own if own else None
    for root in primal.flat:
        if ends is not None and root.op not in LEAVES:
            found.setdefault(root, ends)
    _inherit(primal, found)
    for term in plain.terms():
        if term not in found and term in made and made[term].of in found:
            found[term] = found[made[term].of]
        if term.op == LOOP and term.attr.at is not None:
            found.setdefault(term, (term.attr.at.file, term.attr.at.line))
    _inherit(plain, found)
    if loop is not None:
        for term in plain.terms():
            if term.op not in LEAVES:
                found.setdefault(term, (loop.file, loop.line))
    return found


def _inherit(program: Program, found: dict[Term, Place]) -> None:
    """What has no line of its own has that of a term that uses it."""
    for term in reversed(toposort(program.flat)):
        if term in found:
            for arg in term.args:
                if arg.op not in LEAVES:
                    found.setdefault(arg, found[term])


def _tree(file: str) -> ast.Module | None:
    try:
        return ast.parse(Path(file).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return None


def _read(file: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The lines of a file, and first and last lines of its functions."""
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return [], []
    tree = _tree(file)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)] if tree else []
    return lines, [(_first(n), n.end_lineno or n.lineno) for n in functions]


def _first(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])
