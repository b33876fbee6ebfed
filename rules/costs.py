"""Takes tables of costs, as `egad calibrate` writes them, gives rule sets with these costs.

A table is a TOML file: what was measured, on which device, and for every type what its operators
cost, an addition of that type being 1. Types and operators that it leaves out keep the costs of
the rule files. Knows nothing of devices and of how costs are measured.
"""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..terms.errors import RuleError, Span, nearest
from ..terms.rule import Operator, RuleSet
from ..terms.types import Scalar
from .loader.places import shipped

SUFFIX = ".toml"
REALS = {"float16": Scalar.F16, "float32": Scalar.F32, "float64": Scalar.F64}
_ABOUT = ("name", "device", "driver", "measured")
_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class CostTable:
    """What operators cost on a device: by type, by operator, in additions of that type."""

    name: str
    device: str  # `platform/device`
    driver: str
    measured: str  # the day
    costs: Mapping[Scalar, Mapping[str, float]]
    path: str = ""

    @property
    def about(self) -> str:
        """The table in words, with a digest of its content: equal words, equal costs."""
        digest = hashlib.sha256(self.text().encode()).hexdigest()[:8]
        where = f"measured {self.measured} on {self.device}, driver {self.driver}"
        return f"{self.name} [{digest}], {where}"

    def text(self) -> str:
        """The table as a file."""
        lines = [
            "# What operators cost on a device, in additions: written by `egad calibrate`.",
            *(f"{key} = {_quoted(getattr(self, key))}" for key in _ABOUT),
        ]
        for word, kind in REALS.items():
            if kind in self.costs:
                lines += ["", f"[{word}]"]
                lines += [f"{op} = {cost:g}" for op, cost in self.costs[kind].items()]
        return "\n".join(lines) + "\n"


def shipped_tables() -> list[str]:
    """The names of the tables that come with egad.

    >>> shipped_tables()
    ['intel-cpu', 'nvidia-h200']
    """
    return sorted(path.stem for path in _FOLDER.glob(f"*{SUFFIX}"))


def is_path(costs: str | Path) -> bool:
    """Whether a table is given as a file, not by its name."""
    return isinstance(costs, Path) or costs.endswith(SUFFIX) or "/" in costs or "\\" in costs


def table_named(name: str) -> CostTable:
    """A table that comes with egad; RuleError where there is none of that name."""
    known = shipped_tables()
    _refuse_rules(name)
    if Path(name).is_file():
        raise RuleError(f"{name!r} is no table of costs: the name of one ends with {SUFFIX}")
    if name not in known:
        raise RuleError(
            f"there is no table of costs {name!r}{nearest(name, [*known, 'measured'])}",
            hint=f"shipped: {', '.join(known)}; 'measured' is that of your own device, after "
            "`egad calibrate`; or give the path of a file",
        )
    return read_table(_FOLDER / f"{name}{SUFFIX}")


def _refuse_rules(path: str) -> None:
    if path.endswith(".rules") or path in shipped():
        raise RuleError(
            f"{path!r} has rules, and a table of costs is wanted here",
            hint="rules go to rules=[…] or --rules; `egad calibrate -o FILE.toml` writes a table",
        )


def read_table(path: str | Path) -> CostTable:
    """A table from a file; RuleError, with its line, for what is no table."""
    _refuse_rules(str(path))
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise RuleError(
            f"the table of costs {str(path)!r} cannot be read: {reason}",
            hint="`egad calibrate -o FILE` writes one",
        ) from error
    return parse_table(text, str(path))


