"""Names that expressions assign, with `:=`, in plain Python."""

from egad import max_iters


def in_condition_of_while(x: float):
    t, i = 0.0, 0
    max_iters(20)
    while (y := x * x * 0.5) > 0.1:
        t += y
        x = x * 0.7
    while (i := i + 1) < 4:
        x = x * 1.5 + i
    return t * y * x * i


def in_conditions(x: float):
    if x > 1.5 and (d := x * x) > 1.0:
        return d * x
    elif (e := x * 3.0) > 1.0:
        r = e * x
    else:
        r = e
    return r + (w := e * 2.0) * w


def in_arms(x: float):
    y = x
    z = (y := y * 2.0) + y if x > 1.0 else (y := y + 7.0) * y
    t = 0.0
    for i in range(5):
        if x > i or (y := x * i) < 2.0:
            t += y * x
        if (s := t) > 20.0:
            break
    return t * y * z + s


def tested_in_order(x: float):
    t, i = 0.0, 0
    while i < 4 and (y := x * 0.8 + i) < 4.0:
        x = y * 1.1
        i += 1
        if x > 3.0:
            r = x
            break
    else:
        r = 2.0 * x
    for j in range(3):
        max_iters(20)
        while not ((y := x - j) < 0.5) and (z := y * y) > 0.2:
            x = x * 0.8
            t += z * y
        t += y
    return x * i * r + t * y


POINTS = {
    in_condition_of_while: [(1.3,), (0.2,)],
    in_conditions: [(1.7,), (0.5,), (0.2,)],
    in_arms: [(1.3,), (0.6,)],
    tested_in_order: [(1.3,), (3.1,), (9.0,)],
}
