"""Pictures of the examples: PNG files, where matplotlib (the `examples` extra) is installed."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np


def save(pictures: Mapping[str, np.ndarray], folder: Path) -> bool:
    """Write `NAME.png` for each, black at 0 and white at 1; False without matplotlib."""
    try:
        from matplotlib.image import imsave
    except ImportError:
        return False
    for name, picture in pictures.items():
        imsave(folder / f"{name}.png", np.clip(picture, 0.0, 1.0), cmap="gray", vmin=0, vmax=1)
    return True
