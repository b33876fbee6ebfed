"""Programs with `deque`, `set`, `frozenset` and `Counter`.

Every public function takes two real numbers; Python runs them too.
"""

import math
from collections import Counter, deque

KINDS = {"cubic", "square"}
LATEST = deque([0.5, 1.5], maxlen=4)
LETTERS = Counter("abca")
SMALL = frozenset([1, 3, 2])


def window(a, b):
    w = deque([a, b, a * b], maxlen=3)
    total = 0.0
    for _i in range(8):
        total += sum(w) / len(w)
        w.append(math.sin(total))
    return total


def rotated(a, b):
    q = deque([a, b, 1.0, 2.0])
    q.rotate(1)
    x = q[0]
    q.rotate(-2)
    y = q[0]
    q.rotate(6)
    q.reverse()
    return x + 10 * y + 100 * q[1] + 1000 * q[-1]


def ends(a, b):
    q = deque()
    q.extend([a, b])
    q.extendleft([a * b, 3.0])
    q += [a]
    q.insert(1, b * b)
    del q[0]
    c = q.copy()
    c.append(5.0)
    return q.popleft() + 2 * q.pop() + len(c) + sum(x * i for i, x in enumerate(q)) + q.count(b)


def left(a, b):
    q = deque([a], 2)
    q.appendleft(b)
    q.appendleft(a * b)
    return q[0] + 3 * q[1] + (q.maxlen or 0)


def nodes(a, b):
    stack = deque([(0, a)])
    total = 0.0
    while stack:
        depth, x = stack.pop()
        total += x * b
        if depth < 3:
            stack.append((depth + 1, x * 0.5))
            stack.append((depth + 1, math.sin(x)))
    return total


class Filter:
    def __init__(self, n):
        self.hist = deque([0.0] * n, maxlen=n)

    def step(self, x):
        self.hist.append(x)
        return sum(self.hist) / len(self.hist)


def filt(a, b):
    f = Filter(4)
    out = 0.0
    for k in range(10):
        out += f.step(a * k + b) ** 2
    return out


def algebra(a, b):
    s = {1, 2, 3}
    t = set([3, 4])
    u = frozenset((1,))
    s2 = s | t
    s3 = s & t
    s4 = s - t
    s5 = s ^ t
    s.discard(9)
    s.remove(1)
    return (
        a * sum(s2)
        + b * sum(s3)
        + a * b * sum(s4)
        + len(s5)
        + sum(s)
        + (u <= s2)
        + (s == {2, 3})
        + (u < t)
        + (1 in u)
    )


def unique(a, b):
    names = ["x", "y", "x", "z"]
    total = 0.0
    for k, n in enumerate(sorted(set(names))):
        total = total * a + b * k + (n == "x")
    return total


def primes(a, b):
    ps = {n for n in range(2, 30) if all(n % m for m in range(2, n))}
    return sum(a / p for p in ps) + b * len(ps)


def count(a, b):
    c = Counter("abracadabra")
    c["z"] += 2
    c.update(["a", "q"])
    top = c.most_common(2)
    return (
        a * c["a"]
        + b * c["missing"]
        + top[0][1]
        + sum(c.values()) * b
        + len(c)
        + sum(n * n for k, n in c.items())
        + c.total()
    )


def weigh(a, b):
    c = Counter()
    for k, v in (("u", a), ("v", b), ("u", a * b)):
        c[k] += v
    return c["u"] ** 2 * c["v"]


def arith(a, b):
    c = Counter(a=3, b=1) + Counter(a=1, c=2) - Counter("b")
    return a * c["a"] + b * c["c"] + len(c) + len(list(c.elements()))


def memo_seen(a, b):
    seen = set()
    out = 0.0
    for i, j in [(0, 1), (1, 0), (0, 1), (2, 2)]:
        key = (min(i, j), max(i, j))
        if key in seen:
            continue
        seen.add(key)
        out += a**i * b**j
    return out + isinstance(seen, set) + (not seen)


def kernel_member(a, b):
    k = int(a)
    s = {0, 1}
    return b * b if k in s else a * b


def dict_of_sets(a, b):
    g = {"p": {"q", "r"}, "q": {"r"}, "r": set()}
    done = set()
    order = []

    def visit(n):
        if n in done:
            return
        done.add(n)
        for m in sorted(g[n]):
            visit(m)
        order.append(n)

    visit("p")
    return sum(w * (a if n == "r" else b) for w, n in enumerate(order, 1))


def in_branch(a, b):
    q = deque([a, b])
    if a > b:
        q.append(a * b)
        q.popleft()
    else:
        q.rotate(1)
    return q[0] * 2 + q[1]


def of_the_module(a, b):
    kept = sum(LATEST) * a + len(LATEST) + (LATEST.maxlen or 0)
    weights = LETTERS["a"] * b + LETTERS["z"] + sum(k * b for k in SMALL)
    return kept + weights + (a**3 if "cubic" in KINDS else a) + isinstance(SMALL, frozenset)


def full(a, b):
    q = deque([a, b, 1.0], maxlen=3)
    for _ in range(100):
        q.append(0.3 * q[0] + 0.1 * q[1] * q[2])
    return sum(q)


def breadth_first(a, b):
    graph = {0: [1, 2], 1: [3], 2: [3], 3: []}
    queue, seen = deque([0]), {0}
    total = 0.0
    while queue:
        n = queue.popleft()
        total = total * a + b * n
        for m in graph[n]:
            if m not in seen:
                seen.add(m)
                queue.append(m)
    return total


def by_default(a, b, modes=frozenset(["x"])):
    return a * b if "x" in modes else a


def changed_sets(a, b):
    s = {1, 2, 3, 4}
    same = s
    s |= {5}
    s -= {1}
    s &= {2, 4, 5, 9}
    s ^= {4, 6}
    s.update([7], (8,))
    s.difference_update({8})
    taken = s.pop()
    t = s.copy()
    t.clear()
    held = not t and s.isdisjoint({1, 3}) and s > {5} and s >= s and {5} < s
    return a * sum(same) + b * taken + held + len(s.union([1], [2])) + len(s.intersection([5], {5}))


def counted(a, b):
    c = Counter()
    for word in ["the", "cat", "and", "the", "dog"]:
        c[word] += 1
    d = c.copy()
    d.subtract("a")
    del d["cat"]
    del d["never there"]
    return a * c["the"] + b * len(d) + d["a"] + d.get("a", 7) + ("cat" in d) + (c == c.copy())
