"""A strip of cloth falls for 100 steps: where its end comes to rest, by where it began."""

import numpy as np

from egad import Array, derive, float3, length, struct

ROWS, COLUMNS, STEPS, H = 3, 2, 100, 0.01
COUNT = ROWS * COLUMNS
GRAVITY, DAMPING, MASS, SPACING = float3(0.0, -9.81, 0.0), 0.4, 0.1, 0.3
GRID = [divmod(k, COLUMNS) for k in range(COUNT)]
# Along the rows, along the columns and across: pairs of particles, and how far they are at rest.
SPRINGS = tuple(
    (a, b, SPACING * float(np.hypot(GRID[a][0] - GRID[b][0], GRID[a][1] - GRID[b][1])))
    for a in range(COUNT)
    for b in range(a + 1, COUNT)
    if max(abs(GRID[a][0] - GRID[b][0]), abs(GRID[a][1] - GRID[b][1])) == 1
)


@struct
class Cloth:
    at: Array[float3, COUNT]
    velocity: Array[float3, COUNT]

    def pull(self, a: int, b: int, rest: float, stiffness: float) -> None:
        """A spring between two particles changes their velocities."""
        apart = self.at[b] - self.at[a]
        far = length(apart)
        impulse = apart * (stiffness * (far - rest) / far * H / MASS)
        self.velocity[a] = self.velocity[a] + impulse
        self.velocity[b] = self.velocity[b] - impulse

    def step(self, stiffness: float) -> None:
        """One step of semi-implicit Euler; the first row is held."""
        for a, b, rest in SPRINGS:
            self.pull(a, b, rest, stiffness)
        for k in range(COLUMNS, COUNT):
            self.velocity[k] = self.velocity[k] * (1.0 - DAMPING * H) + GRAVITY * H
            self.at[k] = self.at[k] + self.velocity[k] * H


def fall(at: Array[float3, COUNT], velocity: Array[float3, COUNT], stiffness: float) -> float3:
    """Where the last corner is after all steps."""
    cloth = Cloth(at, velocity)
    for _ in range(STEPS):
        cloth.step(stiffness)
    return cloth.at[COUNT - 1]


if __name__ == "__main__":
    primal = derive(fall, "primal", dtype="float64")
    gradient = derive(fall, "bwd", dtype="float64")
    print(gradient.explain().split("  derivative rules")[0])

    at = SPACING * np.array([[column, 0.0, row] for row, column in GRID])
    velocity, stiffness = np.zeros((COUNT, 3)), 200.0
    start = np.array([*at.ravel(), *velocity.ravel(), stiffness])

    def corner(starts: np.ndarray) -> np.ndarray:
        """The end of each start, all in one launch."""
        places, speeds, stiff = np.split(starts, [3 * COUNT, 6 * COUNT], axis=-1)
        shape = (*starts.shape[:-1], COUNT, 3)
        return primal(places.reshape(shape), speeds.reshape(shape), stiff[..., 0])

    end = corner(start)
    print(f"the corner falls from {at[-1]} to {end.round(4)}")
    height = gradient(at, velocity, stiffness, [0.0, 1.0, 0.0])
    print("its height, by where each particle began, and by how fast:")
    for k, (place, speed) in enumerate(zip(height.at, height.velocity, strict=True)):
        shown = "  ".join(f"{v:+8.4f}" for v in (*place, *speed))
        print(f"  {k}{' held' if k < COLUMNS else '     '} {shown}")
    print(f"  by the stiffness: {height.stiffness:+.3e}")

    found = np.array([*height.at.ravel(), *height.velocity.ravel(), height.stiffness])
    h = 1e-6 * np.maximum(1.0, np.abs(start))
    ends = [corner(start + step)[:, 1] for step in (np.diag(h), -np.diag(h))]
    error = np.abs(found - (ends[0] - ends[1]) / (2 * h)).max() / np.abs(found).max()
    print(f"differs from central differences by {error:.1e}")
    assert error < 1e-7, error
    # A cloth that begins one metre higher ends one metre higher, and no further left or right.
    np.testing.assert_allclose(height.at.sum(axis=0), [0.0, 1.0, 0.0], atol=1e-10)
