"""The judge of the examples: central differences of the function, run as plain Python.

Called with numbers, a function that egad reads is an ordinary Python function in float64.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from egad import float2, float3

VECTORS = {2: float2, 3: float3}


def central_difference(
    f: Callable[..., Any], at: Mapping[str, Any], name: str, step: float = 1e-4
) -> np.ndarray:
    """df/d(at[name]) to fourth order: (8 (f₊₁ - f₋₁) - (f₊₂ - f₋₂)) / 12h."""
    value = np.asarray(at[name], dtype=float)
    h = step * max(1.0, np.abs(value).max())

    def moved(by: np.ndarray) -> np.ndarray:
        there = {**at, name: value + by}
        return np.array(f(**{key: _argument(v) for key, v in there.items()}), dtype=float)

    columns = []
    for unit in np.eye(value.size).reshape(value.size, *value.shape):
        near = moved(h * unit) - moved(-h * unit)
        far = moved(2 * h * unit) - moved(-2 * h * unit)
        columns.append((8 * near - far) / (12 * h))
    return np.stack(columns, axis=-1).reshape(columns[0].shape + value.shape)


def _argument(value: Any) -> Any:
    return VECTORS[len(value)](*map(float, value)) if np.ndim(value) else float(value)


def check(
    f: Callable[..., Any],
    at: Mapping[str, Any],
    derivatives: Mapping[str, Any],
    tolerance: float = 1e-8,
    items: int = 10,
) -> None:
    """Print, and hold below `tolerance`, the error of each derivative at the first items.

    The error is relative to the largest entry of the derivative, so that entries near zero
    are not judged by the rounding of the differences.
    """
    for name, derivative in derivatives.items():
        expected = np.stack(
            [central_difference(f, {k: v[i] for k, v in at.items()}, name) for i in range(items)]
        )
        error = np.abs(derivative[:items] - expected).max() / np.abs(expected).max()
        print(f"  d/d {name:<12} differs from central differences by {error:.1e}")
        assert error < tolerance, (name, error)
