"""The page: what it shows, what it does in a browser, and that nothing of a user's runs in it."""

import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, missing

import egad
from egad import DeviceError, derive

WHY = missing()
needs_browser = pytest.mark.skipif(bool(WHY), reason=WHY)
DOWN, UP, TAB, END, ESCAPE = "\ue015", "\ue013", "\ue004", "\ue010", "\ue00c"


def wave(a: float, x: float) -> float:
    r = x * x + a * a
    s = np.sqrt(r)
    return s * np.sin(r) / (1 + s)


HOSTILE = """
def evil(x: float) -> float:
    # </script><script>document.title = "run"</script><img src=x onerror="document.title='run'">
    y = x * x  # </template><b id="injected">&amp;</b>
    return y + "</code>".__len__() if x > 0 else y
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "wave.html"
    derived = derive(wave)
    text = derived.explain(html=path)
    assert text == derived.explain()
    return path


@pytest.fixture(scope="module")
def browser():
    # A profile's files may still be written while the folder goes.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        session = Browser(profile)
        yield session
        session.close()


def test_the_page_stands_alone(written):
    text = written.read_text()
    assert text.startswith("<!doctype html>") and 'lang="en"' in text
    assert not re.search(r"""(src|href)\s*=|url\(|@import|https?://""", text)
    assert "default-src 'none'" in text.replace("&#x27;", "'")
    assert text.count("<script") == 1 and "prefers-color-scheme: dark" in text
    assert re.search(r"cost <b>\d", text) and "statements are derived completely" in text


def test_the_same_derivation_gives_the_same_page(written, tmp_path):
    again = tmp_path / "again.html"
    derive(wave).explain(html=again)
    assert again.read_text() == written.read_text()


def test_a_page_that_cannot_be_written(tmp_path):
    with pytest.raises(DeviceError, match="cannot write"):
        derive(wave).explain(html=tmp_path / "no" / "page.html")


def test_lines_are_tied_to_their_kin(written):
    text = written.read_text()
    rows = dict(re.findall(r'<li [^>]*id="([spk]\d+)"(?: data-kin="([^"]*)")?', text))
    assert {key[0] for key in rows} == {"s", "p", "k"}
    for key, kin in rows.items():
        for other in kin.split():
            assert key in rows[other].split(), (key, other)
    source = [k for k, kin in rows.items() if k[0] == "s" and kin]
    assert len(source) == 3  # every line of the body
    assert all({"p", "k"} <= {k[0] for k in rows[s].split()} for s in source)


def falling(x: float, v: float, n: int) -> float:
    egad.max_iters(8)
    for _ in range(n):
        x = x + v * 0.1
        v = v - np.sin(x)
    return x * v


def test_lines_of_loops_are_tied_too(tmp_path):
    path = tmp_path / "falling.html"
    derive(falling).explain(html=path)
    rows = re.findall(
        r'<li [^>]*id="([spk]\d+)"(?: data-kin="([^"]*)")?[^>]*><code>(.*?)</code>',
        path.read_text(),
    )
    kernel = [(text, kin) for key, kin, text in rows if key[0] == "k" and " = " in text]
    inside = [(text, kin) for text, kin in kernel if text.startswith("        ")]
    assert len(inside) > 8
    assert all("s" in {k[0] for k in kin.split()} for text, kin in inside if "const" in text)


@needs_browser
def test_hovering_lights_up_kin_and_shows_rules(written, browser):
    browser.open(written)
    lit = "return [...document.querySelectorAll('.kin, .own')].map(r => r.id)"
    assert browser.run(lit) == []
    row = browser.run(
        "return [...document.querySelectorAll('li')]"
        ".find(r => r.id[0] === 'k' && /= (s \\+ 1.0f|1.0f \\+ s);/.test(r.textContent)).id"
    )
    browser.hover(f"#{row}")
    found = browser.run(lit)
    assert row in found and {"s", "p", "k"} == {key[0] for key in found}
    panel = browser.run("return document.getElementById('panel').innerText")
    assert "1 + s" in panel and "of the plain program" in panel
    other = browser.run("return document.querySelector('.kin[id^=p]').id")
    browser.hover(f"#{other}")
    assert row in browser.run(lit) and other in browser.run(lit)
    colour = browser.run(
        "return getComputedStyle(document.getElementById(arguments[0])).backgroundColor", row
    )
    assert colour not in ("rgba(0, 0, 0, 0)", "transparent")
    browser.leave()
    assert browser.run(lit) == []


@needs_browser
def test_the_keyboard_does_what_the_pointer_does(written, browser):
    browser.open(written)
    active = "return document.activeElement.id"
    lit = "return [...document.querySelectorAll('[aria-selected=true]')].map(r => r.id)"
    browser.press(TAB)
    first = browser.until(active)
    assert first[0] == "s" and first in browser.run(lit)
    browser.press(DOWN)
    second = browser.run(active)
    assert second != first and {key[0] for key in browser.run(lit)} == {"s", "p", "k"}
    browser.press(UP)
    assert browser.run(active) == first
    browser.press(TAB)
    assert browser.run(active)[0] == "p"
    browser.press(TAB, END)
    last = browser.run(active)
    assert last[0] == "k" and "x_bar" in browser.run("return document.activeElement.innerText")
    assert browser.run("return document.getElementById('panel').innerText").strip()
    browser.press(ESCAPE)
    assert browser.run(lit) == []
    assert "Point at a line" in browser.run("return document.getElementById('panel').innerText")


@needs_browser
@pytest.mark.parametrize(("scheme", "dark"), [("0", True), ("1", False)])
def test_light_and_dark_are_readable(written, scheme, dark):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        session = Browser(profile, f"--blink-settings=preferredColorScheme={scheme}")
        try:
            session.open(written)
            assert session.run("return matchMedia('(prefers-color-scheme: dark)').matches") == dark
            row = session.run("return document.querySelector('li[data-kin]').id")
            session.hover(f"#{row}")
            style = "const s = getComputedStyle(document.querySelector(arguments[0]));"
            for selector in (".own", ".kin", "body", "#panel p, #panel pre"):
                ink = session.run(f"{style} return s.color", selector)
                paper = session.run(
                    "let e = document.querySelector(arguments[0]), c;"
                    "while ((c = getComputedStyle(e).backgroundColor) === 'rgba(0, 0, 0, 0)')"
                    " e = e.parentNode; return c",
                    selector,
                )
                assert contrast(ink, paper) >= 4.5, (selector, ink, paper)
        finally:
            session.close()


def contrast(a, b):
    """(L1 + 0.05) / (L2 + 0.05), as the accessibility guidelines define it."""

    def luminance(text):
        channels = [float(c) / 255 for c in re.findall(r"[\d.]+", text)[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


@pytest.fixture
def hostile(tmp_path):
    """A page about source that tries to be markup, and the text of that page."""
    source = tmp_path / "evil<img src=x onerror=alert(1)>.py"
    source.write_text(HOSTILE.replace('"</code>".__len__()', "2.0"))
    namespace = {"__name__": "evil"}
    exec(compile(source.read_text(), str(source), "exec"), namespace)
    path = tmp_path / "evil.html"
    derive(namespace["evil"]).explain(html=path)
    return path


def test_what_is_the_users_is_text(hostile):
    text = hostile.read_text()
    assert text.count("<script") == 1 and "<img" not in text and "<b id=" not in text
    assert "&lt;/script&gt;&lt;script&gt;" in text and "&amp;amp;" in text


@needs_browser
def test_nothing_of_the_users_runs(hostile, browser):
    browser.open(hostile)
    assert browser.run("return document.title") == "evil: bwd"
    assert browser.run("return document.getElementById('injected')") is None
    assert browser.run("return document.scripts.length") == 1
    assert "</script><script>" in browser.run("return document.body.innerText")
    # Even markup that got in could not run: the policy allows one script, by its hash.
    browser.run(
        "const s = document.createElement('script');"
        "s.textContent = 'document.title = \"run\"'; document.body.append(s)"
    )
    assert browser.run("return document.title") == "evil: bwd"


def test_names_that_are_markup(tmp_path):
    import sympy

    x = sympy.Symbol("<b>x</b>")
    path = tmp_path / "page.html"
    derived = derive(x * x, params=[x])
    derived.explain(html=path)
    assert "<b>x</b>" not in path.read_text()


def test_a_function_without_source(tmp_path):
    path = tmp_path / "page.html"
    derive(egad.traced(lambda x: x * egad.sin(x), [("x", "float")])).explain(html=path)
    assert "Kernel" in path.read_text()
    assert Path(path).stat().st_size > 5_000
