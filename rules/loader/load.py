"""Loading rule files.

Takes names of shipped sets, paths or text, gives rule sets: the shipped rules, and what is
given on top of them. Knows nothing of what the rules mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from ...terms.errors import RuleError, Span, nearest
from ...terms.rule import RuleSet
from .link import link
from .parse import Block, parse
from .source import decode, read_bytes

EMPTY = RuleSet({})
_HERE = Path(__file__).parent.parent
# Shipped, but loaded only when named: sets that change the conventions.
_ON_REQUEST = frozenset(("slang",))


def shipped() -> tuple[str, ...]:
    """The names of the rule sets that come with egad, sorted."""
    return tuple(sorted(path.stem for path in _HERE.glob("*.rules")))


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
            f"rules={paths_or_names!r}: a rule file is given by its path, or is a rule set",
            hint='write rules=["mine.rules"], rules=["slang"] or rules=[egad.rules.load(...)]',
        )
    sets = [entry for entry in paths_or_names if isinstance(entry, RuleSet)]
    named = [entry for entry in paths_or_names if not isinstance(entry, RuleSet)]
    extra = tuple(dict.fromkeys(str(s) for s in named if str(s) in _ON_REQUEST))
    _check_apart(sets)
    rules = base or _shipped(() if sets else extra)
    for entry in sets:
        rules = merge(rules, entry)
    if sets or base is not None:
        rules = _on_top(extra, rules)
    return _on_top([source for source in named if str(source) not in _ON_REQUEST], rules)


def _are_sources(given: object) -> bool:
    return isinstance(given, Sequence) and all(isinstance(g, str | Path | RuleSet) for g in given)


def _on_top(sources: Sequence[str | Path], base: RuleSet) -> RuleSet:
    """The base, and files or named sets on top of it, as one level."""
    if not sources:
        return base
    blocks = [block for source in sources for block in _blocks(source)]
    return _guarded(blocks, base, tuple(str(source) for source in sources))


def loads(text: str, file: str = "<string>", base: RuleSet | None = None) -> RuleSet:
    """The rules in `text`, on top of `base` (the shipped rules by default).

    >>> loads("def double(x) -> y: y = 2 * x").operator("double").definition
    mul(2.0, x)
    """
    base = _shipped(()) if base is None else base
    return _guarded(_parsed(text, file), base, (file,))


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
    return RuleSet(operators, tuple(rewrites), tuple(facts), tuple(sources))


@lru_cache(maxsize=8)
def _shipped(extra: tuple[str, ...]) -> RuleSet:
    if extra:
        base, names = _shipped(()), extra
    else:
        base, names = EMPTY, tuple(name for name in shipped() if name not in _ON_REQUEST)
    blocks = [block for name in names for block in _blocks(name)]
    return _guarded(blocks, base, tuple(f"{name}.rules" for name in names))


def _blocks(source: str | Path) -> list[Block]:
    """The blocks of a shipped set or of a file."""
    name = str(source)
    if name.removesuffix(".rules") in shipped() and not (
        name.endswith(".rules") and _exists(Path(name))
    ):
        file = f"{name.removesuffix('.rules')}.rules"
        return _parsed(decode(read_bytes(_HERE / file), file), file)
    if isinstance(source, str) and source.isidentifier() and not _exists(Path(source)):
        known = shipped()
        hint = f"shipped sets are {', '.join(known)}; a file is given by its path"
        raise RuleError(f"there is no rule set {source!r}{nearest(source, known)}", None, hint)
    return _parsed(decode(read_bytes(Path(source)), name), name)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _parsed(text: str, file: str) -> list[Block]:
    try:
        return parse(text, file)
    except (MemoryError, RecursionError):
        raise _too_deep(file) from None


def _guarded(blocks: Sequence[Block], base: RuleSet, files: Sequence[str]) -> RuleSet:
    try:
        return link(blocks, base, files)
    except (MemoryError, RecursionError):
        raise _too_deep(files[-1] if files else "<rules>") from None


def _too_deep(file: str) -> RuleError:
    hint = "load rules from a shallower call, or name parts of expressions in locals"
    return RuleError("the rules are nested too deeply to be read", Span(file, 1), hint)
