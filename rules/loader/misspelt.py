"""What to write instead, where a rule file is not Python: what newcomers bring from elsewhere.

Takes the line that Python cannot read, and its message; gives a hint. Knows nothing of rules.
"""

from __future__ import annotations

import re

#: Characters that editors and formulas bring, as they are typed.
_TYPED = {
    **dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\u2014", "-"),
    **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2018\u2019", "'"),
    **dict.fromkeys("\u00d7\u00b7\u22c5\u2217", "*"),
    "\u00f7": "/",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2260": "!=",
    "\u2192": ">>",
    "\u21d2": ">>",
    "\u00b2": "**2",
    "\u00b3": "**3",
    "\u221a": "sqrt(x)",
    "\u221e": "inf",
    "\u2202": "dy_dx",
}
_ANY = "rule files have Python's syntax: docs/rules.md writes six rules"

#: Of the line, of the message, the hint: the first that fits.
_HINTS = (
    (r"^\s*(//|/\*|--|;)", "", "a comment begins with #"),
    (r"^\s*d\w*\s*/\s*d\w*\s*=|^\s*\w+'+\s*=", "", "a partial is written dy_dx = …"),
    (r"&&|\|\|", "", "conditions are joined by and, or"),
    (r"\bif\b.*(=>|=<)", "", "comparisons are written >= and <="),
    (r">>.*\bif\b", "", "a condition stands before: if x >= 0: lhs >> rhs"),
    (r"\bif\b.*[^=!<>]=[^=]", "Maybe you meant '=='", "equality is written =="),
    (r"\bif\b.*:\s*$", "expected an indented block", "write it in one line: if x >= 0: lhs >> rhs"),
    (r"", "expected 'else'", "a choice is written a if c else b"),
    (r"^\s*(def|if)\b", "expected ':'", "a block begins with def f(x) -> y: and ends its line so"),
    (r"", "indent|unindent|tabs", "the lines of a block begin in one column: four spaces each"),
    (r"", "too many nested", "name parts of the expression in locals: r = x * x"),
    (r"", "was never closed", "write the bracket that closes it"),
    (r"", "unmatched|does not match", "remove it, or write the bracket that opens it"),
    (r"", "unterminated", "a text ends with the quotes that it begins with"),
    (r"\d[A-Za-z_]", "invalid decimal literal", "a product is written with its sign: 2 * x"),
    (r"[\w)]\s+[\w(]", "forgot a comma", "write what is done with both: x * y"),
    (r"^(?!\s*def\b)(?!.*>>).*(->|=>|:=|<=>|<->)", "", "a rewrite is written lhs >> rhs"),
    (r"^(?!\s*def\b)(?!.*>>)", "cannot assign", "a rewrite is written lhs >> rhs"),
)


def advice(line: str, message: str) -> str:
    """The hint.

    >>> advice("    y = 2x", "invalid decimal literal")
    'a product is written with its sign: 2 * x'
    >>> advice("    y = x \u2212 1", "invalid character '\u2212' (U+2212)")
    'write -'
    """
    code = re.search(r"\(?U\+([0-9A-F]{4,6})\)?", message)
    if code is not None:
        typed = _TYPED.get(chr(int(code[1], 16)))
        unseen = "non-printable" in message
        instead = (
            "delete it: it cannot be seen" if unseen else "letters and signs are those of ASCII"
        )
        return instead if typed is None else f"write {typed}"
    fits = (hint for at, why, hint in _HINTS if re.search(at, line) and re.search(why, message))
    return next(fits, _ANY)
