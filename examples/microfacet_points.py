"""Input for the microfacet example: random materials, seen and lit from above the surface."""

import numpy as np


def points(count: int) -> dict[str, np.ndarray]:
    """Materials with directions in which no `max` of the BRDF is at its kink."""
    draw = np.random.default_rng(1).uniform
    directions = np.ones((3, count, 3))
    directions[..., :2] = draw(-0.4, 0.4, (3, count, 2))
    normal, view, light = directions / np.linalg.norm(directions, axis=-1, keepdims=True)
    base_color, seen = draw(0.1, 0.9, (2, count, 3))
    return {
        "base_color": base_color,
        "metallic": draw(0.0, 1.0, count),
        "roughness": draw(0.2, 0.9, count),
        "normal": normal,
        "view": view,
        "light": light,
        "seen": seen,
    }
