"""Slang's walk-through of automatic differentiation, a·x², in egad."""

import numpy as np

from egad import derive, diff_pair


def my_func(a: float, x: float) -> float:
    return a * x * x


# Forward: a value and its tangent go in as a pair, and a pair comes out.
fwd = derive(my_func, mode="fwd")
pair = fwd(diff_pair(2.0, 0.0), diff_pair(3.0, 1.0))
print(f"forward, along x       {pair}")
assert pair.p == 18.0 and pair.d == 12.0

# Backward: the cotangent of the result goes in, one gradient per parameter comes out.
bwd = derive(my_func, mode="bwd")
gradients = bwd(2.0, 3.0, 1.0)
print(f"backward               {gradients}")
assert gradients.a == 9.0 and gradients.x == 12.0

# Arrays broadcast as in NumPy; the whole array is one kernel launch.
x = np.linspace(0.0, 3.0, 7)
over_arrays = bwd(np.full(7, 2.0), x, np.ones(7))
print(f"backward, seven points {over_arrays.x}")
assert np.allclose(over_arrays.a, x * x) and np.allclose(over_arrays.x, 4.0 * x)

# A number beside arrays is one value for all items: its gradient is the sum over them.
shared = bwd(2.0, x, np.ones(7))
print(f"one a for all points   a={shared.a} (the sum of x²)")
assert np.isclose(shared.a, (x * x).sum())

# A derived object can be derived again: here the gradient's own derivative along x.
second = derive(bwd, mode="fwd")
along_x = second(2.0, diff_pair(3.0, 1.0), 1.0)
print(f"forward over backward  {along_x}")
assert [pair.p for pair in along_x] == [9.0, 12.0]  # x², 2ax
assert [pair.d for pair in along_x] == [6.0, 4.0]  # 2x, 2a

hessian = derive(my_func, mode="hessian")(2.0, 3.0)
print(f"all second derivatives {hessian}")
assert hessian.x.x == 4.0 and hessian.a.x == hessian.x.a == 6.0 and hessian.a.a == 0.0

# In double precision, against central differences.
exact = derive(my_func, mode="bwd", dtype="float64")(2.0, 3.0, 1.0)
h = 1e-5
difference = (my_func(2.0, 3.0 + h) - my_func(2.0, 3.0 - h)) / (2 * h)
print(f"float64 {exact.x}, central difference {difference:.9f}")
assert abs(exact.x - difference) < 1e-8

print("\nThe kernel of the backward derivative:\n")
print(bwd.source)
