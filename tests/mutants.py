"""Wrong rules made from right ones: every change of one token of a derivative or a rewrite.

Takes the text of a rule file, gives mutants: rule texts of one block each, with what was changed
and where. Knows nothing of checking.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

#: Operators of one kind, which mistakes take for one another.
SIGNS = ("+", "-", "*", "/")
#: Comparisons: the opposite, the one with or without equality, the mirrored one.
COMPARISONS = {
    "<": (">=", "<=", ">"),
    "<=": (">", "<", ">="),
    ">": ("<=", ">=", "<"),
    ">=": ("<", ">", "<="),
    "==": ("!=",),
    "!=": ("==",),
}
KEYWORDS = {"and": "or", "or": "and", "not": "", "True": "False", "False": "True"}


@dataclass(frozen=True)
class Edit:
    """A piece of a source text and what stands there instead; `kind` says what that changes."""

    start: int
    end: int
    new: str
    kind: str


@dataclass(frozen=True)
class Mutant:
    """A block with one mistake, and the block without it; `line` of the shipped file."""

    file: str
    line: int
    rule: str
    what: str  # "derivative", "rewrite", "substitute"
    kind: str  # "sign", "operator", "argument", "constant", "condition"
    change: str
    text: str
    original: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: [{self.rule}] {self.kind}: {self.change}"


class Source:
    """A rule file: its text, and where the nodes of its tree stand in it."""

    def __init__(self, path: Path, siblings: dict[str, tuple[str, ...]]) -> None:
        self.file, self.text = path.name, path.read_text(encoding="utf-8")
        self.siblings = siblings
        self.tree = ast.parse(self.text)
        self.lines = self.text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends in the text; columns are bytes in `ast`."""
        return (
            self._offset(node.lineno, node.col_offset),
            self._offset(node.end_lineno, node.end_col_offset),
        )

    def _offset(self, line: int, column: int) -> int:
        inside = self.lines[line - 1].encode()[:column].decode()
        return self.starts[line - 1] + len(inside)

    def segment(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def edits(self, node: ast.expr, names: dict[str, str]) -> Iterator[Edit]:
        """Every change of one token in an expression, over names with their kinds."""
        begin, _ = self.span(node)
        text = self.segment(node)
        found = list(tokenize.generate_tokens(io.StringIO(f"({text}\n)").readline))[1:]
        starts = [0]
        for line in text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        tokens = []
        for token in found:
            row, column = token.start
            at = starts[row - 1] + column - (row == 1) if row <= len(starts) else len(text)
            if at < len(text) and token.type in (tokenize.NAME, tokenize.NUMBER, tokenize.OP):
                tokens.append((at + begin, token))
        if tokens[0][1].string not in (*names, "-", "not", "const", "exists"):
            yield Edit(begin, begin, "-", "sign")
        before = "("
        for index, (at, token) in enumerate(tokens):
            after = tokens[index + 1][1].string if index + 1 < len(tokens) else ""
            for new, kind in self._instead(token, before, after, names):
                yield Edit(at, at + len(token.string), new, kind)
            before = token.string
        yield from self._conditions(node)

    def _instead(
        self, token: tokenize.TokenInfo, before: str, after: str, names: dict[str, str]
    ) -> Iterator[tuple[str, str]]:
        text = token.string
        if token.type == tokenize.NUMBER:
            for new in _constants(text):
                yield new, "constant"
        elif text in COMPARISONS:
            for new in COMPARISONS[text]:
                yield new, "condition"
        elif text in KEYWORDS:
            yield KEYWORDS[text], "condition"
        elif text == "-" and (before in ("(", ",", "[", ">>", *SIGNS, *COMPARISONS, *KEYWORDS)):
            yield "", "sign"
        elif text in SIGNS:
            for new in SIGNS:
                if new != text:
                    yield new, "operator"
        elif text == "**":
            yield "*", "operator"
        elif token.type == tokenize.NAME and after == "(":
            for new in self.siblings.get(text, ()):
                yield new, "operator"
        elif text in names:
            if names[text] not in ("bool", "any"):
                yield f"-{text}", "sign"
            for new, kind in names.items():
                if new != text and kind == names[text]:
                    yield new, "argument"

    def _conditions(self, node: ast.expr) -> Iterator[Edit]:
        """Choices whose condition is dropped: always the one arm, always the other."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.IfExp):
                start, end = self.span(inner.test)
                yield Edit(start, end, "True", "condition")
                yield Edit(start, end, "False", "condition")

    def mutants(self) -> Iterator[Mutant]:
        """All mutants of the file, in order, each text once."""
        seen = set()
        for mutant in self._all():
            if (mutant.rule, mutant.text) not in seen and mutant.text != mutant.original:
                seen.add((mutant.rule, mutant.text))
                yield mutant

    def _all(self) -> Iterator[Mutant]:
        for node in self.tree.body:
            if not isinstance(node, ast.FunctionDef) or _unchecked(node):
                continue
            kind = _decorator(node)
            if kind in ("rewrite", "primal") and node.returns is None:
                yield from self._rewrites(node, kind)
            elif kind == "primal":
                yield from self._substitute(node)
            elif kind in ("", "op", "derivative"):
                yield from self._derivative(node)

    # ------------------------------------------------------------------------ derivatives

    def _derivative(self, node: ast.FunctionDef) -> Iterator[Mutant]:
        """The derivative lines of a block, and the locals in them, as an overlay."""
        if not isinstance(node.returns, ast.Name):
            lines = [s.targets[0] for s in node.body if isinstance(s, ast.Assign)]
            if any(_names(line) & _tangents(node) for line in lines):
                raise ValueError(f"{self.file}: {node.name} has derivatives of several results")
            return
        result = node.returns.id
        params = _params(node)
        wanted = {f"d{result}_d{p}" for p in params} | {f"{p}_bar" for p in params}
        wanted |= {f"d{result}"}
        lines = {
            s.targets[0].id: s
            for s in node.body
            if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
        }
        derivative = [name for name in lines if name in wanted]
        waiting, needed = list(derivative), set(derivative)
        while waiting:
            for inner in ast.walk(lines[waiting.pop()].value):
                known = isinstance(inner, ast.Name) and inner.id in lines and inner.id != result
                if known and inner.id not in needed:
                    needed.add(inner.id)
                    waiting.append(inner.id)
        chosen = [lines[name] for name in lines if name in needed]
        kind_of = params.get(next(iter(params), ""), "real")
        names = {**params, result: kind_of}
        head = f"@derivative\ndef {self._head(node)} -> {result}:\n"
        for line in chosen:
            for edit in self.edits(line.value, names):
                yield self._mutant(node.name, "derivative", head, chosen, line, edit)
            if line.targets[0].id not in wanted:
                names[line.targets[0].id] = "real"

    def _substitute(self, node: ast.FunctionDef) -> Iterator[Mutant]:
        """A `@primal` block of an operator."""
        lines = [s for s in node.body if isinstance(s, ast.Assign)]
        head = f"@primal\ndef {self._head(node)} -> {node.returns.id}:\n"
        for line in lines:
            for edit in self.edits(line.value, _params(node)):
                yield self._mutant(node.name, "substitute", head, lines, line, edit)

    def _head(self, node: ast.FunctionDef) -> str:
        return f"{node.name}({', '.join(self.segment(a) for a in node.args.args)})"

    # --------------------------------------------------------------------------- rewrites

    def _rewrites(self, node: ast.FunctionDef, kind: str) -> Iterator[Mutant]:
        """Every rewrite of a block alone, under its condition."""
        options = node.decorator_list[0]
        tag = f"@{self.segment(options)}"
        number = 0
        for statement in node.body:
            test = statement.test if isinstance(statement, ast.If) else None
            for line in statement.body if test is not None else [statement]:
                if not isinstance(line.value, ast.BinOp) or not isinstance(
                    line.value.op, ast.RShift
                ):
                    continue  # the docstring
                number += 1
                name = node.name if number == 1 else f"{node.name}.{number}"
                yield from self._rewrite(node, name, tag, test, line.value)

    def _rewrite(
        self, node: ast.FunctionDef, name: str, tag: str, test: ast.expr | None, rule: ast.BinOp
    ) -> Iterator[Mutant]:
        params = _params(node)
        sides = [rule.left, rule.right, *([test] if test is not None else [])]
        lhs_names = {n.id for n in ast.walk(rule.left) if isinstance(n, ast.Name)}
        used = {n: k for n, k in params.items() if n in lhs_names}
        texts = [self.segment(s) for s in sides]
        dropped = []
        if test is not None:  # the block's other lines may need the rest of the condition
            parts = test.values if isinstance(test, ast.BoolOp) else [test]
            dropped = [i for i, p in enumerate(parts) if _names(p) <= lhs_names]
            parts = [parts[i] for i in dropped]
            texts[2:] = [" and ".join(self.segment(p) for p in parts)] if parts else []

        def block(lhs: str, rhs: str, condition: str = "") -> str:
            words = set(_words(f"{lhs} {rhs} {condition}"))
            head = ", ".join(
                self.segment(a) for a in node.args.args if a.arg in words and a.arg in params
            )
            body = f"({lhs}) >> ({rhs})"
            body = f"if {condition}:\n        {body}" if condition else body
            return f"{tag}\ndef {node.name}({head}):\n    {body}\n"

        original = block(*texts)
        shape = Mutant(self.file, rule.lineno, name, "rewrite", "", "", "", original)
        for index, side in enumerate(sides[:2]):
            start, end = self.span(side)
            for edit in self.edits(side, used):
                changed = list(texts)
                changed[index] = _edited(self.text, edit, start, end)
                yield _filled(shape, self.text, edit, block(*changed))
        if len(texts) < 3:
            return
        for index, part in enumerate(parts):
            start, end = self.span(part)
            others = [self.segment(p) for i, p in enumerate(parts) if i != index]
            yield replace(
                shape,
                kind="condition",
                change=f"without {self.segment(part)}",
                text=block(texts[0], texts[1], " and ".join(others)),
            )
            for edit in self.edits(part, used):
                one = _edited(self.text, edit, start, end)
                all_parts = [self.segment(p) for p in parts]
                all_parts[index] = one
                text = block(texts[0], texts[1], " and ".join(all_parts))
                yield _filled(shape, self.text, edit, text)

    def _mutant(
        self,
        rule: str,
        what: str,
        head: str,
        lines: list[ast.Assign],
        changed: ast.Assign,
        edit: Edit,
    ) -> Mutant:
        plain, mutated = [], []
        for line in lines:
            start, end = self.span(line.value)
            target = line.targets[0].id
            plain.append(f"    {target} = ({self.text[start:end]})\n")
            text = _edited(self.text, edit, start, end) if line is changed else None
            mutated.append(f"    {target} = ({text})\n" if text is not None else plain[-1])
        shape = Mutant(self.file, changed.lineno, rule, what, "", "", "", head + "".join(plain))
        return _filled(shape, self.text, edit, head + "".join(mutated))


def _filled(shape: Mutant, text: str, edit: Edit, mutated: str) -> Mutant:
    old = text[edit.start : edit.end] or "(nothing)"
    before = text[max(edit.start - 12, 0) : edit.start].rpartition("\n")[2].lstrip()
    after = text[edit.end : edit.end + 12].partition("\n")[0]
    change = f"{old} -> {edit.new or '(nothing)'} in {before}[{old}]{after}"
    return replace(shape, kind=edit.kind, change=change, text=mutated)


def _edited(text: str, edit: Edit, start: int, end: int) -> str:
    return text[start : edit.start] + edit.new + text[edit.end : end]


def _constants(text: str) -> Iterator[str]:
    value = float(text) if any(c in text for c in ".eE") else int(text)
    seen = {repr(value)}
    for new in (value + 1, value - 1, 2 * value, -value if value else -0.0):
        if repr(new) not in seen:
            seen.add(repr(new))
            yield repr(new) if repr(new)[0] != "-" else f"({new!r})"


def _params(node: ast.FunctionDef) -> dict[str, str]:
    return {
        a.arg: a.annotation.id if isinstance(a.annotation, ast.Name) else "real"
        for a in node.args.args
    }


def _tangents(node: ast.FunctionDef) -> set[str]:
    """The names of derivative lines of a function with several results."""
    results, params = _names(node.returns), _params(node)
    partials = {f"d{r}_d{p}" for r in results for p in params}
    return partials | {f"d{r}" for r in results} | {f"{p}_bar" for p in params}


def _decorator(node: ast.FunctionDef) -> str:
    if not node.decorator_list:
        return ""
    first = node.decorator_list[0]
    return first.func.id if isinstance(first, ast.Call) else first.id


def _unchecked(node: ast.FunctionDef) -> bool:
    return any(
        k.arg == "unchecked"
        for d in node.decorator_list
        if isinstance(d, ast.Call)
        for k in d.keywords
    )


def _names(node: ast.AST) -> set[str]:
    called = {n.func.id for n in ast.walk(node) if isinstance(n, ast.Call)}
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - called


def _words(text: str) -> list[str]:
    return re.findall(r"\b[^\W\d]\w*", text)


def siblings(operators: dict[str, tuple]) -> dict[str, tuple[str, ...]]:
    """For every operator of scalars the two next to it with as many parameters."""
    groups: dict[tuple, list[str]] = {}
    for name, overloads in operators.items():
        operator = overloads[0]
        kinds = {p.kind for p in (*operator.params, operator.result)}
        if len(overloads) == 1 and kinds <= {"real", "number"}:
            groups.setdefault((len(operator.params),), []).append(name)
    found = {}
    for names in groups.values():
        for i, name in enumerate(names):
            near = (names[i - 1], names[(i + 1) % len(names)])
            found[name] = tuple(n for n in dict.fromkeys(near) if n != name)
    return found
