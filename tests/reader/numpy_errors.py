"""What arrays of NumPy cannot do here: each has a place, a reason, and what to write instead."""

import math

import numpy as np

from egad import Array, float3, inverse

Six = Array[float, 6]
Rows = Array[Array[float, 6], 3]
WEIGHTS = np.arange(6.0)
WIDE = np.zeros((90, 90))


def shapes_that_do_not_fit(x: Six, m: Rows):
    return x[1:] + x


def rows_that_do_not_fit(x: Six, m: Rows):
    return m.T * x


def product_that_does_not_exist(x: Six, m: Rows):
    return x @ m


def larger_in_place(x: Six, m: Rows):
    x += m


def part_of_another_length(x: Six, m: Rows):
    x[1:3] = x
    return x


def list_that_is_no_array(x: list[float], m: Rows):
    return -x


def rows_of_different_lengths(x: Six, m: Rows):
    return np.array([[x[0], 1.0], [2.0] * 5])


def reals_into_integers(x: Six, m: Rows):
    counts = np.arange(6)
    counts[2] = x[0]
    return x * counts


def reals_into_integers_in_place(x: Six, m: Rows):
    counts = np.zeros(6, dtype=int)
    counts += x
    return x * counts


def array_that_would_grow(x: Six, m: Rows):
    x.append(1.0)
    return x[0]


def array_into_an_element(x: Six, m: Rows):
    x[0] = x[1:3]
    return x


def array_of_the_module_changed(x: Six, m: Rows):
    WEIGHTS[1:3] = 0.0
    return x * WEIGHTS


def too_many_places(x: Six, m: Rows):
    return m[0, 1, 2]


def outside_of_the_array(x: Six, m: Rows):
    return m[1, 7]


def list_of_places_outside(x: Six, m: Rows):
    return x[[0, 8]]


def slice_that_moves(x: Six, m: Rows):
    total = 0.0
    for i in range(int(x[0])):
        total += x[i : i + 2].sum()
    return total


def elements_that_depend_on_values(x: Six, m: Rows):
    return np.median(x[x > 0])


def places_that_depend_on_values(x: Six, m: Rows):
    return np.where(x > 0)[0]


def numbers_that_depend_on_values(x: Six, m: Rows):
    return np.unique(x)


def several_into_a_mask(x: Six, m: Rows):
    x[x > 0] = x
    return x


def rows_where_something_holds(x: Six, m: Rows):
    return m[x[:3] > 0]


def truth_of_an_array(x: Six, m: Rows):
    if x > 0:
        return x
    return -x


def chain_of_comparisons(x: Six, m: Rows):
    return np.where(0 < x < 1, x, 0.0)


def and_of_arrays(x: Six, m: Rows):
    return np.where(x > 0 and x < 1, x, 0.0)


def math_of_an_array(x: Six, m: Rows):
    return math.sin(x)


def type_of_objects(x: Six, m: Rows):
    return x.astype(str)


def keyword_that_is_not_known(x: Six, m: Rows):
    return np.sin(x, where=x > 0)


def norm_that_is_not_known(x: Six, m: Rows):
    return np.linalg.norm(m, 3)


def axis_that_does_not_exist(x: Six, m: Rows):
    return m.max(axis=2)


def form_that_does_not_fit(x: Six, m: Rows):
    return x.reshape(4, 2)


def sum_along_no_axis(x: Six, m: Rows):
    return x.sum(axis=1)


def method_that_is_not_known(x: Six, m: Rows):
    return x.partition(2)


def too_large_to_be_written_out(x: Six, m: Rows):
    return (WIDE + x[0])[0]


def too_many_operations(x: Six, m: Rows):
    wide = np.zeros((60, 60))
    wide[0, 0] = x[0]
    return (wide @ wide)[0]


def view_that_a_loop_makes(x: Six, n: int):
    v = x
    for _ in range(n):
        v = v[::-1]
    return v


def view_whose_array_changes_in_a_loop(x: Six, n: int):
    v = x[1:4]
    for _ in range(n):
        x[2] *= 2.0
        v = v * 0.5
    return v


