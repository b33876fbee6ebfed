"""Rule expressions as mathematics: in Unicode for a terminal, or in LaTeX.

Takes terms, gives text with as few parentheses as needed; knows nothing of files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from ..terms.term import CAST, SELECT, Term, const_value
from ..terms.types import Scalar
from ..terms.walk import postorder

# Binding strength, from loose to tight.
_CASES, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(10)
_Shown = tuple[str, int]
#: A way of writing: from a term to text.
Writing = Callable[..., str]

_GREEK = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon
phi chi psi omega
"""
_LETTERS = dict(zip(_GREEK.split(), "αβγδεζηθικλμνξπρστυφχψω", strict=True))
_HIGH = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_COMPARISONS = {
    "lt": ("<", "<"),
    "le": ("≤", r"\le"),
    "gt": (">", ">"),
    "ge": ("≥", r"\ge"),
    "eq": ("=", "="),
    "ne": ("≠", r"\ne"),
}
_KNOWN = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "log", "exp", "min", "max"}
_KNOWN |= {"arcsin", "arccos", "arctan", "det"}
_LATEX_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "determinant": "det"}


def unicode(term: Term, exact: bool = False) -> str:
    """A rule expression on one line of Unicode; `exact`: with signs for what differs only so.

    >>> from ..terms.term import var
    >>> x = var("x")
    >>> unicode(Term("sqrt", (Term("add", (Term("mul", (x, x)), var("theta"))),)))
    '√(x² + θ)'
    """
    return _written(term, _Unicode(exact))


def latex(term: Term, exact: bool = False) -> str:
    r"""A rule expression in LaTeX's mathematics; `exact` as for `unicode`.

    >>> from ..terms.term import var
    >>> latex(Term("div", (var("x"), Term("sqrt", (var("y_bar"),)))))
    '\\frac{x}{\\sqrt{\\bar{y}}}'
    """
    return _written(term, _Latex(exact))


def _written(term: Term, way: _Unicode) -> str:
    """Bottom-up, without recursion."""
    done: dict[Term, _Shown] = {}
    for node in postorder([term], lambda t: t.args):
        done[node] = way.show(node, [done[a] for a in node.args])
    return done[term][0]


class _Unicode:
    """How operators are written; subclasses write otherwise."""

    times, minus, conj, disj, neg = "·", "−", "∧", "∨", "¬"
    column = 0

    def __init__(self, exact: bool) -> None:
        self.exact = exact  # x * x is not written as pow(x, 2), nor rcp(x) as pow(x, -1)

    def show(self, node: Term, args: list[_Shown]) -> _Shown:
        """A node over its arguments as they are written."""
        texts = [text for text, _ in args]
        match node.op, args:
            case "var", _:
                return self.name(str(node.attr)), _ATOM
            case "const", _:
                return self.number(node)
            case (("add" | "sub"), [a, b]):
                sign = "+" if node.op == "add" else self.minus
                return f"{self.within(a, _SUM)} {sign} {self.within(b, _PRODUCT)}", _SUM
            case "mul", [a, b]:
                if node.args[0] is node.args[1] and not self.exact:
                    return self.power(a, "2")
                return self.product(node, a, b)
            case "div", [a, b]:
                return self.quotient(a, b)
            case "rcp", [a] if not self.exact:
                return self.power(a, f"{self.minus}1")
            case "rsqrt", [a]:
                return self.quotient(("1", _ATOM), self.root(a))
            case "neg", [a]:
                return f"{self.minus}{self.within(a, _SIGN + 1)}", _SIGN
            case "sqrt", [a]:
                return self.root(a)
            case "pow", [a, b]:
                return self.power(a, texts[1] if b[1] == _ATOM else f"({texts[1]})")
            case "logical_and", [a, b]:
                return f"{self.within(a, _AND)} {self.conj} {self.within(b, _NOT)}", _AND
            case "logical_or", [a, b]:
                return f"{self.within(a, _OR)} {self.disj} {self.within(b, _AND)}", _OR
            case "logical_not", [a]:
                return f"{self.neg}{self.within(a, _ATOM)}", _NOT
            case op, [a, b] if op in _COMPARISONS:
                sign = _COMPARISONS[op][self.column]
                return f"{self.within(a, _SUM)} {sign} {self.within(b, _SUM)}", _COMPARE
            case (("abs" | "floor" | "ceil" | "length"), [_]):
                return self.fenced(node.op, texts[0]), _ATOM
        if node.op == SELECT:
            return self.cases(node, args)
        return self.other(node, args, texts)

    def other(self, node: Term, args: list[_Shown], texts: list[str]) -> _Shown:
        """What has no sign of its own: components, lists, sums, and functions by name."""
        match node.op:
            case "component" | "proj":
                return self.index(self.within(args[0], _ATOM), str(node.attr)), _ATOM
            case "list":
                return f"[{', '.join(texts)}]", _ATOM
            case "tuple":
                return f"({', '.join(texts)})", _ATOM
            case "each":
                return self.each(texts, str(node.attr)), _ATOM
            case "is_const":
                return f"{texts[0]} {self.words('is a constant')}", _COMPARE
            case "exists":
                return f"{texts[0]} {self.words('is computed anyway')}", _COMPARE
        name = _CASTS.get(node.type, "real") if node.op == CAST else node.op
        if node.op == "call":
            name = getattr(node.attr, "name", "call")
        return f"{self.function(name)}({', '.join(texts)})", _ATOM

    def within(self, shown: _Shown, strength: int) -> str:
        """A part, in brackets where it binds less than what is around it."""
        text, own = shown
        return text if own >= strength else f"({text})"

    def name(self, name: str) -> str:
        """A variable: `y_bar`, `theta`, `dx`."""
        if name.endswith("_bar"):
            return self.name(name[:-4]) + "\u0304"
        return _LETTERS.get(name, name)

    def number(self, node: Term) -> _Shown:
        """A constant, whole where it is."""
        value = const_value(node)
        if isinstance(value, bool):
            return self.words("true" if value else "false"), _ATOM
        text, negative = _decimal(abs(value)), math.copysign(1.0, value) < 0
        text = {math.pi: self.name("pi"), math.inf: self.infinity}.get(abs(value), text)
        return (f"{self.minus}{text}", _SIGN) if negative else (text, _ATOM)

    infinity = "∞"

    def power(self, base: _Shown, exponent: str) -> _Shown:
        """base ** exponent."""
        high = re.fullmatch(r"−?\d+", exponent)
        over = exponent.replace("−", "-").translate(_HIGH) if high else f"^{exponent}"
        return f"{self.within(base, _ATOM)}{over}", _POWER

    def product(self, node: Term, a: _Shown, b: _Shown) -> _Shown:
        """a times b."""
        return f"{self.within(a, _PRODUCT)}{self.times}{self.within(b, _SIGN)}", _PRODUCT

    def quotient(self, a: _Shown, b: _Shown) -> _Shown:
        """a over b."""
        return f"{self.within(a, _PRODUCT)} / {self.within(b, _SIGN)}", _PRODUCT

    def root(self, a: _Shown) -> _Shown:
        """The square root of a."""
        return f"√{self.within(a, _ATOM)}", _POWER

    def fenced(self, op: str, text: str) -> str:
        """Absolute value, floor, ceiling and length."""
        fences = {"abs": ("|", "|"), "floor": ("⌊", "⌋"), "ceil": ("⌈", "⌉"), "length": ("‖", "‖")}
        left, right = fences[op]
        return f"{left}{text}{right}"

    def cases(self, node: Term, args: list[_Shown]) -> _Shown:
        """A choice by a condition."""
        condition, then, other = (text for text, _ in args)
        return f"{{ {then} if {condition}; {other} otherwise }}", _ATOM

    def index(self, text: str, which: str) -> str:
        """A component."""
        return f"{text}{which.translate(_LOW)}" if which.isdigit() else f"{text}.{which}"

    def each(self, texts: list[str], name: str) -> str:
        """A list over the items of another."""
        return f"[{texts[1]} for {name} ∈ {texts[0]}]"

    def words(self, text: str) -> str:
        """Plain words in a formula."""
        return text

    def function(self, name: str) -> str:
        """The name of a function."""
        return name


