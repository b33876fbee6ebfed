"""Programs that say more to NumPy's functions than which array: `out`, `where`, `dtype`, methods.

`x` and `y` have six elements, `m` is 3 by 6, `s` is a number.
"""

import math

import numpy as np

from egad import Array

Six = Array[float, 6]
Rows = Array[Array[float, 6], 3]


# --- out ------------------------------------------------------------------------------------


def what_is_computed_goes_into_an_array(x: Six, y: Six, s: float):
    r, t = np.empty(6), np.zeros(6)
    np.cumsum(x, out=r)
    np.cumprod(y, 0, None, t)
    return r * t + s


def products_go_into_an_array(x: Six, m: Rows, s: float):
    r, t = np.zeros(3), np.zeros(3)
    np.dot(m, x, out=r)
    np.matmul(m, x * s, out=t)
    same = np.dot(m, x + 1, r)
    return r * t + same


def sums_go_into_an_array(x: Six, m: Rows, s: float):
    r, t = np.zeros(6), np.zeros(3)
    np.sum(m, axis=0, out=r)
    m.mean(axis=1, out=t)
    m.max(1, t[:])
    return r * s + t.sum()


def what_is_put_together_goes_into_an_array(x: Six, y: Six, s: float):
    r, t = np.empty(12), np.zeros((2, 6))
    np.concatenate([x, y], 0, r)
    np.stack([x, y], out=t)
    np.clip(x, 0.0, s, out=x)
    np.round(r[:6] + 0.013, 1, out=r[:6])
    return r.reshape(2, 6) * t + x


def results_go_into_a_third_array(x: Six, y: Six, s: float):
    r, t = np.full(6, 2.0), np.zeros(6)
    np.multiply(x, y, t)
    np.exp(t, out=r, where=x > 0)
    np.negative(r, r)
    return r + t * s


# --- copy -----------------------------------------------------------------------------------


def copies_that_are_none(x: Six, y: Six, s: float):
    x.astype(float, copy=False)[0] = s
    np.asarray(x, dtype=float)[1] = 2.0 * s
    np.array(x, copy=None)[2] = 3.0
    np.ascontiguousarray(y)[3] = s
    return x * y


def copies_that_are_some(x: Six, y: Six, s: float):
    whole = x.astype(int, copy=False)
    whole[0] = 5
    x.astype(float)[0] = s
    np.asarray(y, dtype=int)[1] = 7
    np.array(y)[2] = s
    return x * y + whole


def holes_are_filled_in_place(x: Six, y: Six, s: float):
    x[0] = np.nan
    same = np.nan_to_num(x, copy=False, nan=2.0)
    same[1] = s
    return x * y


# --- where, initial, dtype ------------------------------------------------------------------


def sums_of_some(x: Six, m: Rows, s: float):
    return np.sum(x, where=x > 0) + np.sum(m, 0, where=m > 0.1) + x.prod(where=x < s, initial=s)


def extremes_of_some(x: Six, m: Rows, s: float):
    low = np.min(m, axis=0, where=m > 0, initial=9.0)
    return low + np.max(x, where=[True, False] * 3, initial=s) + m.max(initial=-7.0)


def averages_of_some(x: Six, m: Rows, s: float):
    there = m > m.min()
    return np.mean(m, axis=0, where=there) + np.var(m, axis=0, ddof=0.5, where=there) * s


def spreads_of_some(x: Six, m: Rows, s: float):
    there = np.abs(m) < np.max(np.abs(m))
    return np.std(m, where=there) + np.std(m, axis=0, mean=m.mean(axis=0, keepdims=True)) * s


def conditions_of_some(x: Six, m: Rows, s: float):
    return x * np.any(m > 1.0, axis=0, where=m < 1.2) + np.all(m > 0.0, where=m > 0.0) * s


def numbers_of_a_type(x: Six, m: Rows, s: float):
    return np.sum(m, axis=0, dtype=float) * np.mean(x, dtype=np.float64) + np.sum(
        4 * x + 0.013, dtype=int
    )


def some_are_no_numbers(x: Six, m: Rows, s: float):
    holes = np.where(m > m.min(), m, np.nan)
    return np.nanstd(holes, axis=0, ddof=0.5) + np.nanvar(holes) + np.nancumsum(holes)[5] * s


