"""What programs cost in the weights of the stored comparison with other tools."""

from __future__ import annotations

from collections.abc import Mapping

WEIGHTS: Mapping[str, float] = {
    **dict.fromkeys(
        ("add", "sub", "mul", "neg", "min", "max", "select", "abs", "sign", "copysign"), 1
    ),
    **dict.fromkeys(("floor", "ceil", "trunc", "rint"), 1),
    **dict.fromkeys(("lt", "le", "gt", "ge", "eq", "ne"), 0.5),
    **dict.fromkeys(("logical_and", "logical_or", "logical_not"), 0.5),
    "fma": 2,
    "clamp": 2,
    "min_max": 2,
    **dict.fromkeys(("div", "rcp", "sqrt", "fmod"), 8),
    "hypot": 16,
    "rsqrt": 16,  # a square root and a division
    **dict.fromkeys(("exp", "log"), 15),
    **dict.fromkeys(("sin", "cos"), 20),
    "sincos": 24,
    **dict.fromkeys(("log1p", "expm1"), 15),
    **dict.fromkeys(("tanh", "sinh", "cosh", "tan", "erf", "erfc"), 25),
    **dict.fromkeys(("asinh", "acosh", "atanh"), 25),
    **dict.fromkeys(("asin", "acos", "atan"), 30),
    "atan2": 30,  # as charged to CasADi and wrenfold for se3_between
    "cbrt": 20,
    "pow": 40,
}


def weighted(counts: Mapping[str, int]) -> float:
    """The weighted cost of operators counted by name.

    >>> weighted({"mul": 3, "div": 1, "gt": 1})
    11.5
    """
    unknown = [op for op in counts if op not in WEIGHTS]
    if unknown:
        raise KeyError(f"bench/costs.py has no weight for {', '.join(unknown)}")
    return sum(WEIGHTS[op] * count for op, count in counts.items())
