"""What Python and NumPy do not do with complex numbers, and what is not read."""

import numpy as np


def an_order_of_complex_numbers(x: float):
    return 1.0 if 1j * x > 0 else 0.0


def a_complex_number_as_a_real_one(x: float):
    return float(x + 1j)


def largest_of_complex_numbers(x: float):
    return np.max(np.array([x, 1j]))


def complex_element_of_an_array_of_reals(x: float):
    a = np.array([x, 1.0])
    a[0] = 1j
    return a[0]


def real_before_a_long_loop(x: float):
    t = 0.0
    for k in range(1000):
        t += np.exp(1j * x * k)
    return abs(t)


def part_of_a_transform(x: float):
    return np.fft.fft(np.array([x, 1.0, 2.0]), 2)[0].real


def root_of_a_negative_number(x: float):
    return x * (-8.0) ** (1 / 3)
