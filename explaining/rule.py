"""Rules as mathematics: what a rule file says of a name, in Unicode or LaTeX.

Takes `trig.rules:atan2`, gives its operator with derivative, domain, conventions and cost, its
rewrites and its facts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from .. import rules as rule_files
from ..rules.loader.load import blocks_of
from ..rules.loader.places import set_name
from ..rules.maths import Writing, latex, unicode
from ..terms.errors import RuleError, nearest
from ..terms.rule import Fact, Operator, Rewrite, RuleSet
from ..terms.term import CONST, SELECT, Term, toposort, var


def is_rule(spec: str) -> bool:
    """Whether `FILE:NAME` is about a rule: by what the file is; a name alone is one of a rule.

    >>> is_rule("trig.rules:atan2"), is_rule("trig:atan2"), is_rule("mine.py:f"), is_rule("atan2")
    (True, True, False, True)
    """
    file = _parts(spec)[0]
    return file.endswith(".rules") or file in rule_files.shipped() or spec.isidentifier()


def explain_rule(spec: str, *, latex: bool = False) -> str:
    r"""What a rule file says of a name, as mathematics; without a name, all that it says.

    `spec`: `FILE:NAME`, the file by its path or as a shipped set; shipped operators need none.
    With `latex`, formulas are in LaTeX, between `\(` and `\)`. Raises RuleError where there is no
    such file or name.

    >>> print(explain_rule("trig.rules:sin"))
    sin(x) → y    trig.rules:6
      Sine.
      derivative    ∂y/∂x = cos(x)
      domain        everywhere
      range         −1 ≤ y ∧ y ≤ 1
      cost          20
    """
    if not isinstance(spec, str):
        raise RuleError(f"{spec!r} names no rule", hint="write explain_rule('trig.rules:sin')")
    file, name = _parts(spec)
    if file.isidentifier() and not (name or file in rule_files.shipped()):
        known = rule_files.load().operators
        raise RuleError(
            f"no operator that is shipped is called {file!r}{nearest(file, known)}",
            hint="write FILE.rules:NAME for a rule of a file, FILE.py:FUNC for a function",
        )
    file = set_name(file)
    blocks = blocks_of(file)
    names = list(dict.fromkeys(block.name for block in blocks))
    if not names:
        raise RuleError(f"there are no rules in {file}")
    if name and name not in names:
        raise RuleError(
            f"{file} says nothing of {name!r}{nearest(name, names)}",
            hint=f"it has {', '.join(sorted(names))}",
        )
    base = rule_files.load()
    by_default = f"{file.removesuffix('.rules')}.rules" in base.sources and not Path(file).exists()
    ruleset = base if by_default else rule_files.load([file])
    where = blocks[0].at.file if blocks else file
    way = _Latex() if latex else _Unicode()
    parts: list[str] = []
    for each in [name] if name else names:
        kinds = {block.kind for block in blocks if block.name == each}
        said = [b.options.get("unchecked", "") for b in blocks if b.name == each]
        unchecked = [str(why) for why in said if why]
        parts += _explained(ruleset, where, each, kinds, way, unchecked)
    return "\n\n".join(parts)


def _parts(spec: str) -> tuple[str, str]:
    """File and name; a drive's colon is no separator, and there may be no name, or no file."""
    file, colon, name = spec.rpartition(":")
    if colon and "/" not in name and "\\" not in name:
        return file, name
    shipped = () if spec in rule_files.shipped() else rule_files.load().operators.get(spec, ())
    return (shipped[0].at.file, spec) if shipped else (spec, "")


def _explained(
    rules: RuleSet, file: str, name: str, kinds: set[str], way: _Unicode, unchecked: list[str]
) -> Iterator[str]:
    """What one name of a file is: an operator (or what the file adds to one), or rules."""
    if kinds - {"rewrite", "fact"} and name in rules.operators:
        for operator in rules.operators[name]:
            yield "\n".join(way.operator(operator, file, unchecked))
    rewrites = [r for r in rules.rewrites if r.at.file == file and _stem(r.name) == name]
    facts = [f for f in rules.facts if f.at.file == file and _stem(f.name) == name]
    if rewrites or facts:
        lines = [f"{name}    {(rewrites or facts)[0].at.file}"]
        lines += [line for rule in rewrites for line in way.rewrite(rule)]
        lines += [line for fact in facts for line in way.fact(fact)]
        yield "\n".join(lines)


def _stem(name: str) -> str:
    """The block that a rule is from: `mul_one.2` is the second line of `mul_one`."""
    stem, _, number = name.rpartition(".")
    return stem if number.isdigit() else name


