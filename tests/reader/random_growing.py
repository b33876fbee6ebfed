"""Random functions that make lists longer and shorter, for comparison with plain Python.

`program(seed)` is the text of one: several names of a few lists, changed in branches, loops and
helpers, and before returns. What Python does with it is what must come out.
"""

import random

NAMES = ("xs", "ys", "zs", "ws")


def _value(rng):
    item = rng.choice(NAMES)
    forms = ("a", "b", "1.5", "a * b", f"{item}[0] + 1.0", f"{item}[-1] * 0.5", f"len({item}) * a")
    return rng.choice(forms)


def _statement(rng, depth, counter):
    one, other = rng.choice(NAMES), rng.choice(NAMES)
    simple = [
        f"{one}.append({_value(rng)})",
        f"{one}.append({_value(rng)})",
        f"{one}.extend([{_value(rng)}, {_value(rng)}])",
        f"{one} += {other}[:2]",
        f"{one}.insert({rng.randrange(3)}, {_value(rng)})",
        f"if len({one}) > 1:\n    s += {one}.pop({rng.choice(('', '0', '-1', '1'))})",
        f"if len({one}) > 2:\n    del {one}[{rng.choice(('0', '1', '-1', '0:1'))}]",
        f"{one} = {other}",
        f"{one} = list({other})",
        f"{one} = [{_value(rng)}]",
        f"{one}[{rng.choice(('0', '-1'))}] = {_value(rng)}",
        f"s += grown({one}, {_value(rng)})",
        f"s += {_value(rng)}",
        f"s += sum({one})",
        f"if {one} is {other}:\n    s += 3.0",
    ]
    if depth > 2 or rng.random() < 0.6:
        return rng.choice(simple)
    body = _block(rng, depth + 1, counter)
    name = f"k{next(counter)}"
    known = rng.choice((f"len({one}) > 2", f"len({one}) < 4", f"{one} is {other}"))
    asked = rng.choice(("a > 1.0", "b > 2.0", "a * b > 2.5", "s > 4.0"))
    alike = [f"    {one}.append({_value(rng)})\n    {other}.append({_value(rng)})" for _ in "ab"]
    forms = [
        f"if {known}:\n{body}",
        f"if {known}:\n{body}\nelse:\n{_block(rng, depth + 1, counter)}",
        f"if {asked}:\n{alike[0]}\nelse:\n{alike[1]}\n    s += sum({one})",
        f"if {asked}:\n    {one}.append({_value(rng)})\n    s += {one}.pop()",
        f"if {asked}:\n    {one}[-1] = {_value(rng)}",
        f"if {asked}:\n{body}" if rng.random() < 0.2 else f"s = s * b + {one}[0]",
        f"for {name} in range({rng.randrange(1, 5)}):\n{body}",
        f"for {name} in {one}[:3]:\n    s += {name}\n{body}",
        f"for {name} in range(6):\n    if {known}:\n        {rng.choice(('break', 'continue'))}\n"
        f"{body}",
    ]
    if depth == 0:
        forms.append(f"if {asked}:\n    return s + {_value(rng)}")
    return rng.choice(forms)


def _block(rng, depth, counter):
    lines = [_statement(rng, depth, counter) for _ in range(rng.randrange(1, 4))]
    return "\n".join("    " + line for text in lines for line in text.splitlines())


def program(seed):
    """The text of a function `f(a, b)` and of the helper that it calls."""
    rng, counter = random.Random(seed), iter(range(1000))
    body = "\n".join(_block(rng, 0, counter) for _ in range(4))
    return (
        "def grown(items, x):\n    items.append(x)\n    return items[0] * len(items)\n\n\n"
        "def f(a: float, b: float) -> float:\n"
        "    xs, ys, s = [a], [b, a * b], 0.0\n    zs, ws = xs, [a, b, 1.0]\n"
        f"{body}\n    return s + sum(xs) + 2.0 * sum(ys) + 3.0 * len(zs) + ws[0] * zs[-1]\n"
    )
