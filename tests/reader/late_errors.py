"""Iterators that would compute with something else by the time somebody asks them."""


def list_changes(a: float, b: float):
    v = [a, b]
    squares = (q * q for q in v)
    v[1] = 7 * b
    return sum(squares)


def variable_changes_in_the_loop(a: float, b: float):
    s = 0.0
    for x in (q * s + 1 for q in [a, b]):
        s += x
    return s


def variable_of_a_lambda_changes(a: float, b: float):
    s = 0.0
    items = map(lambda q: q * s, [a, b])
    s = b
    return sum(items)


def variable_of_a_function_changes(a: float, b: float):
    def f(x):
        return x * s

    s = a
    items = (f(q) for q in [a, b])
    s = b
    return sum(items)


def what_is_zipped_changes(a: float, b: float):
    v, w = [a, b], [b, a]
    items = map(lambda p: p[0] * p[1], zip(v, w, strict=True))
    v[0] = 3 * a
    return sum(items)
