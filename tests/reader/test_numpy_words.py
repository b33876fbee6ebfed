"""Functions of NumPy with their arguments in every spelling give what NumPy gives."""

import importlib.util

import numpy as np
import pytest

from egad import derive
from egad.reader.python.arrays import numpying
from egad.terms.errors import TraceError

X = "np.array([a, b, 2 * a, a * b, 1.0, b - a])"
EXPRESSIONS = """
np.clip(X, a_max=1.0, a_min=0.6)
np.clip(X, max=1.0)
X.clip(max=b)
np.count_nonzero(M - 1.0, 0)
np.count_nonzero(M - 1.0, axis=1, keepdims=True)
np.linalg.norm(M, None, 1)
np.linalg.norm(M, 2, 0)
np.linalg.norm(axis=1, x=M)
np.max(M, 0, None, True)
np.max(M, axis=(1, 0), keepdims=True)
M.min(axis=(0, 1))
np.any(M > 1.5, 1, None, True) * a
np.all(M > 0.5, axis=(0, 1)) * a
np.add.reduce(M, axis=None)
np.add.reduce(M, axis=(0, 1))
np.minimum.reduce(M, 0)
np.maximum.accumulate(M, 1)
np.subtract.outer([a, b], X)
np.nan_to_num(X, True, 2.0)
np.nan_to_num(nan=2.0, x=X)
np.round(X, 1)
np.round(M, decimals=1)
np.round(a, 1) + np.round(b, decimals=1) + np.around(a * b, 2) + np.round(a)
X.round() + X.round(1)
np.sort(M)
np.sort(M, axis=0)
np.sort(M, 0)
np.sort(M, axis=None)
np.argmax(M, axis=0) * a
M.argmin(1) * a
np.argmax(axis=1, a=M) * a
np.median(M)
np.median(M, axis=0)
np.ptp(M)
np.ptp(M, 1)
np.ptp(M, axis=0, keepdims=True)
np.full(fill_value=a, shape=(2, 2))
np.full(3, 3.7 * a, dtype=int)
np.full((2, 2), 3.7 * a, int)
np.full_like(np.array([1, 2]), 3.7 * a, dtype=float)
X.astype(dtype=int) * a
X.astype(int, copy=False)
X.copy(order="C")
np.vander([a, b, 1.0], 3)
operator.add(X, X) + operator.mul(X, 2) - operator.neg(operator.pow(X, 2))
functools.reduce(operator.add, [X, 2 * X])
[*map(operator.mul, [X], [3])][0]
np.outer([a, b], [1.0, b]) - 1.0
np.sinc([a, b]) * 2
np.heaviside([a, b], 0.5) * 2
np.ldexp([a, b], 2) * 2
np.float_power([a, b], 2.0) * 2
np.interp([a, b], [0.0, 2.0], [a, b]) * 2
np.searchsorted([0.0, 1.0], [a, b]) * a
np.digitize([a, b], [0.0, 1.0]) * a
np.sum([[a, 1.0], [b, 3.0]], 1) * 2
np.round([a, b], 1) * 2
np.square([a, b]) - 1
np.logaddexp2(X, b)
np.divmod(X, 0.7)[1]
np.divmod([a, b], 0.7)[0] + np.divmod(a, 0.7)[1]
np.modf(X)[1] + np.modf(X)[0] * 3
np.modf([a, b])[0] + np.modf(a)[1]
np.where(np.abs(np.array([0.0, a, b])) < 1.0, X[:3], 2 * a)
np.signbit(X - 1.0) * a
np.ediff1d(M)
np.fromiter((v * a for v in X), float)
np.bincount([0, 2, 2], weights=[a, b, 1.0])
np.bincount([0, 2, 2], minlength=5) * a
np.choose([1, 0, 1], [[a, b, 2 * a], [1.0, 2.0, b]])
np.choose(np.array([1, 0]), [[a, b], [1.0, 2.0]])
np.piecewise([a, b], [[True, False], [False, True]], [lambda t: t * 2, lambda t: t * 3])
np.apply_along_axis(lambda row: row * 2, 1, [[a, b], [1.0, 2.0]])
np.apply_along_axis(lambda row: row + 2, 0, [[a, b], [1.0, 2.0]])
np.poly1d([1.0, b, a])(X)
np.poly1d([a, b, 2.0]).deriv()(b) + np.poly1d([a, b, 2.0]).deriv(2)(b)
np.poly1d([a, b]).integ()(a)
(np.poly1d([a, b]) * np.poly1d([1.0, a]) + np.poly1d([2.0, a, b]) - 1.0)(0.3)
(2 * np.poly1d([a, b]) - np.poly1d([1.0, b, a]))[1] + (1 - np.poly1d([a, b])).c[0]
np.poly1d([a, b]).order + np.poly1d([a, b]).coeffs[1]
np.polyadd([a, b], [1.0, 2.0, b]) + np.polysub([a, b, 1.0], [b]) + np.polymul([a, b], [1.0, b])
np.polynomial.Polynomial([1.0, b, a])(X)
np.polynomial.Polynomial([a, b]).deriv()(b) + np.polynomial.Polynomial([a, b]).integ()(b)
(np.polynomial.Polynomial([a, b]) * np.polynomial.Polynomial([1.0, a]) - 1.0).coef
(1 - 2 * np.polynomial.Polynomial([a, b])).coef[0] + np.polynomial.Polynomial([a, b]).degree()
a * np.isscalar(b) + b * np.isscalar(X) + np.isscalar([a]) + np.isscalar(2) + np.isscalar("a")
np.take([a, b, 2.0], [2, 0]) + np.take([[a, b], [1.0, 2.0]], 1, axis=1)
np.vecdot([a, b], [1.0, 2.0])
sum((w * X for w in (1.0, 2.0)), np.zeros(6))
sum([X, X]) + sum(M)[0] + sum([a, b], start=X)
np.vander(np.array([a, b]), N=3, increasing=True)
np.interp(X, [0.0, 1.0, 2.0], [a, b, 1.0], left=5.0, right=a)
np.searchsorted([0.0, 1.0, 2.0], side="right", v=M) * a
np.digitize(bins=np.array([0.0, 1.0, 2.0]), x=X, right=True) * a
np.interp(xp=[0.0, 1.0, 2.0], x=b, fp=[a, b, 1.0])
np.expand_dims(axis=1, a=X)
np.meshgrid([a, b], [1.0, 2.0, 3.0], indexing="ij")[0]
np.pad(M, ((1, 0), (0, 2)), constant_values=b)
np.pad(X, 2, "reflect")
""".strip().splitlines()


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "words.py"
    bodies = [e.replace("X", X).replace("M", f"{X}.reshape(2, 3)") for e in EXPRESSIONS]
    texts = [f"def f{k}(a, b):\n    return {body}\n" for k, body in enumerate(bodies)]
    path.write_text(
        "import functools\nimport operator\n\nimport numpy as np\n\n\n" + "\n\n".join(texts)
    )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def numbers(value):
    parts = value.values() if isinstance(value, dict) else value
    flat = (
        [numbers(p) for p in parts] if isinstance(parts, tuple | list | type({}.values())) else []
    )
    return np.concatenate(flat) if flat else np.ravel(np.asarray(value, float))


