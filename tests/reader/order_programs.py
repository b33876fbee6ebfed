"""Programs whose expressions have effects: each part is evaluated once, from the left.

Every public function takes two real numbers and gives numbers; Python runs them too.
"""

from egad import InOut, detach, dot, float2, struct


@struct
class Cell:
    x: float
    v: float2
    n: int = 0

    def add(self, k: float) -> "Cell":
        self.x += k
        self.n += 1
        return self

    def step(self) -> float:
        self.n += 1
        self.x = 0.5 * self.x + 1.0
        return self.x

    def tick(self) -> int:
        self.n += 1
        return self.n


def _doubled(cell: Cell) -> Cell:
    cell.x *= 2.0
    return cell


def _push(v: InOut[float2], k: float) -> float:
    v.x += k
    return k * v.x


def chained_methods(a, b):
    cell = Cell(a, float2(a, b))
    cell.add(b).add(2.0)
    return cell.x, cell.n


def method_of_a_result(a, b):
    cell = Cell(a, float2(a, b))
    _doubled(cell).add(b)
    return cell.x, cell.n


def index_with_an_effect(a, b):
    cell, xs = Cell(a, float2(a, b)), [a, b, 1.0]
    xs[cell.tick() - 1] += 5.0 * b
    xs[cell.tick() - 1] = b * b
    return xs[0], xs[1], xs[2], cell.n


def object_with_an_effect(a, b):
    cells, turn = [Cell(a, float2(a, b)), Cell(b, float2(b, a))], Cell(0.0, float2(0.0))

    def next_one():
        return cells[turn.tick() % 2]

    next_one().x *= 3.0
    next_one().v.y -= a
    next_one().v.x, next_one().x = b, a * b
    return cells[0].x, cells[1].x, cells[0].v.y, cells[1].v.x, turn.n


def place_before_value(a, b):
    cell, xs = Cell(a, float2(a, b)), [a, b, 1.0]
    xs[cell.n] += cell.step()
    xs[cell.n] *= cell.step() + cell.n
    return xs[0], xs[1], xs[2]


def old_value_before_the_new(a, b):
    cell = Cell(a, float2(a, b))
    cell.x += cell.step()
    cell.v.y += cell.step() * cell.x
    return cell.x, cell.v.y


def effects_in_a_loop(a, b):
    cells = [Cell(a, float2(a, b)), Cell(b, float2(b, 1.0))]
    for i in range(4):
        cells[i % 2].v.x += cells[1 - i % 2].v.y * cells[i % 2].step()
        cells[i % 2].add(b).add(0.1 * i).v.y *= 0.5
    return cells[0].x, cells[0].v.x, cells[1].v.y, cells[0].n


def vector_beside_its_change(a, b):
    v = float2(a, b)
    w = v * _push(v, b)
    return w.x, w.y, v.x


def vector_in_a_tuple_with_its_change(a, b):
    v = float2(a, b)
    pair = (v, _push(v, b))
    return pair[0].x, pair[1], v.x


def vector_argument_before_its_change(a, b):
    v = float2(a, b)
    return dot(v, float2(_push(v, b), 1.0)), v.x


def vector_in_place_with_its_change(a, b):
    v = float2(a, b)
    v += _push(v, b)
    return v.x, v.y


def detached_is_a_copy(a, b):
    cell, v, xs = Cell(a, float2(a, b)), float2(a, b), [a, b]
    there, w, ys = detach(cell), detach(v), detach(xs)
    cell.x, there.v.y, w.x, xs[0] = 7.0 * b, 2.0, b, 9.0
    return cell.x, there.x, cell.v.y, there.v.y, v.x, w.x, ys[0]


def plus_is_a_copy(a, b):
    v = float2(a, b)
    w, u = +v, v**1
    w.y, u.x = 9.0, b
    return v.x, v.y, w.y, u.x


def the_vector_before(a, b):
    cur = float2(a, b)
    prev = cur
    for _ in range(3):
        prev = cur
        cur = float2(cur.y, 0.5 * cur.x)
    cur.x += 1.0
    return cur.x, cur.y, prev.x, prev.y


def elements_changed_by_a_loop(a, b):
    vs = [float2(a, b) for _ in range(3)]
    for i in range(3):
        vs[i].x += i * a
        vs[i].yx = vs[i].xy
    vs[1] = vs[0]
    vs[1].x = 2.0 * b
    return vs[0].x + vs[1].y, vs[2].x
