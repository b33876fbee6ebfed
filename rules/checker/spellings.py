"""OpenCL spellings against what they call, where a shipped operator means that built-in.

Takes an operator, gives for each spelling of numbers the expression that it stands for. Knows
nothing of devices: how accurate a built-in is, they say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from ...terms.errors import RuleError, Span
from ...terms.rule import Operator, Rewrite, RuleSet, Tag
from ...terms.term import Term, const, var
from ...terms.types import Scalar
from ..loader.load import shipped_rules
from ..show import show_expression
from .compare import Tally
from .faults import MeaningError
from .rewrites import check_rewrite

_CALL = re.compile(r"(?:native_|half_)?(\w+)\((.*)\)", re.ASCII)
_INFIX = re.compile(r"\((\S+) (\S+) (\S+)\)", re.ASCII)
_NUMBERS = ("real", "number")


def spelled(operator: Operator) -> Iterator[tuple[str, Term]]:
    """Each spelling for real numbers, and what it computes, where that is another expression."""
    if not _of_numbers(operator):
        return
    own = Term(operator.name, tuple([var(p.name) for p in operator.params]))
    reals = [text for dtype, text in operator.opencl.items() if dtype.is_real]
    for text in dict.fromkeys(reals):
        name, args = _parts(text)
        known = _built_ins().get((name, len(args)))
        if known is None:
            continue
        found = Term(known, tuple([_atom(arg) for arg in args]))
        if found is not own:
            yield text, found


def check_spelling(
    operator: Operator, text: str, meant: Term, rules: RuleSet, at: Span, tally: Tally
) -> None:
    """The operator and what its spelling computes are one function of real numbers."""
    own = Term(operator.name, tuple([var(p.name) for p in operator.params]))
    domain = () if operator.domain is None else (operator.domain,)
    rule = Rewrite(
        f"{operator.name} opencl", own, meant, Tag.FAST, at, operator.params, domain, primal=True
    )
    try:
        check_rewrite(rule, rules, tally)
    except MeaningError:
        raise  # of what is called, which says so itself
    except RuleError as error:
        hint = f"write a built-in of OpenCL that computes {show_expression(own)}"
        raise RuleError(f"{error.message}: {text} is another function", at, hint) from None


def _of_numbers(operator: Operator) -> bool:
    return all(p.kind in _NUMBERS for p in (*operator.params, operator.result))


@lru_cache(maxsize=1)
def _built_ins() -> Mapping[tuple[str, int], str]:
    """The shipped operator that a built-in, or an infix operator, of so many arguments is."""
    found: dict[tuple[str, int], str] = {}
    for name, (operator, *_) in shipped_rules().operators.items():
        text = operator.opencl.get(Scalar.F32, "") if _of_numbers(operator) else ""
        called, args = _parts(text)
        if args and args == [f"{{{p.name}}}" for p in operator.params]:
            found.setdefault((called, len(args)), name)
    return found


def _parts(text: str) -> tuple[str, list[str]]:
    """What a spelling calls, and its arguments; nothing where it is of another form."""
    if call := _CALL.fullmatch(text):
        return call[1], [part.strip() for part in call[2].split(",")]
    if infix := _INFIX.fullmatch(text):
        return infix[2], [infix[1], infix[3]]
    return "", []


def _atom(text: str) -> Term:
    return var(text[1:-1]) if text[0] == "{" else const(float(text.rstrip("fh")))
