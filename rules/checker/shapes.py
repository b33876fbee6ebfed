"""The sizes of what a block computes, for every size of vectors that its parameters leave open.

Takes an operator and the rule set it lives in, raises RuleError where a line has another shape
than it needs. Knows nothing of numbers: of a value only the shape counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...terms.errors import RuleError, Span
from ...terms.rule import Operator, RuleSet
from ...terms.term import Term
from ..loader.derivatives import is_zero
from .faults import Misfit
from .judge import Env, evaluate, size_text
from .lines import Place, Side
from .samples import filled, is_open, open_sizes, sized

_HINT = "name the size, as in v: vec3, or write it for every size: dot(v, v), sum(v), 2 * v"


class _Zeros:
    """Arithmetic in which every number is 0: what is left of a value is its shape."""

    def constant(self, term: Term) -> Any:
        """A number."""
        return 0

    def call(self, operator: Operator, args: Sequence[Any]) -> Any:
        """The value of a primitive is a number."""
        return 0

    def function(self, operator: Operator, env: Env, rules: RuleSet) -> Any:
        """None: functions are computed by their definitions."""
        return None


_ZEROS = _Zeros()


def check_definition_shape(operator: Operator, rules: RuleSet, at: Span) -> None:
    """A definition has a value for every size."""
    assert operator.definition is not None
    for env in _scopes(operator):
        _shape(operator, "", operator.definition, env, rules, at)


def check_primal_shape(operator: Operator, rules: RuleSet, at: Span) -> None:
    """A substitute has the shape of what it stands for."""
    assert operator.primal is not None
    for env, wanted in _with_results(operator, rules):
        found = _shape(operator, "primal", operator.primal, env, rules, at)
        if size_text(found) != size_text(wanted):
            raise _fault(operator, "primal", found, wanted, env, at)


def check_line_shapes(
    operator: Operator, sides: Sequence[Side], rules: RuleSet, where: Place
) -> None:
    """A derivative line has the shape of what it is by, or is 0; a forward side, of the result."""
    for env, result in _with_results(operator, rules):
        name = operator.result.name
        tangents = {f"d{p.name}": env[p.name] for p in operator.params}
        scope = {**env, name: result, f"{name}_bar": result, **tangents}
        for side in sides:
            at = where(operator, side.line)
            found = _shape(operator, side.line, side.term, scope, rules, at)
            wanted = result if side.index is None else env[operator.params[side.index].name]
            if size_text(found) != size_text(wanted) and not is_zero(side.term):
                raise _fault(operator, side.line, found, wanted, env, at)


def _scopes(operator: Operator) -> Iterator[dict[str, Any]]:
    """The parameters, as zeros, in every size that they may have."""
    for size in open_sizes(operator.params):
        yield {p.name: filled(p, 0) for p in sized(operator.params, size)}


def _with_results(operator: Operator, rules: RuleSet) -> Iterator[tuple[dict[str, Any], Any]]:
    """The parameters, and the result where the definition has one; elsewhere it is at fault."""
    for env in _scopes(operator):
        try:
            yield env, _zeros(operator.definition, env, rules)
        except Misfit:
            continue


def _zeros(term: Term | None, env: Env, rules: RuleSet) -> Any:
    return 0 if term is None else evaluate(term, env, rules, _ZEROS)


def _shape(
    operator: Operator, line: str, term: Term, env: Mapping[str, Any], rules: RuleSet, at: Span
) -> Any:
    try:
        return _zeros(term, env, rules)
    except Misfit as error:
        name = f"{operator.name} {line}".strip()
        raise RuleError(f"[{name}] {error}{_where(operator, env)}", at, _HINT) from None


def _fault(
    operator: Operator, line: str, found: Any, wanted: Any, env: Mapping[str, Any], at: Span
) -> RuleError:
    what = f"[{operator.name} {line}] is {size_text(found)}, but has to be {size_text(wanted)}"
    return RuleError(f"{what}{_where(operator, env)}", at, _HINT if _where(operator, env) else "")


def _where(operator: Operator, env: Mapping[str, Any]) -> str:
    """Of which size the parameters are whose kind does not say it."""
    names = [p.name for p in operator.params if is_open(p)]
    return f", where {' and '.join(names)} is {size_text(env[names[0]])}" if names else ""
