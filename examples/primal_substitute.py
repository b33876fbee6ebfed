"""A primal substitute: a hard edge in pictures, a soft one wherever derivatives are taken."""

import numpy as np

from egad import derive, exp, primal_substitute_of, step

SOFTNESS = 0.05


def inside(distance: float) -> float:
    """1 inside of the shape, 0 outside: exact, and its derivative is zero everywhere."""
    return step(0.0, -distance)


@primal_substitute_of(inside)
def inside_softly(distance: float) -> float:
    return 1.0 / (1.0 + exp(distance / SOFTNESS))


def loss(radius: float, r: float, seen: float) -> float:
    """Squared difference of a pixel at distance r from the centre of a disc, and a picture."""
    return (inside(r - radius) - seen) ** 2


def soft_loss(radius: float, r: float, seen: float) -> float:
    return (inside_softly(r - radius) - seen) ** 2


# The function itself keeps its hard edge …
r = np.linspace(0.0, 1.0, 201)
picture = derive(loss, mode="primal")(0.4, r, 0.0)
assert set(np.unique(picture)) == {0.0, 1.0}

# … while derived programs compute with the soft one, value and derivative alike.
gradient = derive(loss, mode="value_and_grad", wrt="radius", dtype="float64")
print(gradient.explain().split("  derivative rules")[0])
value, grads = gradient(0.4, r, 0.0)
h = 1e-5
soft = derive(soft_loss, mode="primal", dtype="float64")
difference = ((soft(0.4 + h, r, 0.0) - soft(0.4 - h, r, 0.0)) / (2 * h)).sum()
print(f"d loss / d radius = {grads.radius:.9f}, by differences of the soft edge {difference:.9f}")
assert abs(grads.radius - difference) < 1e-6

# So gradient descent finds the radius of a disc, which no derivative of the hard edge could.
seen = (r < 0.7).astype(float)
radius = 0.4
for _ in range(50):
    radius -= 0.0002 * gradient(radius, r, seen)[1].radius
print(f"radius found: {radius:.3f}")
assert abs(radius - 0.7) < 0.01
