"""An account as one page that needs nothing else: three columns, and a panel of rules.

Takes an account, gives HTML. Everything that is the user's is text in it, never markup; its
one script is allowed by its hash, so that no other can run.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from .account import Account, Line
from .kin import Columns, Row, columns
from .text import Writer, coverage_of, rules_of

_HERE = Path(__file__).parent


def page(account: Account) -> str:
    """The whole page as text."""
    writer = Writer(account)
    found = columns(account, writer.naming)
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    script = (_HERE / "page.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    title = f"{account.subject.report.name}: {account.subject.mode}"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{style}</style>",
            "</head>",
            "<body>",
            *_head(account),
            "<main>",
            *_column("source", "Source", _note(found.source), found.source),
            *_column("plain", _derivative(account), _total(found.plain), found.plain),
            *_column("kernel", "Kernel", _total(found.kernel), found.kernel),
            "</main>",
            '<section id="panel" aria-live="polite" aria-label="Derivation of the line">',
            "<p>Point at a line, or move to it with Tab and the arrow keys: its kin light up, "
            "and the rules that lead to it stand here.</p>",
            "</section>",
            *_rules(account),
            *_templates(account, writer, found),
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _head(account: Account) -> Iterator[str]:
    report = account.subject.report
    before, after = report.cost_before, report.cost_after
    saved = 0.0 if before == 0 else 1 - after / before
    share = 100.0 if before == 0 else 100 * after / before
    yield "<header>"
    yield f"<h1>{escape(report.name)}</h1>"
    yield (
        f"<p>mode <b>{escape(report.mode)}</b>, math <b>{escape(report.math)}</b>, "
        f"<b>{escape(report.dtype)}</b></p>"
    )
    yield (
        f'<p class="cost">cost <b>{before:g}</b> before, <b>{after:g}</b> after ({saved:.0%} saved)'
    )
    yield (
        '<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" '
        f'aria-label="{min(share, 100):.0f} percent of the cost is left">'
        f'<rect width="100" height="4"/><rect class="left" width="{min(share, 100):.2f}" '
        'height="4"/></svg></p>'
    )
    yield f"<p>{escape(coverage_of(account))}.</p>"
    yield "</header>"


def _derivative(account: Account) -> str:
    words = {"fwd": "Forward program", "bwd": "Backward program", "primal": "Program"}
    return words.get(account.subject.mode, "Derivative program")


def _note(rows: Sequence[Row]) -> str:
    return "" if rows else "not to be found here"


def _total(rows: Sequence[Row]) -> str:
    return f"{sum(row.cost is not None for row in rows)} statements"


def _column(name: str, title: str, note: str, rows: Sequence[Row]) -> Iterator[str]:
    yield f'<section class="column" aria-labelledby="{name}-title">'
    yield f'<h2 id="{name}-title">{escape(title)} <small>{escape(note)}</small></h2>'
    yield f'<ol role="listbox" aria-labelledby="{name}-title">'
    for row in rows:
        tied = bool(row.kin) or row.cost is not None
        kin = f' data-kin="{" ".join(row.kin)}"' if tied else ""
        focus = ' tabindex="-1"' if tied else ""
        cost = "" if row.cost is None else f"<i>{row.cost:g}</i>"
        yield (
            f'<li role="option" aria-selected="false" id="{row.key}"{kin}{focus}>'
            f"<code>{_coloured(name, row.text)}</code>{cost}</li>"
        )
    yield "</ol>"
    yield "</section>"


def _coloured(column: str, text: str) -> str:
    """A line as text, its comment set apart."""
    mark = {"kernel": "//", "source": "#"}.get(column)
    if column == "kernel" and text.startswith(("/*", " *")):
        return f"<s>{escape(text)}</s>"
    code, sign, comment = text.partition(mark) if mark else (text, "", "")
    quoted = any(code.count(q) % 2 for q in "'\"")
    if sign and not quoted:
        return f"{escape(code)}<s>{escape(sign + comment)}</s>"
    return escape(text) or " "


def _rules(account: Account) -> Iterator[str]:
    yield "<details><summary>All rules: what fired, what nearly did, what never</summary>"
    yield f"<pre>{escape(chr(10).join(rules_of(account)))}</pre>"
    yield "</details>"


def _templates(account: Account, writer: Writer, found: Columns) -> Iterator[str]:
    """What the panel shows for a line: its derivation, or where it is from."""
    for row in found.plain:
        about = f"<p>{escape(row.about)}</p>" if row.about else ""
        text = f"<h3><code>{escape(row.text)}</code></h3>{about}"
        yield f'<template id="d-{row.key}">{text}</template>'
    for line in account.lines:
        yield _template(line, writer)


def _template(line: Line, writer: Writer) -> str:
    heading = f"<h3><code>{escape(line.written.text)}</code></h3>"
    text = "\n".join(x[4:] for x in writer.alone(line))
    return f'<template id="d-k{line.written.line}">{heading}<pre>{escape(text)}</pre></template>'
