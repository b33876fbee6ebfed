"""Programs that catch what Python's numbers raise; what is raised is asked before.

Every public function takes two real numbers; Python runs them too.
"""

import math
from dataclasses import dataclass


def a_quotient(a, b):
    try:
        r = a / b
    except ZeroDivisionError:
        r = 0.0
    return r


def returned_at_once(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return -1.0


def several_handlers(a, b):
    x = 1.0
    try:
        x = 2.0
        y = math.sqrt(a)
        x = 3.0
        z = math.log(b) / a
    except ValueError:
        return x
    except ZeroDivisionError:
        return 10 * x
    else:
        x += 100.0
    return x + y + z


def in_a_loop_that_is_left(a, b):
    total = 0.0
    try:
        for k in range(4):
            total += a / (b - k + 2)
            total += math.sqrt(a + k)
    except (ZeroDivisionError, ValueError):
        total -= 5.0
    finally:
        total *= 2
    return total


def in_each_trip(a, b):
    total = 0.0
    for k in range(4):
        try:
            total += a / (b - k + 2)
            if total > 1:
                continue
            total += math.acos(a * k)
        except ZeroDivisionError:
            total -= 5.0
            break
        except Exception:
            total += 7.0
    return total


def in_loops_within(a, b):
    total, raised = 0.0, 0
    try:
        for i in range(3):
            for j in range(i + 1):
                total += b / (a - j)
            total *= 2.0
        total += 50.0
    except ZeroDivisionError:
        raised = 1
    return total + raised


class _Negative(Exception):
    pass


def a_class_of_its_own(a, b):
    try:
        if a < 0:
            raise _Negative("a")
        v = a / b if b > 0.5 else b
        w = (b > 0 and a / b > 1) or a > 1
    except _Negative:
        v, w = 7.0, True
    return v * (2 if w else 3)


def in_a_function_inside(a, b):
    def safe(x, y):
        try:
            return x / y
        except ZeroDivisionError:
            return 5.0 if x > 0 else 0.0

    return max(safe(a, b), safe(b, a), -3.0)


def nothing_that_raises(a, b):
    try:
        r = float(a) + abs(b)
    except (ValueError, TypeError):
        return float("inf")
    return r


def one_inside_another(a, b):
    try:
        try:
            r = 1 / a
        except ZeroDivisionError:
            r = 1 / b
    except ZeroDivisionError:
        r = 99.0
    return r


def powers_and_exponentials(a, b):
    try:
        r = abs(a) ** b + math.exp(a * 1000) / b
    except OverflowError:
        r = 1.0
    except ArithmeticError:
        r = 2.0
    return r


def in_place(a, b):
    r = a
    try:
        r /= b
        r %= a
        k = int(r)
    except ZeroDivisionError:
        k = -3
    return r + k


def an_assertion(a, b):
    try:
        assert a > 0, "a is positive"
        x = a
    except AssertionError:
        x = b
    return x


def appended(a, b):
    found = []
    for x in (a, b, a + b):
        try:
            found.append(1.0 / x)
        except ZeroDivisionError:
            found.append(0.0)
    return sum(found)


def after_branches(a, b):
    try:
        if a > 0:
            y = 1.0 / b
        elif a < -2:
            raise ValueError("too small")
        else:
            y = math.sqrt(b)
        z = y + 1.0
    except (ZeroDivisionError, ValueError):
        z = 0.5
    return z * a


def functions_that_raise_nothing(a, b):
    def twice(x):
        return 2.0 * x

    try:
        below = twice(b)
        r = twice(a) / below
    except ZeroDivisionError:
        r = twice(3.0)
    return r


@dataclass
class _Pair:
    x: float
    y: float


class _Shifted:
    def __init__(self, x, by=1.0):
        self.x = x + by


def objects_that_are_made(a, b):
    try:
        pair, shifted = _Pair(a / b, b), _Shifted(a)
        r = pair.x * shifted.x
    except ZeroDivisionError:
        r = _Pair(a, b).x
    return r


def in_place_under_a_condition(a, b):
    x, n = a, int(b)
    try:
        if n != 1:
            x /= n
        x += 1.0
    except ZeroDivisionError:
        x = 5.0
    return x


def known_arguments(a, b):
    try:
        r = math.log(b + 1.0, 10) + math.pow(a, 0.5) + a**-1 + (a * b) % 2.0
    except ValueError:
        r = 3.0
    except ZeroDivisionError:
        r = 4.0
    return r


def powers_that_overflow(a, b):
    try:
        r = 1e-300 * (1e150 ** abs(a)) ** (b * b + 1.0)
    except OverflowError:
        r = a - b
    return r


def compared_in_a_chain(a, b):
    try:
        return 1.0 if a < 1.0 < 1.0 / b + 3.0 else 2.0 + a
    except ZeroDivisionError:
        return 5.0


def exponentials_inside_another(a, b):
    try:
        try:
            r = 1e-60 * math.exp(250.0 * a) + math.sqrt(b)
        except ValueError:
            r = 1.0 / b
        r *= 2.0
    except (OverflowError, ZeroDivisionError):
        r = 7.0
    return r


def left_by_a_handler(a, b):
    r = 0.0
    for i in range(3):
        try:
            try:
                r += 1.0 / (a - a if a < 0.6 else b)
            except ZeroDivisionError:
                continue
            r += i
        finally:
            r = 0.5 * r + 1.0
    return r


def left_by_what_is_else(a, b):
    r, n = 0.0, (1 if a > 0.5 else 0) + 2
    for _ in range(n):
        try:
            if b < 0.0:
                raise ValueError
            r += a
        except ValueError:
            if a > 0.0:
                r += 1.0
                continue
            r += 2.0
        else:
            try:
                r += 1.0 / (b - b if a < 0.6 else b)
            except ZeroDivisionError:
                break
        finally:
            r = 2.0 * r + 1.0
    return r


def _both_ways_out(a, b, seen):
    try:
        if a < 0.0:
            raise ValueError
        seen[0] += 5.0
        if b > 1.0:
            raise ValueError
        seen[0] += 10.0
    except ValueError:
        if b > 0.0:
            if a < 1.0:
                return a * b
            seen[0] += 1.0
    finally:
        seen[0] = 0.5 * seen[0] + a
    return 2.0 * a


def left_at_two_places(a, b):
    seen = [0.0]
    return _both_ways_out(a, b, seen) + 100.0 * seen[0]


class Counted:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        self.x += 1.0
        return self

    def __exit__(self, *raised):
        self.x *= 0.5


def left_with_something_entered(a, b):
    counted = Counted(a)
    for _ in range(3):
        with counted as c:
            try:
                c.x += 1.0 / (b if a > 0.6 else a - a)
            except ZeroDivisionError:
                continue
            else:
                if b < 1.0:
                    break
            finally:
                c.x *= 0.25 * c.x
    return counted.x
