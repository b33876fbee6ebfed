"""Elements of arrays where a condition holds that only the kernel knows.

Every public function takes two real numbers, gives an array; Python runs them too.
"""

import numpy as np


def _four(a, b):
    return np.array([a, b, a * b, -a])


def one_number_for_all(a, b):
    v = _four(a, b)
    v[v > 1] = 0
    v[np.isnan(v)] = 0
    v[v < -1] *= 2.0
    return v


def elements_of_another_array(a, b):
    v, w = _four(a, b), np.arange(4.0) * b
    m = v > 0
    v[m] = w[m]
    v[m] += 2 * w[m] - v[m] ** 2
    return v


def functions_where_they_are_defined(a, b):
    v = _four(a, b)
    m = v > 0
    r = np.zeros(4)
    r[m] = np.log(v[m]) + 1 / v[m]
    r[~m] = np.exp(v[~m]) * np.clip(v[~m], -1.5, 0)
    return r


def rows(a, b):
    v = _four(a, b).reshape(2, 2)
    v[v[:, 1] > 0] *= b
    v[v[:, 0] > 1] = a * b
    return v


def sums_and_extremes(a, b):
    v = _four(a, b).reshape(2, 2)
    p = v[v > 0]
    small = v[v < 1]
    means = [p.mean(), np.mean(small), (p * p).sum() / len(p), p.size * a, np.linalg.norm(p)]
    return np.array([p.max(), p.min(), p.prod(), sum(p), max(p), np.max(np.abs(small)), *means])


def as_it_was(a, b):
    v = _four(a, b)
    m = v > 0
    x = v[m]
    v[0] = 99.0 * b
    v[m] = x * 2
    return v


def truths(a, b):
    v = _four(a, b)
    found = np.any(v[v < 1] > 0), np.all(v[v > -9] < 5), any(v[v > 0] > 1.5)
    return np.array([a if found[0] else b, b if found[1] else a, a * b if found[2] else 0.0])


def in_loops(a, b):
    v, total = _four(a, b), 0.0
    for i in range(6):
        v[v > 1] *= 0.5
        total += (v[v > 0] * i).sum()
    return np.append(v, total)
