"""The exponential of a matrix, `scipy.linalg.expm`, written for the reader, which reads it.

    exp(A) = exp(A / 2**s)**(2**s)

The series is taken where the norm is at most a half, as long as 53 bits need it; then it is squared
s times, and derivatives pass through the squares. Source: C. Moler and C. Van Loan, Nineteen
dubious ways to compute the exponential of a matrix, 2003, method 3.
"""
# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from math import factorial
from typing import Any

from ...marks import detach, max_iters
from .eliminating import check_square

_TERMS = 16  # 0.5**16 / 16! is 2**-60
_SQUARES = 64  # a larger norm gives NaN


def expm(A):
    """With squares of the series in fours, which takes six products of matrices."""
    import numpy as np

    check_square(A)
    a = np.array(A) * 1.0
    size: Any = detach(np.linalg.norm(a, 1))
    squares = int(np.ceil(np.log2(min(max(size, 0.5), 2.0**_SQUARES)))) + 1
    a = a * (2.0**-squares if size <= 2.0 ** (_SQUARES - 1) else np.nan)
    powers: list[Any] = [np.eye(len(a)), a, a @ a]
    powers += [powers[2] @ a, powers[2] @ powers[2]]
    fours: list[Any] = [
        sum(powers[j] / factorial(k + j) for j in range(4)) for k in range(0, _TERMS, 4)
    ]
    found = fours[3]
    for four in fours[2::-1]:
        found = four + powers[4] @ found
    max_iters(_SQUARES)
    for _ in range(squares):
        found = found @ found
    return found