class _Latex(_Unicode):
    times, minus, conj, disj, neg = r" \cdot ", "-", r"\land", r"\lor", r"\lnot "
    infinity = r"\infty"
    column = 1

    def within(self, shown: _Shown, strength: int) -> str:
        text, own = shown
        return text if own >= strength else rf"\left({text}\right)"

    def name(self, name: str) -> str:
        if name.endswith("_bar"):
            return rf"\bar{{{self.name(name[:-4])}}}"
        if name in _LETTERS:
            return rf"\{name}"
        return name if len(name) == 1 else rf"\mathit{{{_plain(name)}}}"

    def number(self, node: Term) -> _Shown:
        text, strength = super().number(node)
        mantissa, mark, exponent = text.partition("e")
        if mark and text[-1].isdigit():
            return rf"{mantissa} \cdot 10^{{{int(exponent)}}}", _PRODUCT
        return text, strength

    def power(self, base: _Shown, exponent: str) -> _Shown:
        inner = exponent[1:-1] if exponent.startswith("(") else exponent
        return f"{self.within(base, _ATOM)}^{{{inner}}}", _POWER

    def quotient(self, a: _Shown, b: _Shown) -> _Shown:
        return rf"\frac{{{a[0]}}}{{{b[0]}}}", _POWER

    def root(self, a: _Shown) -> _Shown:
        return rf"\sqrt{{{a[0]}}}", _ATOM

    def fenced(self, op: str, text: str) -> str:
        side = {"abs": "vert", "floor": "floor", "ceil": "ceil", "length": "Vert"}[op]
        return rf"\left\l{side} {text} \right\r{side}"

    def cases(self, node: Term, args: list[_Shown]) -> _Shown:
        condition, then, other = (text for text, _ in args)
        rows = rf"{then} & {self.words('if ')}{condition} \\ {other} & {self.words('otherwise')}"
        return rf"\begin{{cases}} {rows} \end{{cases}}", _ATOM

    def index(self, text: str, which: str) -> str:
        return f"{text}_{{{_plain(which)}}}"

    def each(self, texts: list[str], name: str) -> str:
        return rf"\left[{texts[1]}\right]_{{{self.name(name)} \in {texts[0]}}}"

    def words(self, text: str) -> str:
        return rf"\text{{{text}}}"

    def function(self, name: str) -> str:
        known = _LATEX_NAMES.get(name, name)
        return rf"\{known}" if known in _KNOWN else rf"\operatorname{{{_plain(name)}}}"


def _plain(name: str) -> str:
    return name.replace("_", r"\_")


def _decimal(value: float) -> str:
    whole = math.isfinite(value) and value < 1e15 and value == int(value)
    return str(int(value)) if whole else repr(value)


_CASTS = {Scalar.I32: "int", Scalar.BOOL: "bool", Scalar.F64: "double", Scalar.F16: "half"}