def places_keep_their_dimensions(x: Six, m: Rows, s: float):
    return m * np.argmax(m, axis=1, keepdims=True) + np.median(m, axis=0, keepdims=True) * s


# --- statistics and samples -----------------------------------------------------------------


def sorted_in_every_way(x: Six, m: Rows, s: float):
    stable, flat = np.sort(m, kind="stable"), np.sort(m, None)
    x.sort(kind="quicksort")
    return np.sort(m, -1, None) * stable + np.sort(m * s, 0, "mergesort") + x * flat[3:9]


def quantiles_of_rows(x: Six, m: Rows, s: float):
    some = np.quantile(m, [0.25, 0.7], axis=0)
    return some[0] * some[1] + np.percentile(m, 30) + np.quantile(m, 0.4, axis=1, keepdims=True)[1]


def quantiles_by_method(x: Six, y: Six, s: float):
    found = [np.quantile(x, 0.33, method=how) for how in ("lower", "higher", "midpoint")]
    return np.array(found) * s + np.percentile(y, 40, method="higher")


def slopes_of_an_image(x: Six, m: Rows, s: float):
    down, right = np.gradient(m)
    return np.sqrt(down**2 + right**2 + 0.1) + np.gradient(m, s + 2.0, axis=0) * down


def slopes_at_the_ends(x: Six, y: Six, s: float):
    at = np.cumsum(np.abs(y) + 0.2)
    return np.gradient(x, at, edge_order=2) + np.gradient(x, 0.5, edge_order=2) * s


def slopes_of_two_steps(x: Six, m: Rows, s: float):
    down, right = np.gradient(m, 0.5, [0.0, 1.0, 3.0, 4.0, 4.5, 6.0], edge_order=2)
    return down * right


def integrals_of_rows(x: Six, m: Rows, s: float):
    by_rows = np.trapezoid(m, np.cumsum(np.abs(x) + 0.1))
    return by_rows[:, None] * np.trapezoid(m, dx=s, axis=0) + np.trapezoid(m)[1]


def covariances(x: Six, m: Rows, s: float):
    return np.cov(m) + np.cov(x, m[0], bias=True)[0, 1] * s + np.cov(x) + np.corrcoef(m)


def closeness(x: Six, y: Six, s: float):
    near = np.isclose(x, y, atol=1.0)
    return np.where(near, x, y) + np.allclose(x, x * (1 + 1e-9)) * s + np.array_equal(x, x) * y


def polynomials_of_arrays(x: Six, y: Six, s: float):
    return np.polyval([s, 2.0, 1.0], x) + np.polyval(y, 0.5) + np.sinc(x)


def powers_as_norms(x: Six, m: Rows, s: float):
    by_rows = np.linalg.norm(m, 3, axis=1)
    return by_rows * np.linalg.norm(x, 1.5) + np.linalg.norm(x, -np.inf) * s


def scales(x: Six, y: Six, s: float):
    return np.geomspace(1.0, s + 1.0, 6) * x + np.logspace(0.0, s, 6, base=2.0) * y


# --- one after the other --------------------------------------------------------------------


def flat_arrays(x: Six, m: Rows, s: float):
    m.T.flat[4] = s
    total = 0.0
    for k, v in enumerate(m.flat):
        total += k * v * v
    return m * total + m.flat[3]


def places_of_flat_arrays(x: Six, m: Rows, s: float):
    np.put(m, [1, 8, 17], [s, 2.0 * s])
    np.put(x, [0, 3], 1.5)
    return m + x


def ellipses_for_nothing(x: Six, m: Rows, s: float):
    x[..., 1] = s
    m[..., 0, 2] *= 3.0
    return m * x[..., 0] + m[1, ..., 2] + np.squeeze(m[:1, :1])


def one_number_of_an_array(x: Six, m: Rows, s: float):
    return m.sum().item() * x + np.mean(m).item()


@np.vectorize
def leaky(v):
    return 2.0 * v if v > 0 else 0.1 * v


def functions_at_each_element(x: Six, m: Rows, s: float):
    larger = np.vectorize(lambda a, b: a * a if a > b else b, otypes=[float])
    return larger(m, s) + leaky(x) + np.vectorize(math.sin)(m) + leaky(s)


def functions_of_places(x: Six, m: Rows, s: float):
    return np.fromfunction(lambda i, j: i * s + j * x[0], (3, 6)) + m
