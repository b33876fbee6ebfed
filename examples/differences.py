"""Central differences in float64: the judge of the examples."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from egad import derive


def central_differences(
    f: Callable[..., Any], at: Mapping[str, Any], wrt: Sequence[str]
) -> dict[str, np.ndarray]:
    """df/dp for the parameters `wrt`, each as an array of shape (*result, *parameter)."""
    value = derive(f, mode="primal", dtype="float64", optimize="fast")
    at = {name: np.asarray(v, dtype=float) for name, v in at.items()}
    return {name: _by(value, at, name) for name in wrt}


