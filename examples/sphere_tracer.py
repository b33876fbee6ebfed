"""A sphere tracer over blended spheres, and the gradient of an image: a lost sphere comes back.

Run as `python examples/sphere_tracer.py [FOLDER]`; pictures go there if matplotlib is installed.
"""

import sys
from pathlib import Path

import numpy as np
from pictures import save
from scipy.optimize import minimize

from egad import Array, bwd_diff, derive, dot, exp, float2, float3  # isort: skip
from egad import force_unroll, length, lerp, normalize, saturate, struct  # isort: skip

COUNT, STEPS, FAR = 3, 64, 6.0
BLEND, SHARPNESS, SKY = 0.25, 25.0, 0.05
LIGHT = normalize(float3(1.0, 1.5, -2.0))
CENTERS, RADII = np.array([[-0.6, 0.1, 0], [0.5, 0.4, 0.2], [0.2, -0.5, -0.3]]), (0.6, 0.5, 0.4)
LOST = 2  # which sphere is out of place


@struct
class Ray:
    origin: float3
    direction: float3

    def at(self, t: float) -> float3:
        return self.origin + self.direction * t


def distance_to(p: float3, centers: Array[float3, COUNT], radii: Array[float, COUNT]) -> float:
    """The distance to the spheres, blended into each other by a smooth minimum."""
    nearest = FAR
    for i in force_unroll(range(COUNT)):
        distance = length(p - centers[i]) - radii[i]
        h = saturate(0.5 + 0.5 * (nearest - distance) / BLEND)
        nearest = lerp(nearest, distance, h) - BLEND * h * (1.0 - h)
    return nearest


def brightness(uv: float2, centers: Array[float3, COUNT], radii: Array[float, COUNT]) -> float:
    """A pixel: Lambert's law where its ray hits, fading into the sky where it passes by."""
    ray = Ray(float3(0.0, 0.0, -3.0), normalize(float3(uv.x, uv.y, 1.5)))
    t, closest = 0.0, FAR
    for _ in range(STEPS):
        distance = distance_to(ray.at(t), centers, radii)
        closest = min(closest, distance)
        if distance < 1e-4 or t > FAR:
            break
        t = t + distance
    normal, _, _ = bwd_diff(distance_to)(ray.at(t), centers, radii, 1.0)
    lit = 0.1 + 0.9 * max(dot(normalize(normal), LIGHT), 0.0)
    return lerp(SKY, lit, exp(-SHARPNESS * max(closest, 0.0)))


def loss(uv: float2, centers: Array[float3, COUNT], radii: Array[float, COUNT], seen: float):
    return (brightness(uv, centers, radii) - seen) ** 2


def moved(center: np.ndarray) -> np.ndarray:
    return np.where(np.arange(COUNT)[:, None] == LOST, center, CENTERS)


if __name__ == "__main__":
    render = derive(brightness, "primal", dtype="float64")
    value = derive(loss, "primal", dtype="float64")
    gradient = derive(loss, "value_and_grad", wrt="centers", dtype="float64")
    y, x = np.mgrid[1:-1:96j, -1:1:96j]
    uv = np.stack([x, y], axis=-1)
    target = render(uv, CENTERS, RADII)
    start = CENTERS[LOST] + [0.35, -0.25, 0.3]

    # A scene for each pixel gives a gradient for each: held against differences.
    some, seen = uv[::7, ::7], target[::7, ::7]
    each = gradient(some, np.broadcast_to(moved(start), (14, 14, COUNT, 3)), RADII, seen)[1]
    for axis, h in zip("xyz", 1e-6 * np.eye(3), strict=True):
        ends = [value(some, moved(start + step), RADII, seen) for step in (h, -h)]
        slopes = each.centers[..., LOST, "xyz".index(axis)]
        error = np.abs(slopes - (ends[0] - ends[1]) / 2e-6).max() / np.abs(slopes).max()
        print(f"  d/d {axis} of {some.size // 2} pixels differs from differences by {error:.1e}")
        assert error < 1e-6, (axis, error)

    # One scene for all pixels: its gradient is summed over the image, in the same launch.
    path = []

    def image_loss(center: np.ndarray) -> tuple[float, np.ndarray]:
        losses, slopes = gradient(uv, moved(center), RADII, target)
        path.append((losses.mean(), *center))
        return losses.mean(), slopes.centers[LOST] / losses.size

    found = minimize(image_loss, start, jac=True, method="L-BFGS-B", tol=1e-12)
    print(f"{'launch':>6} {'loss':>8}   center of the lost sphere")
    for launch in (*range(0, len(path) - 1, 5), len(path) - 1):
        shown, *center = path[launch]
        print(f"{launch:6} {shown:8.1e}   " + "  ".join(f"{c:+.4f}" for c in center))
    assert found.fun < 1e-8 * path[0][0], found
    assert np.abs(found.x - CENTERS[LOST]).max() < 1e-4, found.x
    before, after = (render(uv, moved(center), RADII) for center in (start, found.x))
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    save({"before": before, "target": target, "after": after}, folder)
