"""The Jacobian of a reprojection error, as bundle adjustment needs it for every observation."""

import numpy as np
from differences import check

from egad import cos, cross, derive, dot, float2, float3, sin, sqrt


def rotate(r: float3, p: float3) -> float3:
    """Rodrigues: p turned by the angle |r| about the axis r/|r|."""
    angle2 = dot(r, r)
    if angle2 == 0.0:
        return p + cross(r, p)  # to first order, which is all that a derivative sees
    angle = sqrt(angle2)
    axis, c = r / angle, cos(angle)
    return p * c + cross(axis, p) * sin(angle) + axis * (dot(axis, p) * (1.0 - c))


def residual(
    rotation: float3, translation: float3, focal: float, distortion: float2,
    point: float3, seen: float2,
) -> float2:  # fmt: skip
    """Where a camera with radial distortion sees a point, less where it was seen (pixels)."""
    p = rotate(rotation, point) + translation
    image = p.xy / p.z
    r2 = dot(image, image)
    return focal * (1.0 + r2 * (distortion.x + distortion.y * r2)) * image - seen


CAMERA_AND_POINT = ("rotation", "translation", "focal", "distortion", "point")


def observations(count: int) -> dict[str, np.ndarray]:
    """Points in front of cameras; the first camera is not rotated at all."""
    draw = np.random.default_rng(2).uniform
    rotation, offset = draw(-0.5, 0.5, (2, count, 3))
    rotation[0] = 0.0
    return {
        "rotation": rotation,
        "translation": offset + np.array([0.0, 0.0, 5.0]),
        "focal": draw(400.0, 600.0, count),
        "distortion": draw(-0.1, 0.1, (count, 2)),
        "point": draw(-1.0, 1.0, (count, 3)),
        "seen": draw(-100.0, 100.0, (count, 2)),
    }


if __name__ == "__main__":
    at = observations(10_000)
    jacobian = derive(residual, mode="jacobian", wrt=CAMERA_AND_POINT, dtype="float64")
    blocks = jacobian(**at)
    print(f"cost {jacobian.report.cost_before:g} -> {jacobian.report.cost_after:g}")
    print("2 x 12 Jacobians of 10,000 observations in one launch:")
    for name, block in blocks.items():
        print(f"  {name:<12} {block.shape}")
        assert np.isfinite(block).all()
    check(residual, at, dict(blocks.items()))