def carried_view_that_is_changed(x: Six, n: int):
    v = x[1:4]
    for _ in range(n):
        v[0] = 1.0
        v = v * 0.5
    return v


def part_of_a_vector_that_is_changed(x: Six, m: Rows):
    v = float3(x[0], 1.0, 2.0)
    column = v[:, None]
    column[0, 0] = 5.0
    return v


def no_single_element(x: Six, m: Rows):
    return m.item()


def element_out_of_range(x: Six, m: Rows):
    return m.item(18)


def too_many_indices_of_an_element(x: Six, m: Rows):
    return m.item(1, 2, 3)


def element_at_a_real(x: Six, m: Rows):
    return m.item(1.0)


def unknown_function_of_elements(x: Six, m: Rows):
    return np.spacing(x)


def unknown_function_of_a_number(x: Six, m: Rows):
    return np.nextafter(x[0], 1.0)


def unknown_function_of_two(x: Six, m: Rows):
    return np.nextafter(x[0], x[1])


def _doubled(v: np.ndarray) -> np.ndarray:
    return 2.0 * v


def list_for_an_array(x: Six, m: Rows):
    return _doubled([x[0], 1.0])


def number_for_an_array(x: Six, m: Rows):
    return _doubled(x[0])


def number_called_an_array(x: Six, m: Rows):
    total: np.ndarray = x @ x
    return total


def abstract_numbers_of_numpy(x: Six, k: np.floating):
    return x.sum() * k


def inverse_of_five_rows(x: Six, m: Rows):
    return inverse(np.eye(5) * x[0])[0, 0]


def equations_of_another_size(x: Six, m: Rows):
    return np.linalg.solve(np.outer(x, x) + np.eye(6), x[:5])


def cholesky_of_a_row(x: Six, m: Rows):
    return np.linalg.cholesky(m)


def size_that_the_kernel_knows(x: Six, n: int):
    return np.zeros(n).sum() * x


def ones_that_the_kernel_counts(x: Six, n: int):
    return np.ones((2, n)).sum() * x


def axis_that_the_kernel_knows(m: Rows, axis: int):
    return m.max(axis=axis)


def shape_that_the_kernel_knows(m: Rows, n: int):
    return m.reshape(n, -1)


def out_that_is_no_array(x: Six, s: float):
    return np.cumsum(x, out=s)


def out_of_another_shape(x: Six, s: float):
    r = np.zeros(5)
    return np.cumsum(x, out=r)


def largest_of_perhaps_none(x: Six, s: float):
    return np.max(x, where=x > s)


def quantiles_by_another_method(x: Six, s: float):
    return np.quantile(x, 0.3, method="weibull")


def places_of_one_dimension(x: Six, s: float):
    return x[1, 2]


def a_stack_of_matrices(x: float):
    m = [[[x, 1.0], [0.0, x]], [[x, 0.0], [2.0, x]]]
    return np.linalg.lstsq(m, [1.0, x])[0][0]


def what_gives_its_items_once(x: Six):
    return np.any(v > 0.0 for v in x)


def the_values_of_a_dictionary(x: float):
    return np.max({"a": x, "b": 2.0 * x}.values())


def windows_are_read_only(x: Six, m: Rows):
    w = np.lib.stride_tricks.sliding_window_view(x, 2)
    w[0] = 1.0
    return x[0]


def one_row_for_all_is_read_only(x: Six, m: Rows):
    w = np.broadcast_to(x, (2, 6))
    w *= 2.0
    return x[0]


def a_diagonal_is_read_only(x: Six, m: Rows):
    d = np.diagonal(m)
    d[1] = x[0]
    return m[1, 1]


def some_of_a_diagonal_are_read_only(x: Six, m: Rows):
    d = m.diagonal()
    d[[0, 2]] = x[0]
    return m[0, 0]


def a_rank_without_a_tolerance(x: Six, m: Rows):
    return np.linalg.matrix_rank(m) * x[0]