def parse_table(text: str, path: str) -> CostTable:
    """The table that the text of a file is."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        at = _span(text, path, int(line[1]) if line else text.count("\n") + 1)
        raise RuleError(f"the table of costs is no TOML: {error}", at) from error
    for key in content:
        if key not in (*_ABOUT, *REALS):
            close = nearest(key, [*_ABOUT, *REALS])
            hint = f"a table has {', '.join(_ABOUT)} and types: [{'], ['.join(REALS)}]"
            raise RuleError(f"a table of costs has no {key!r}{close}", _at(text, path, key), hint)
    for key in _ABOUT:
        if not isinstance(content.get(key), str) or not content[key]:
            hint = 'measured tables are written by `egad calibrate`; write name = "…" and so on'
            raise RuleError(f"the table of costs does not say {key!r}", _at(text, path, key), hint)
    costs = {kind: _section(text, path, word, content) for word, kind in REALS.items()}
    found = {kind: section for kind, section in costs.items() if section}
    if not found:
        hint = f"write a section [{'] or ['.join(REALS)}], with lines like `exp = 15`"
        raise RuleError("the table of costs prices nothing", _span(text, path, 1), hint)
    name, device, driver, measured = (str(content[key]) for key in _ABOUT)
    return CostTable(name, device, driver, measured, found, path)


def _section(text: str, path: str, word: str, content: Mapping[str, object]) -> dict[str, float]:
    section = content.get(word, {})
    if not isinstance(section, dict):
        at = _at(text, path, word)
        raise RuleError(f"{word!r} is a type, so it is a section", at, f"write [{word}]")
    for op, cost in section.items():
        number = isinstance(cost, int | float) and not isinstance(cost, bool)
        if not number or not math.isfinite(cost) or cost <= 0:
            raise RuleError(
                f"the operator {op!r} costs {cost!r} in {word}",
                _at(text, path, op, word),
                "a cost is a finite number above 0: how many additions take as long",
            )
    return {op: float(cost) for op, cost in section.items()}


def priced(rules: RuleSet, table: CostTable) -> RuleSet:
    """The rule set with the costs of a table; RuleError for an operator that it does not have.

    >>> from ..rules import load
    >>> cheap = CostTable("cheap", "any", "1", "today", {Scalar.F32: {"exp": 3.0}})
    >>> priced(load(), cheap).operator("exp").costs[Scalar.F32]
    3.0
    """
    for kind, section in table.costs.items():
        for op in section:
            if op not in rules.operators:
                word = next(word for word, real in REALS.items() if real is kind)
                raise _unknown(op, word, table, rules.operators)
    operators = {
        name: tuple([_priced(op, table) for op in overloads])
        for name, overloads in rules.operators.items()
    }
    return replace(rules, operators=operators, prices=table.about)


def _priced(operator: Operator, table: CostTable) -> Operator:
    new = {k: s[operator.name] for k, s in table.costs.items() if operator.name in s}
    if not new or operator.is_composite:
        return operator
    cost = 1.0 if operator.cost is None else operator.cost
    return replace(operator, cost=cost, costs={**operator.costs, **new})


def _unknown(op: str, word: str, table: CostTable, known: Collection[str]) -> RuleError:
    at = None
    if table.path:
        at = _at(Path(table.path).read_text(encoding="utf-8"), table.path, op, word)
    hint = "give the rule file that has it, rules=[…], or take the line out"
    message = f"the table of costs {table.name!r} prices {op!r}, which is no operator"
    return RuleError(message + nearest(op, known), at, hint)


def _at(text: str, path: str, key: str, section: str = "") -> Span:
    """Where a key of a section stands, or the first line."""
    inside = ""
    for number, line in enumerate(text.split("\n"), 1):
        header = re.match(r"\s*\[\s*(\w+)\s*\]", line)
        inside = header[1] if header else inside
        named = header and not section and header[1] == key
        if named or (inside == section and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line)):
            return _span(text, path, number)
    return _span(text, path, 1)


def _span(text: str, path: str, line: int) -> Span:
    lines = text.split("\n")
    shown = lines[line - 1] if 0 < line <= len(lines) else ""
    return Span(path, line, 1 + len(shown) - len(shown.lstrip()), text=shown)


def _quoted(text: str) -> str:
    """A TOML string."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else " " for c in plain) + '"'
