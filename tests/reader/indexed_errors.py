"""What is wrong with items by `__getitem__`, with managers, and with parameters as indices."""

from contextlib import contextmanager


class _Endless:
    def __init__(self, x):
        self.x = x

    def __getitem__(self, k):
        return k * self.x


class _UntilZero:
    def __init__(self, x):
        self.x = x

    def __getitem__(self, k):
        if k > self.x:
            raise IndexError(k)
        return k * self.x


class _Changing:
    def __init__(self, x):
        self.x = [x, x]

    def __getitem__(self, k):
        return self.x[k]


@contextmanager
def _twice(x):
    yield x
    yield x


@contextmanager
def _under_a_condition(x):
    if x is None:
        yield 1.0
    else:
        yield x


@contextmanager
def _caught(x):
    try:  # noqa: SIM105
        yield x
    except ZeroDivisionError:
        pass


@contextmanager
def _never_or_once(x):
    if x is None:
        return
    yield x


def an_item_has_no_end(x):
    return sum(_Endless(x))


def how_many_is_not_known(x):
    return sum(_UntilZero(x))


def changes_while_run_over(x):
    items, total = _Changing(x), 0.0
    for item in items:
        items.x[1] += item
        total += item
    return total


def yields_twice(x):
    with _twice(x) as y:
        return y


def yields_under_a_condition(x):
    with _under_a_condition(x) as y:
        return y


def catches_what_is_raised(x):
    with _caught(x) as y:
        return 1.0 / y


def returns_before(x):
    with _never_or_once(x) as y:
        return y


def default_of_whole_numbers(x, pairs=((0, 1), (1, 2))):
    xs = [x, 2.0 * x, 3.0]
    return sum(xs[i] * xs[j] for i, j in pairs)


def default_of_a_whole_number(x, n=3):
    total = 0.0
    for _ in range(n):
        total += x
    return total


def places_in_a_list(x, places=[0, 2]):  # noqa: B006
    return sum([x, 2.0 * x, 3.0][i] for i in places)
