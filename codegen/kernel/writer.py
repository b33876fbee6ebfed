"""Takes statements in order, gives lines of OpenCL C; knows nothing of kernels around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath, PureWindowsPath

from ...terms.errors import EmitError, Span
from ...terms.loop import LOAD, LOOP, MEMORY, RESTORE, SAVE, TABLE
from ...terms.program import Note, Program
from ...terms.term import CONST, PROJ, VAR, Term, const, substitute, toposort
from ...terms.types import Memory, Scalar
from ..schedule import fusing
from ..schedule.schedule import Schedule
from ..schedule.statement import (
    Assign,
    Declare,
    Define,
    DefineJoint,
    Else,
    ElseIf,
    End,
    If,
    Statement,
    Written,
    computed,
)
from . import looping
from .joint import joined
from .memory import Arrays
from .spell import CTYPES, Spelling, constant, defined, unwrapped
from .wrapping import Spans

INDENT = "    "


class Writer:
    """Writes statements; every term has one name for the whole function."""

    def __init__(
        self, spelling: Spelling, plan: Schedule, named: Mapping[Term, str], arrays: Arrays
    ) -> None:
        self.notes: Mapping[Term, Note] = plan.notes
        self.inline = plan.inline
        self.fused = plan.fused
        self.copied, self.shared = plan.copied, plan.shared
        self.arrays = arrays
        self.names = arrays.names
        self.spelling = spelling
        self.rules = spelling.rules
        self.spans = Spans({})
        self.named = dict(named)
        self.loops: dict[Term, looping.Names] = {}
        self.top: set[Term] = set()  # terms that are defined outside of any branch
        self.uses = _uses(plan.roots)
        self.reorder = False  # additions of a loop may be reordered
        self.fusing = fusing.Fusing.NONE  # which sums of products are `fma`, in loops too
        self.said = ""
        self.levels = 1
        self.written: list[Written] = []  # one list for the whole function
        self.body: Program | None = None  # the loop's
        self.following: dict[Term, Term] = {}  # the loop's state variables, and the next ones
        self.late: dict[Term, str] = {}  # inputs, and the lines that load them: where first used
        self.asked: list[str] = []
        self.stores: dict[Term, list[str]] = {}  # results, and where they are stored: at once
        self.origin: Mapping[Term, Term] = plan.origin

    def inside(
        self,
        plan: Schedule,
        named: Mapping[Term, str],
        body: Program,
        origin: Mapping[Term, Term],
        spans: Spans,
    ) -> Writer:
        """A writer for the body of a loop; `origin` says what terms of its plan stand for."""
        writer = Writer(self.spelling, plan, named, self.arrays)
        writer.spans = spans
        writer.levels, writer.reorder, writer.said = self.levels + 1, self.reorder, self.said
        writer.fusing = self.fusing
        writer.written, writer.body = self.written, body
        if origin:
            old = list(plan.origin.values())
            back = dict(zip(plan.origin, substitute(old, origin), strict=True))
            terms = [t for t in toposort(plan.roots) if t not in back]
            now = zip(terms, substitute(terms, origin), strict=True)
            writer.origin = {**{t: o for t, o in now if t is not o}, **back}
        return writer

    def note(
        self, text: str, terms: Sequence[Term], place: int | None = None, result: int = -1
    ) -> None:
        """Remember what a line computes, or which result it is."""
        own = tuple([self.origin.get(t, t) for t in terms])
        names = tuple([self.named.get(t, "") for t in terms])
        found = Written(text.strip(), own, names, self.body, result)
        self.written.insert(len(self.written) if place is None else place, found)

    def statements(self, statements: Sequence[Statement]) -> list[str]:
        """The lines of statements."""
        # Names of the user's source are given before any temporary can take them.
        for statement in statements:
            if isinstance(statement, Define | Declare) and statement.term in self.notes:
                note = self.notes[statement.term]
                if note.name:
                    self.named[statement.term] = self.names.fresh(note.name)
        base, begins = self.levels, 0
        lines: list[str] = []
        found: list[Term] = []
        for statement in self.joined(statements):
            if self.levels == base:
                begins = len(lines)
                if isinstance(statement, Define):
                    self.top.add(statement.term)
            place = len(self.written)
            lines.append(self._line(statement))
            if terms := computed(statement):
                self.note(_telling(lines[-1], terms), terms, place)
            lines[begins:begins] = self.loads()
            found += [statement.target] if isinstance(statement, Assign) else terms
            if self.levels == base:
                for term in found:
                    places = self.stores.pop(term, ())
                    lines += [self.indented(f"{p} = {self._name(term)};") for p in places]
                found = []
        return lines

    def joined(self, statements: Sequence[Statement]) -> list[Statement]:
        """The statements with what one built-in computes as one; twice is as good as once."""
        return joined(statements, self.rules.joints, self._is_plain)

    def loads(self) -> list[str]:
        """The lines that load what has been named since the last call."""
        lines, self.asked = self.asked, []
        return lines

    def _line(self, statement: Statement) -> str:
        match statement:
            case Define(term=Term(op="loop") as term):
                return "\n".join([*self._declared(term, True), *self._run(term, True)])
            case Declare(term=Term(op="loop") as term):
                return "\n".join(self._declared(term, False))
            case Assign(value=Term(op="loop") as term):
                return "\n".join(self._run(term, False))
            case Declare(term=Term(type=Memory()) as term):
                return "\n".join(self._array(term))
            case (
                Define(term=Term(op="store" | "save" | "restore") as term)
                | Assign(value=Term(op="store" | "save" | "restore") as term, compute=True)
            ):
                return self._store(term)
            case Define(term=term):
                text = defined(CTYPES[term.type], self._name(term), self._value(term))
                return self.indented(text) + self._source(term)
            case DefineJoint(terms=terms, joint=joint):
                first, *others = terms
                lines = [f"{CTYPES[t.type]} {self._name(t)};" for t in others]
                operands = [self.operand(a) for a in first.args]
                out = [self._name(t) for t in others]
                call = self.spelling.joint(joint, first.type, operands, out)
                lines.append(f"const {CTYPES[first.type]} {self._name(first)} = {call};")
                return "\n".join(map(self.indented, lines)) + self._source(first)
            case Declare(term=term):
                return self.indented(f"{CTYPES[term.type]} {self._name(term)};")
            case Assign(target=target, value=value, compute=compute):
                text = self._value(value) if compute else unwrapped(self.operand(value))
                return self.indented(f"{self._name(target)} = {text};") + self._source(value)
            case If(condition=condition):
                line = self.indented(f"if ({unwrapped(self.operand(condition))}) {{")
                self.levels += 1
                return line
            case ElseIf(condition=condition):
                text = f"}} else if ({unwrapped(self.operand(condition))}) {{"
                return INDENT * (self.levels - 1) + text
            case Else():
                return INDENT * (self.levels - 1) + "} else {"
            case End():
                self.levels -= 1
                return self.indented("}")

    def _is_plain(self, term: Term) -> bool:
        """Whether a term is spelled as OpenCL's own function of its name."""
        names = [f"x{i}" for i in range(len(term.args))]
        return self.spelling.operation(term, names) == f"{term.op}({', '.join(names)})"

    def _declared(self, term: Term, begun: bool) -> list[str]:
        self.loops[term], lines = looping.declared(self, term, begun=begun)
        return lines

    def _run(self, term: Term, begun: bool) -> list[str]:
        return looping.loop_lines(self, term, self.loops[term], begun=begun)

    def _array(self, term: Term) -> list[str]:
        """An array for a memory, unless it has one, and the lines that declare it."""
        if term in self.named:
            return []
        assert isinstance(term.type, Memory)
        self.named[term], text = self.arrays.declare("array", term.type)
        return [self.indented(text)] if text else []

    def _store(self, term: Term) -> str:
        """`m[i] = value;`: the array of the old version is that of the new one.

        Where that was declared before the block that computes it, the old version is copied.
        """
        own = term in self.named or term in self.copied or term.args[0].op in (MEMORY, TABLE)
        lines = self._array(term) if own or term.op == RESTORE else []
        if term.op == RESTORE:
            source, place = (self.operand(a) for a in term.args)
            lines.append(looping.block(self, term.type, (self.named[term], ""), (source, place)))
            return "\n".join(lines)
        target, index, value = term.args
        if own:
            assert isinstance(term.type, Memory)
            source = "" if target.op == MEMORY else self.operand(target)
            lines.append(looping.each(self, term.type, self.named[term], source))
        else:
            self.named[term] = self.operand(target)
        array = self.named[term]
        if term.op == SAVE:
            here = (array, self.operand(index))
            lines.append(looping.block(self, value.type, here, (self.operand(value), "")))
            return "\n".join(lines)
        place = self.arrays.place(array, unwrapped(self.operand(index)))
        lines.append(self.indented(f"{place} = {unwrapped(self.operand(value))};"))
        return "\n".join(lines)

    def counts(self, loop: Term) -> bool:
        """Whether the number of trips that a loop made is needed."""
        return Term(PROJ, (loop,), 0, Scalar.I32) in self.uses

    def alone(self, memory: Term) -> bool:
        """Whether a memory is used in one place, once: what uses it may write over it."""
        return memory not in self.shared and self.uses.get(memory, 0) == 1

    def goes_on(self, first: Term, last: Term) -> bool:
        """Whether a variable is used once, as the first of values of which it becomes the last."""
        return self.uses.get(first, 0) == 1 and self.following.get(first) is last

    def indented(self, text: str) -> str:
        """A line at the depth of the current block."""
        return INDENT * self.levels + text

    def _value(self, term: Term) -> str:
        if term in self.fused:
            return self._fused(term, self.fused[term])
        operands = [self.operand(a) for a in term.args]
        if term.op == LOAD and term.args[0].op == MEMORY:
            return constant(const(0, term.type))
        if term.op == LOAD:
            return self.arrays.place(operands[0], unwrapped(operands[1]))
        return unwrapped(self.spelling.operation(term, operands, self.spans.wraps(term)))

    def _fused(self, term: Term, place: int) -> str:
        """`fma(a, b, c)`, for a sum of which one argument is a product."""
        parts, negated = fusing.operands(term, place)
        texts = [self.operand(part) for part in parts]
        if negated is not None:
            opposite = Term(fusing.NEGATION, (parts[negated],), None, term.type)
            texts[negated] = self.spelling.operation(opposite, [texts[negated]])
        whole = Term(fusing.FUSED, tuple(parts), None, term.type)
        return unwrapped(self.spelling.operation(whole, texts))

    def operand(self, term: Term) -> str:
        """A name, a literal, or the negation of one."""
        if term.op == CONST:
            return constant(term)
        if term in self.arrays.fixed:
            return self.arrays.fixed[term]
        if term.op == PROJ and term.args[0] in self.loops:
            names = self.loops[term.args[0]]
            return names.state[term.attr - 1] if term.attr else names.counter
        if term in self.inline:
            operands = [self.operand(a) for a in term.args]
            return self.spelling.operation(term, operands, self.spans.wraps(term))
        if term in self.late:
            self.asked.append(self.late.pop(term))
        if term.op == VAR and term not in self.named:
            raise EmitError(f"the program uses {term.attr!r}, which is not one of its parameters")
        return self._name(term)

    def _name(self, term: Term) -> str:
        if term not in self.named:
            self.named[term] = self.names.temporary()
        return self.named[term]

    def _source(self, term: Term) -> str:
        """`  // file.py:12` where the source line is another than that of the line before."""
        note = self.notes.get(term)
        if note is None or note.at is None:
            return ""
        place = place_of(note.at)
        if place == self.said:
            return ""
        self.said = place
        return f"  // {place}"


def _uses(roots: Sequence[Term]) -> dict[Term, int]:
    """How often each term is an argument or a root."""
    uses: dict[Term, int] = {}
    for term in toposort(roots):
        for arg in term.args:
            uses[arg] = uses.get(arg, 0) + 1
    for root in roots:
        uses[root] = uses.get(root, 0) + 1
    return uses


def _telling(text: str, terms: Sequence[Term]) -> str:
    """Of the lines of a statement the one that stands for it: the `for` of a loop, or the last."""
    lines = text.split("\n")
    if terms[0].op == LOOP:
        return next(x for x in lines if x.lstrip().startswith("for (") and x.endswith("{"))
    return lines[-1]


def place_of(at: Span) -> str:
    """`file.py:12`: the base name only, so that the text is the same on every machine."""
    return f"{base_name(at.file)}:{at.line}"


@lru_cache(maxsize=1000)
def base_name(file: str) -> str:
    """The last part of a path of any system, fit for a comment."""
    name = PureWindowsPath(PurePosixPath(file).name).name
    return "".join(c if c.isprintable() and c.isascii() and c != "\\" else "?" for c in name)