@dataclass(frozen=True)
class _Unicode:
    """Rules as lines of text."""

    write: Writing = unicode
    arrow: str = "→"
    equal: str = "="

    def formula(self, left: str, right: Term) -> str:
        """`left = right`."""
        return f"{left} {self.equal} {self.write(right)}"

    def partial(self, above: str, below: str) -> str:
        """The partial derivative of one name by another."""
        return f"∂{above}/∂{below}"

    def shown(self, text: str) -> str:
        """A formula among words."""
        return text

    def symbol(self, name: str) -> str:
        """A variable."""
        return self.write(var(name))

    def line(self, what: str, text: str) -> str:
        """A labelled line."""
        return f"  {what:<12}  {text}"

    def operator(self, op: Operator, file: str, unchecked: list[str]) -> Iterator[str]:
        """Definition, derivative, domain, conventions and cost of an operator."""
        params = ", ".join(p.name if p.kind == "real" else f"{p.name}: {p.kind}" for p in op.params)
        there = f"{op.at.file}:{op.at.line}"
        also = "" if op.at.file == file else f", with what {file} says of it"
        yield f"{op.name}({params}) → {op.result.name}    {there}{also}"
        if op.doc:
            yield from (f"  {line}".rstrip() for line in op.doc.splitlines())
        result = self.symbol(op.result.name)
        if op.definition is not None:
            yield self.line("definition", self.shown(self.formula(result, op.definition)))
        elif not op.opencl:
            yield self.line("definition", "none: no kernel computes it, where no rule replaces it")
        if op.primal is not None:
            text = self.shown(self.formula(result, op.primal))
            beside = f", beside {' and '.join(op.beside)}" if op.beside else ""
            yield self.line("computed as", f"{text}  inside of derivatives{beside}")
        yield from self.derivative(op)
        domain = self.shown(self.write(op.domain)) if op.domain is not None else "everywhere"
        yield self.line("domain", domain)
        if op.range is not None:
            yield self.line("range", self.shown(self.write(op.range)))
        for text in self.conventions(op):
            yield self.line("convention", text)
        for why in dict.fromkeys([op.unchecked, *unchecked]):
            if why:
                yield self.line("unchecked", why)
        yield self.line("cost", self.cost(op))

    def derivative(self, op: Operator) -> Iterator[str]:
        """Partials, a backward side, a forward side; or why there is none."""
        found = False
        for param, partial in zip(op.params, op.partials, strict=False):
            if partial is not None:
                found = True
                left = self.partial(self.symbol(op.result.name), self.symbol(param.name))
                yield self.line("derivative", self.shown(self.formula(left, partial)))
        for param, pullback in zip(op.params, op.pullbacks, strict=False):
            if pullback is not None:
                found = True
                left = self.symbol(f"{param.name}_bar")
                yield self.line("backward", self.shown(self.formula(left, pullback)))
        if op.pushforward is not None:
            found = True
            yield self.line(
                "forward", self.shown(self.formula(f"d{op.result.name}", op.pushforward))
            )
        if not found:
            why = "that of its definition" if op.definition is not None else "none"
            yield self.line("derivative", "not differentiable" if op.nondiff else why)

    def conventions(self, op: Operator) -> Iterator[str]:
        """Values that a derivative has by decree: where a choice picks them at a single point."""
        sides = [
            (self.partial(self.symbol(op.result.name), self.symbol(p.name)), e)
            for p, e in zip(op.params, op.partials, strict=False)
            if e is not None
        ]
        for left, expression in sides:
            choices = [t for t in toposort([expression]) if t.op == SELECT]
            for choice in choices:
                condition, value, _ = choice.args
                points = [t for t in toposort([condition]) if t.op == "eq"]
                if points and value.op == CONST:
                    which = left if choice is expression else f"a factor of {self.shown(left)}"
                    text = f"{self.shown(self.formula('', value)).strip()}"
                    where = self.shown(self.write(condition))
                    yield f"{self.shown(which) if which is left else which} {text} where {where}"

    def cost(self, op: Operator) -> str:
        """What computing it costs, by type where types differ."""
        if op.cost is None:
            return "that of its definition" if op.definition is not None else "none is stated"
        other = [f"{kind.value} {cost:g}" for kind, cost in op.costs.items() if cost != op.cost]
        return f"{op.cost:g}" + (f" ({', '.join(other)})" if other else "")

    def rewrite(self, rule: Rewrite) -> Iterator[str]:
        """Left, right, conditions, and how it is applied."""
        left, right = self.write(rule.lhs), self.write(rule.rhs)
        if left == right:  # pow(x, 2) >> x * x
            left, right = self.write(rule.lhs, exact=True), self.write(rule.rhs, exact=True)
        text = self.shown(f"{left} {self.arrow} {right}")
        when = [self.shown(self.write(c)) for c in rule.conditions]
        if rule.below is not None:
            when.append(f"the left side costs less than {rule.below:g}")
        notes = [rule.tag.value]
        notes += ["directed: the left side goes"] if rule.directed else []
        notes += ["before derivatives are taken"] if rule.primal else []
        notes += ["where more than sums read it"] if rule.digits else []
        own = rule.group and rule.group != PurePath(rule.at.file).stem
        notes += [f"group {rule.group}"] if own else []
        notes += [] if rule.on else ["off unless its group is switched on"]
        notes += [f"in {rule.rounds} iterations only"] if rule.rounds else []
        notes += [f"unchecked: {rule.unchecked}"] if rule.unchecked else []
        yield f"  {text}" + (f"  if {' and '.join(when)}" if when else "")
        yield f"      {'; '.join(notes)}    {rule.at.file}:{rule.at.line}"

    def fact(self, fact: Fact) -> Iterator[str]:
        """What is known of values, and when."""
        when = [self.shown(self.write(c)) for c in fact.conditions]
        text = self.shown(self.write(fact.conclusion))
        yield f"  {text}" + (f"  if {' and '.join(when)}" if when else "")
        yield f"      fact    {fact.at.file}:{fact.at.line}"


class _Latex(_Unicode):
    """Rules as lines of text with formulas in LaTeX."""

    def __init__(self) -> None:
        super().__init__(latex, r"\to", "=")

    def partial(self, above: str, below: str) -> str:
        return rf"\frac{{\partial {above}}}{{\partial {below}}}"

    def shown(self, text: str) -> str:
        return rf"\({text}\)"