@pytest.mark.parametrize("k", range(len(EXPRESSIONS)), ids=lambda k: EXPRESSIONS[k])
def test_the_value_is_what_numpy_gives(programs, k):
    f = getattr(programs, f"f{k}")
    found = derive(f, "primal", dtype="float64", optimize="fast")
    for point in ((0.7, 1.3), (1.9, 0.4)):
        np.testing.assert_allclose(numbers(found.reference(*point)), numbers(f(*point)), rtol=1e-12)


ONE = ("X", "M", "1", "0", "2", "1.0", "[0, 1]", "(2, 3)", "0.5")
METHODS = ("item", "tolist", "fill", "flatten")


@pytest.mark.numbers
@pytest.mark.parametrize("name", numpying._HANDLERS)
def test_no_keyword_is_lost(name, tmp_path, monkeypatch):
    """What a function does not know is refused, whichever arguments stand before it."""
    calls = [f"np.{name}({first}" for first in ("M", "[X, X]", "X > 1, X, X", "3, a")]
    calls = [f"X.{name}("] if name in METHODS else [*calls, f"X.{name}("]
    calls += [f"{call}, {more}" for call in calls for more in ONE if not call.endswith("(")]
    bodies = [f"{c}{'' if c.endswith('(') else ', '}unheard_of=1)" for c in calls]
    bodies = [b.replace("X", X).replace("M", f"{X}.reshape(2, 3)") for b in bodies]
    path = tmp_path / "lost.py"
    text = "".join(f"def f{i}(a, b):\n    return {b}\n" for i, b in enumerate(bodies))
    path.write_text(f"import numpy as np\n{text}")
    spec = importlib.util.spec_from_file_location(f"lost_{name.replace('.', '_')}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for i in range(len(bodies)):
        with pytest.raises(TraceError):
            derive(getattr(module, f"f{i}"), "primal")
