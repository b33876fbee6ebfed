"""The lines of an operator block, sorted.

Takes the statements of a block and the names and signatures in scope, gives terms and texts;
knows nothing of what an operator needs to be complete.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...terms.errors import nearest
from ...terms.rule import Parameter
from ...terms.term import Term, var
from ...terms.types import Scalar
from .calls import Known, Local, Scope, Signature, Typed, scalar_of_kind, shape_of_kind
from .derivatives import Names, NotLinear, coefficients, names_of
from .expressions import items_of, read
from .parse import Block, kind_of, option_value
from .shapes import misshapen
from .source import describe, doc_of, instead_of
from .spelling import (
    DTYPES,
    MEANING_HINT,
    SPELLING_HINT,
    check_meaning,
    check_spelling,
    dotted,
    dtypes_of,
)

_TEXTS = ("numpy", "mpmath", "aliases")
_FACTS = ("domain", "range")
_NEVER_LOCAL = frozenset(("pi", "e", "inf", "nan", "sum", "rows", "columns", "const"))


@dataclass(slots=True)
class Body:
    """The statements of an operator block, sorted; terms are over its parameters."""

    kind: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    spellings: dict[Scalar, str] = field(default_factory=dict)
    cost: float | None = None
    conditions: dict[str, Term] = field(default_factory=dict)
    definition: Typed | None = None
    partials: dict[str, Term] = field(default_factory=dict)
    forward: Term | None = None
    pullbacks: dict[str, Term] = field(default_factory=dict)
    last: ast.AST | None = None  # a derivative line, for errors

    @property
    def derivative(self) -> bool:
        """Whether the block states any derivative."""
        return bool(self.partials or self.pullbacks or self.forward is not None)


class BodyReader:
    """Reads the statements of one block in order; locals are substituted as they come."""

    def __init__(
        self,
        block: Block,
        params: Sequence[Parameter],
        result: Parameter,
        operators: Mapping[str, Sequence[Signature]],
        memo: dict[int, Known] | None = None,
    ) -> None:
        self.block = block
        self.memo = {} if memo is None else memo
        self.params = params
        self.result = result
        self.names: Names = names_of(params, result.name if len(block.results) == 1 else "")
        self.body = Body()
        self.called: list[Signature] = []
        self.operators = operators
        self.results = {*block.results, *self.names.all()}  # of a kind that is not known at first
        self.base = self._variables()
        self.locals: dict[str, Local] = {}
        self.used: set[str] = set()
        self.parts: dict[str, Typed] = {}  # of a tuple result
        self.bound: set[str] = set()
        self.together: list[list[str]] = []  # the names of one unpacking
        self.free: frozenset[str] = frozenset()  # names of the block in the last expression

    def _variables(self) -> dict[str, Typed]:
        """Every name that a line may use: parameters, result, tangents, cotangent."""
        known: dict[str, Typed] = {}
        kinds = [(p.name, p.kind) for p in self.params]
        if len(self.block.results) == 1:
            kinds.append((self.result.name, self.result.kind))
            cotangents = [self.names.cotangent] if self.names.cotangent else []
            kinds += [(name, self.result.kind) for name in (*cotangents, *self.block.silent)]
        by_name = dict(kinds)
        kinds += [(d, by_name[p]) for d, p in self.names.tangents.items()]
        for name, kind in kinds:
            if name in known:
                message = f"the name {name!r} is both a parameter and a derivative name"
                raise self.block.error(self.block.at, message, "rename a parameter")
            known[name] = Typed(var(name, scalar_of_kind(kind)), shape_of_kind(kind))
        params = {p.name for p in self.params}
        for name in self.names.all():
            if name in params:
                message = f"the name {name!r} is both a parameter and a derivative name"
                raise self.block.error(self.block.at, message, "rename a parameter")
        return known

    def read(self) -> Body:
        """All statements; then what is left over."""
        for statement in self.block.body:
            self._statement(statement)
        if self.parts:
            self._tuple_definition()
        for names in self.together:  # who wants one item has them all
            self.used |= set(names) if self.used.intersection(names) else set()
        for name, local in self.locals.items():
            if name not in self.used:
                hint = "use it below, or remove the line"
                known = [*self.names.partials, *self.names.backward, *self.block.results]
                message = f"the local {name!r} is never used{nearest(name, known)}"
                raise self.block.error(local.node, message, hint)
        return self.body

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant(value=v)) if v is Ellipsis:
                return
            case ast.Pass():
                return
            case ast.AnnAssign(target=ast.Name(id=name), value=None, annotation=annotation):
                if name != self.result.name or self.body.kind:
                    hint = f"the result is called {self.result.name}"
                    raise self.block.error(node, f"{name!r} is not the result", hint)
                self.body.kind = kind_of(annotation, self.block.name, self.block.source)
                return
            case ast.Assign(targets=targets, value=value) if all(
                isinstance(target, ast.Name) for target in targets
            ):
                self._assignment([t for t in targets if isinstance(t, ast.Name)], value)
                return
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=value) if all(
                isinstance(target, ast.Name) for target in elts
            ):
                self._unpacking([t for t in elts if isinstance(t, ast.Name)], value)
                return
            case ast.Expr(value=ast.BinOp(op=ast.RShift())):
                hint = "put rewrites into a block of their own, under @rewrite(exact|real|fast)"
                raise self.block.error(node, "a rewrite cannot stand here", hint)
        what = "a second docstring" if doc_of(node) is not None else describe(node)
        raise self.block.error(node, f"{what} cannot stand here", instead_of(node))

    def _assignment(self, targets: list[ast.Name], value: ast.expr) -> None:
        names = [target.id for target in targets]
        for target in targets:
            if target.id in self.bound:
                raise self.block.error(target, f"{target.id!r} is stated twice", "keep one line")
            self.bound.add(target.id)
        if all(name in DTYPES or name == "opencl" for name in names):
            self._spelling(names, targets, value)
            return
        if len(targets) > 1:
            hint = "only f16 = f32 = f64 = … may share a line"
            raise self.block.error(targets[1], "one name per line", hint)
        target, name = targets[0], names[0]
        if self.block.kind == "opencl":
            hint = 'an @opencl block holds lines such as f32 = f64 = "fabs({x})"'
            raise self.block.error(target, f"{name!r} cannot stand in an @opencl block", hint)
        if name in (*_TEXTS, *_FACTS, "cost"):
            self._property(name, target, value)
        else:
            self._equation(name, target, value)

    def _unpacking(self, targets: list[ast.Name], value: ast.expr) -> None:
        """`s, c = sincos(x)`: a local, or a result, for each item of a tuple."""
        names = [target.id for target in targets]
        whole = self._expression(value, set(self.base), "a tuple")
        if whole.shape is not None:
            raise self.block.error(value, "this is no tuple", f"write {names[0]} = … alone")
        items = items_of(whole, self.operators)
        if items not in (0, len(names)):
            message = f"there are {items} values for {len(names)} names"
            raise self.block.error(value, message, "write one name for each")
        for i, target in enumerate(targets):
            if target.id in self.bound or target.id in names[:i]:
                raise self.block.error(target, f"{target.id!r} is stated twice", "keep one line")
            item = ast.Subscript(value, ast.Constant(i), ast.Load())
            self._equation(
                target.id, target, ast.fix_missing_locations(ast.copy_location(item, value))
            )
        self.bound |= set(names)
        self.together.append(names)

    def _property(self, name: str, target: ast.Name, value: ast.expr) -> None:
        if self.block.kind != "op":
            hint = "state it in the block that defines the operator"
            raise self.block.error(target, f"{name!r} cannot stand under @{self.block.kind}", hint)
        if name in _FACTS:
            allowed = {p.name for p in self.params}
            if name == "range":
                allowed.add(self.result.name)
            found = self._expression(value, allowed, f"the {name}")
            if found.term.type is not Scalar.BOOL or found.shape != ():
                hint = f"write a comparison: {name} = x >= 0"
                raise self.block.error(value, f"the {name} is not a condition", hint)
            self.body.conditions[name] = found.term
        elif name == "cost":
            self.body.cost = option_value("cost", value, self.block.name, self.block.source)
        else:
            self.body.texts[name] = self._text(name, value)

    def _text(self, name: str, value: ast.expr) -> str:
        text = value.value if isinstance(value, ast.Constant) else None
        if not isinstance(text, str) or not text.strip():
            raise self.block.error(value, f"{name} must be a text", f'write {name} = "…"')
        text = text.strip()
        params = [p.name for p in self.params]
        if name == "aliases":
            aliases = [alias.strip() for alias in text.split(",")]
            if all(a.isascii() and "." in a and dotted(a) for a in aliases):
                return ",".join(aliases)
            hint = 'write qualified names: aliases = "numpy.arctan2, math.atan2"'
            raise self.block.error(value, "these are not qualified names", hint)
        fault = check_meaning(text, params, "NumPy" if name == "numpy" else "mpmath")
        if fault:
            raise self.block.error(value, fault, MEANING_HINT)
        return text

    def _spelling(self, names: list[str], targets: list[ast.Name], value: ast.expr) -> None:
        if self.block.kind not in ("op", "opencl"):
            hint = "spellings stand in the operator's block, or under @opencl"
            raise self.block.error(targets[0], f"{names[0]!r} cannot stand here", hint)
        text = value.value if isinstance(value, ast.Constant) else None
        if not isinstance(text, str):
            raise self.block.error(value, "an OpenCL spelling is a text", SPELLING_HINT)
        fault = check_spelling(text, [p.name for p in self.params], self.block.results)
        if fault:
            raise self.block.error(value, fault, SPELLING_HINT)
        possible = dtypes_of(self.params)
        for name, target in zip(names, targets, strict=True):
            dtype = DTYPES.get(name)
            if name == "opencl":
                for each in possible:
                    self.body.spellings.setdefault(each, text)
            elif dtype in possible:
                assert dtype is not None
                self.body.spellings[dtype] = text
            elif dtype is not None or Scalar.I32 not in possible:
                hint = f"it has forms for {', '.join(map(repr, possible))}"
                raise self.block.error(target, f"{self.block.name} has no {name} form", hint)

    def _equation(self, name: str, target: ast.Name, value: ast.expr) -> None:
        names, result = self.names, self.block.results
        params = {p.name: p for p in self.params}
        if name in params:
            raise self.block.error(target, f"the parameter {name!r} is assigned", "rename it")
        if name in result:
            self._definition(name, target, value)
            return
        primal = {*params, *result}
        if name in names.partials:
            by = names.partials[name]
            found = self._derivative(target, value, primal, "a partial", params[by])
            self.body.partials[by] = found.term
        elif name == names.forward:
            self._forward(target, value, primal)
        elif name in names.backward:
            allowed = primal | {names.cotangent, *self.block.silent}
            by = names.backward[name]
            found = self._derivative(target, value, allowed, "a backward line", params[by])
            if self.block.silent:
                self.body.partials[by] = self._own_share(found.term, value)
            else:
                self.body.pullbacks[by] = found.term
        else:
            self._local(name, target, value)

    def _derivative(
        self, target: ast.Name, value: ast.expr, allowed: set[str], what: str, like: Parameter
    ) -> Typed:
        """A derivative line, in the shape of what it is by, or of the result if it is forward."""
        if self.block.kind == "primal":
            hint = "derivatives stand in the operator's block, or under @derivative"
            raise self.block.error(target, "a derivative cannot stand under @primal", hint)
        self.body.last = target
        found = self._expression(value, allowed, what)
        fault = misshapen(target.id, found, like, self.params, self.result)
        if fault is not None:
            raise self.block.error(target if fault.of_name else value, fault.message, fault.hint)
        return found

    def _own_share(self, term: Term, value: ast.expr) -> Term:
        """What a backward line of several results says about this one: its partial."""
        bars = [self.names.cotangent, *self.block.silent]
        if not all(p.is_scalar for p in (*self.params, self.result)):
            line = f"d{self.result.name}{'_d…' if self.result.is_scalar else ''}"
            hint = f"write {line} = … for each result"
            raise self.block.error(
                value, "several results of vectors need lines of their own", hint
            )
        try:
            return coefficients(term, [self.base[bar].term for bar in bars])[0]
        except NotLinear as fault:
            message = str(fault).replace("tangent", "cotangent")
            hint = f"a backward rule is linear in {', '.join(sorted(bars))}"
            raise self.block.error(value, message, hint) from None

    def _forward(self, target: ast.Name, value: ast.expr, primal: set[str]) -> None:
        tangents = list(self.names.tangents)
        allowed = primal | set(tangents)
        found = self._derivative(target, value, allowed, "a forward line", self.result)
        if not all(p.is_scalar for p in (*self.params, self.result)):
            self.body.forward = found.term  # linear or not: the definitions of what it calls say
            return
        try:
            forms = coefficients(found.term, [self.base[name].term for name in tangents])
        except NotLinear as fault:
            hint = f"a forward rule is linear in {', '.join(tangents)}: {target.id} = (…) * d…"
            raise self.block.error(value, str(fault), hint) from None
        for tangent, form in zip(tangents, forms, strict=True):
            param = self.names.tangents[tangent]
            if param in self.body.partials:
                message = f"the derivative by {param!r} is stated twice"
                raise self.block.error(target, message, "keep one of the two lines")
            self.body.partials[param] = form
        self.bound |= set(self.names.partials)

    def _definition(self, name: str, target: ast.Name, value: ast.expr) -> None:
        if self.block.kind == "derivative":
            hint = "only derivative lines stand under @derivative"
            raise self.block.error(target, "a definition cannot stand here", hint)
        calls: list[Signature] = []
        found = self._expression(value, {p.name for p in self.params}, "a definition", calls)
        self.called += calls
        if len(self.block.results) > 1:
            self.parts[name] = found  # the later results may use it, like a local
            self.locals[name] = Local(found, self.free, calls, target)
            self.used.add(name)
        else:
            self.body.definition = found

    def _tuple_definition(self) -> None:
        missing = [name for name in self.block.results if name not in self.parts]
        if missing:
            message = f"the result {missing[0]!r} is never defined"
            raise self.block.error(self.block.at, message, f"write {missing[0]} = …")
        terms = tuple(self.parts[name].term for name in self.block.results)
        self.body.definition = Typed(Term("tuple", terms), None)

    def _local(self, name: str, target: ast.Name, value: ast.expr) -> None:
        known = self.names.all()
        if name in known:
            hint = f"derivative lines bind {', '.join([*self.names.partials, self.names.forward])}"
            raise self.block.error(target, f"{name!r} is given, not defined here", hint)
        parts = name.split("_d")
        looks = name.endswith("_bar") or (len(parts) == 2 and name.startswith("d") and all(parts))
        if looks and self.block.results:
            close = nearest(name, [*self.names.partials, *self.names.backward])
            message = f"{name!r} is no derivative of {self.block.name}{close}"
            hint = (
                f"derivative lines bind {', '.join([*self.names.partials, *self.names.backward])}"
            )
            raise self.block.error(target, message, hint)
        if name in _NEVER_LOCAL:
            raise self.block.error(target, f"{name!r} is a reserved name", "rename it")
        calls: list[Signature] = []
        found = self._expression(value, set(self.base), "a local", calls)
        self.locals[name] = Local(found, self.free, calls, target)

    def _expression(
        self, value: ast.expr, allowed: set[str], what: str, calls: list[Signature] | None = None
    ) -> Typed:
        known = self.memo.get(id(value))
        if known is None:
            known = self._read(value, allowed, what)
            if not known.seen & self.results:
                self.memo[id(value)] = known
        seen = known.seen
        self.used |= seen
        if calls is not None:
            inner = [self.locals[n].calls for n in sorted(seen & self.locals.keys())]
            calls += dict.fromkeys(c for group in (known.called, *inner) for c in group)
        inner_free = [self.locals[n].free for n in seen & self.locals.keys()]
        self.free = frozenset(seen & self.base.keys()).union(*inner_free)
        return known.value

    def _read(self, value: ast.expr, allowed: set[str], what: str) -> Known:
        names = {n: t for n, t in self.base.items() if n in allowed}
        hidden = {n: f"{n!r} is not in scope in {what}" for n in self.base if n not in allowed}
        for name, local in self.locals.items():
            if local.free <= allowed:
                names[name] = local.value
            else:
                first = min(local.free - allowed)
                hidden[name] = f"{name!r} uses {first!r}, which is not in scope in {what}"
        scope = Scope(self.block.source, self.block.name, names, self.operators, hidden)
        return Known(read(value, scope), scope.seen, scope.called, value)
