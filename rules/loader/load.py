"""Loading rule files.

Takes names of shipped sets, paths or text, gives rule sets: the shipped rules, and what is
given on top of them. Knows nothing of what the rules mean.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...terms.collecting import uncollected
from ...terms.errors import RuleError, called
from ...terms.rule import Operator, Rewrite, RuleSet
from ...terms.term import toposort
from .closure import Reader, document_from, read_document
from .kept import kept
from .link import link
from .parse import Block, Document
from .places import ON_REQUEST, places, set_name, shipped, shipped_place
from .source import too_deep

EMPTY = RuleSet({})


def load(
    paths_or_names: Sequence[str | Path | RuleSet] = (), base: RuleSet | None = None
) -> RuleSet:
    """The shipped rules, or those of `base`, and the given ones on top.

    Each entry is the name of a shipped set (`"slang"`), the path of a rule file, or a rule
    set. Files go on top of shipped sets, and are one level among themselves: two of them that
    say what one operator is, or its derivative, are an error, and so are two rule sets.

    Raises RuleError, and nothing else, whatever is in the files.

    >>> load().operator("sin").arity()
    1
    """
    if isinstance(paths_or_names, str | Path | RuleSet):
        paths_or_names = (paths_or_names,)
    if not _are_sources(paths_or_names):
        raise RuleError(
            f"rules={_said(paths_or_names)}: a rule file is given by its path, or is a rule set",
            hint='write rules=["mine.rules"], rules=["slang"] or rules=[egad.rules.load(...)]; '
            "a rule in Python is registered, by @egad.custom_bwd_of(f) and its like",
        )
    if texts := [given for given in paths_or_names if isinstance(given, str) and "\n" in given]:
        raise RuleError(
            f"rules={texts[0][:40]!r}…: this is the text of a rule file, not its path",
            hint="write rules=[egad.rules.loads(text)], or save it and give the path",
        )
    with uncollected():
        return _loaded(paths_or_names, base)


def _said(given: Any) -> str:
    """What is given in the place of rule files, in messages."""
    if isinstance(given, list | tuple):
        return f"[{', '.join(map(called, given))}]"
    return called(given)


def _loaded(entries: Sequence[str | Path | RuleSet], base: RuleSet | None) -> RuleSet:
    sets = [entry for entry in entries if isinstance(entry, RuleSet)]
    there = (_shipped(()) if base is None else base).sources
    named = [e for e in entries if not isinstance(e, RuleSet) and not _is_there(str(e), there)]
    extra = tuple(dict.fromkeys(str(s) for s in named if str(s) in ON_REQUEST))
    files = documents([source for source in named if str(source) not in ON_REQUEST])
    _check_apart(sets)
    if not sets and base is None:
        return _level(files, extra)
    rules = _shipped(()) if base is None else base
    for entry in sets:
        rules = merge(rules, entry)
    for level in (documents(extra), files):
        rules = _linked(level, rules) if level else rules
    return rules


def _is_there(source: str, there: Collection[str]) -> bool:
    """Whether a name or a path is that of a shipped set which is in force without being named."""
    name = set_name(source)
    return name in shipped() and name not in ON_REQUEST and f"{name}.rules" in there


def added(rules: RuleSet) -> list[Rewrite]:
    """The rewrites of a rule set that are not there by default."""
    shipped = {id(rule) for rule in load().rewrites}
    return [rule for rule in rules.rewrites if id(rule) not in shipped]


def _are_sources(given: object) -> bool:
    return isinstance(given, Sequence) and all(isinstance(g, str | Path | RuleSet) for g in given)


@lru_cache(maxsize=8)
def _level(files: tuple[Document, ...], extra: tuple[str, ...]) -> RuleSet:
    """Files on top of shipped sets; kept by their content, which decides what is one document."""
    return _linked(files, _shipped(extra)) if files else _shipped(extra)


def documents(sources: Sequence[str | Path]) -> tuple[Document, ...]:
    """The files that names and paths stand for, each after what it includes, and once."""
    reader = Reader()
    for source in sources:
        for place in places(source):
            reader.read(place)
    return tuple(reader.done.values())


def blocks_of(source: str | Path) -> list[Block]:
    """The blocks of a shipped set, of a file, or of what a package offers."""
    return [block for document in documents([source]) for block in document.blocks]


def loads(text: str, file: str = "<string>", base: RuleSet | None = None) -> RuleSet:
    """The rules in `text`, on top of `base` (the shipped rules by default).

    >>> loads("def twice(x) -> y: y = 2 * x").operator("twice").definition
    mul(2.0, x)
    """
    with uncollected():
        return _linked((document_from(text, file),), _shipped(()) if base is None else base)


def _check_apart(sets: Sequence[RuleSet]) -> None:
    """Two rule sets of one level that say different things of an operator are an error."""
    shipped_ = _shipped(()).operators
    said: dict[str, RuleSet] = {}
    for entry in sets:
        for name, overloads in entry.operators.items():
            if overloads == shipped_.get(name):
                continue
            other = said.setdefault(name, entry)
            if other.operators[name] != overloads:
                raise RuleError(
                    f"two of the rule sets that are given say what {name!r} is: "
                    f"{origin(other, name)} and {origin(entry, name)}",
                    overloads[-1].at,
                    "give one of the two, or rename one operator",
                )


def shipped_rules() -> RuleSet:
    """The rules that come with egad, and nothing on top."""
    return _shipped(())


def origin(rules: RuleSet, name: str) -> str:
    """Where an operator stands, and the file that was loaded last, which may have changed it."""
    at = rules.operators[name][-1].at
    return str(at) if at.file == rules.sources[-1] else f"{at}, changed by {rules.sources[-1]}"


def merge(below: RuleSet, above: RuleSet) -> RuleSet:
    """Both rule sets; what `above` says of an operator holds.

    What `above` has from the shipped rules, as they are, it does not say.
    """
    rewrites = {rule: None for rule in (*below.rewrites, *above.rewrites)}
    facts = {fact: None for fact in (*below.facts, *above.facts)}
    sources = {source: None for source in (*below.sources, *above.sources)}
    plain = _shipped(()).operators
    said = {
        name: overloads
        for name, overloads in above.operators.items()
        if name not in below.operators or overloads != plain.get(name)
    }
    operators = {**below.operators, **said}
    return _heard(RuleSet(operators, tuple(rewrites), tuple(facts), tuple(sources)))


def _heard(rules: RuleSet) -> RuleSet:
    """The rule set, less the shipped substitutes for operators that got another derivative.

    sqrt(x * x) >> abs(x) would hide what somebody says of sqrt, and bring in what of abs.
    """
    plain = _shipped(())
    changed = [
        name
        for name, overloads in rules.operators.items()
        if name in plain.operators and _slopes(overloads) != _slopes(plain.operators[name])
    ]
    if not changed:
        return rules
    hiding = {
        rule: None
        for rule in plain.rewrites
        if rule.primal and any(t.op in changed for t in toposort([rule.lhs, rule.rhs]))
    }
    kept = tuple([rule for rule in rules.rewrites if rule not in hiding])
    return replace(rules, rewrites=kept, restated=tuple(changed))


def _slopes(overloads: Sequence[Operator]) -> list[object]:
    """What an operator's derivative is."""
    return [(o.partials, o.pullbacks, o.pushforward, o.nondiff) for o in overloads]


@lru_cache(maxsize=8)
def _shipped(extra: tuple[str, ...]) -> RuleSet:
    if extra:
        return _linked(_read(extra), _shipped(()))
    names = tuple(name for name in shipped() if name not in ON_REQUEST)
    return kept(lambda: _linked(_read(names), EMPTY))


def _read(names: tuple[str, ...]) -> tuple[Document, ...]:
    """Shipped files, read once: what is not kept need not be walked by the collector either."""
    return tuple(read_document(shipped_place(name)) for name in names)


def _linked(level: tuple[Document, ...], base: RuleSet) -> RuleSet:
    blocks = [block for document in level for block in document.blocks]
    files = [document.source.file for document in level]
    try:
        rules = link(blocks, base, files)
    except (MemoryError, RecursionError):
        raise too_deep(files[-1] if files else "<rules>") from None
    return rules if base is EMPTY else _heard(rules)
