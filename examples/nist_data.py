"""NIST's reference problems of nonlinear least squares (StRD), from their `.dat` files.

https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sympy

FOLDER = Path(__file__).parent / "data" / "nist"


@dataclass(frozen=True)
class Problem:
    """A model with its data, two starts, and the certified solution."""

    name: str
    model: sympy.Expr  # the right side
    response: np.ndarray  # the left side: y, or log(y)
    predictors: dict[str, np.ndarray]
    names: list[str]  # of the parameters
    starts: np.ndarray  # (2, parameters)
    certified: np.ndarray
    rss: float  # the certified residual sum of squares


def equation(text: str) -> tuple[sympy.Expr, sympy.Expr]:
    """Left and right side of the model, which may run over several lines and ends in `+ e`."""
    lines = [line.strip() for line in text.splitlines()]
    first = next(i for i, line in enumerate(lines) if re.match(r"(y|log\[y\])\s*=", line))
    written = " ".join(lines[first:]).translate(str.maketrans("[]", "()"))
    left, right = re.sub(r"\+\s*e\s*$", "", written.strip()).split("=")
    words = {"arctan": sympy.atan, "pi": sympy.pi}
    words |= {name: sympy.Symbol(name, real=True) for name in re.findall(r"[bxy]\d*\b", written)}
    return tuple(sympy.parse_expr(side.strip(), words) for side in (left, right))


def read(path: Path) -> Problem:
    """Model, data, starts and certified values, from the file as NIST gives it out."""
    text = path.read_text()
    left, right = equation(re.search(r"^Model:(.*?)Starting", text, re.M | re.S)[1])
    number = r"\s+([-+.\dE]+)"
    rows = re.findall(rf"^\s*(b\d+)\s*={number}{number}{number}", text, re.M)
    values = np.array([row[1:] for row in rows], dtype=float).T
    header = list(re.finditer(r"^Data:((?:\s+[xy]\d*)+)\s*$", text, re.M))[-1]
    table = np.loadtxt(text[header.end() :].splitlines(), unpack=True)
    data = dict(zip(header[1].split(), table, strict=True))
    y = data.pop("y")
    response = np.log(y) if left.has(sympy.log) else y
    rss = float(re.search(r"Sum of Squares:\s+(\S+)", text)[1])
    names = [row[0] for row in rows]
    return Problem(path.stem, right, response, data, names, values[:2], values[2], rss)
