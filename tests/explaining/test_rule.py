"""Rules as mathematics: operators, rewrites and facts, in Unicode and LaTeX."""

from pathlib import Path

import pytest

from egad import RuleError, explain_rule, rules
from egad.__main__ import main
from egad.explaining.rule import is_rule
from egad.rules.maths import latex, unicode

MINE = '''
def huber(x) -> y:
    """Quadratic near 0, linear far away."""
    y = 0.5 * x * x if abs(x) < 1 else abs(x) - 0.5
    x_bar = clamp(x, -1, 1) * y_bar


@rewrite(fast, below=12)
def roots(theta, c):
    if const(c) and theta > 0:
        c * sqrt(theta) / rcp(theta) >> c * pow(theta, 1.5)


@fact
def known(a):
    if a >= 0: sinh(a) >= 0


def norm(x, y) -> z:
    """A length."""
    z = sqrt(x * x + y * y)
    dz_dx = 0 if z == 0 else x / z
    dz_dy = y * (1 if y == 0 and x > 0 else 1 / z)


@nondiff
def pick(x, n: int) -> y:
    y = x if n > 0 else 0
'''


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.rules").write_text(MINE)
    return "mine.rules"


def test_an_operator():
    line = rules.load().operator("atan2").at.line
    assert explain_rule("trig.rules:atan2") == (
        f"atan2(y, x) → z    trig.rules:{line}\n"
        "  Angle of the point (x, y), in radians.\n"
        "  derivative    ∂z/∂y = x / (x² + y²)\n"
        "  derivative    ∂z/∂x = −y / (x² + y²)\n"
        "  domain        x ≠ 0 ∨ y ≠ 0\n"
        "  cost          40"
    )


def test_an_operator_in_latex():
    assert explain_rule("atan2") == explain_rule("trig:atan2")  # shipped operators need no file
    text = explain_rule("trig:atan2", latex=True)
    assert r"\(\frac{\partial z}{\partial x} = \frac{-y}{x^{2} + y^{2}}\)" in text
    assert r"\(x \ne 0 \lor y \ne 0\)" in text


def test_conventions_at_single_points(mine):
    text = explain_rule(f"{mine}:norm")
    assert "convention    ∂z/∂x = 0 where z = 0" in text
    assert "convention    a factor of ∂z/∂y = 1 where y = 0 ∧ x > 0" in text
    assert "convention" not in explain_rule("trig.rules:sin")


def test_what_a_file_says_of_an_operator_of_another():
    text = explain_rule("slang:sqrt")
    assert "elementary.rules" in text and "with what slang.rules says of it" in text
    assert "∂y/∂x = 0.5 / √max(1e-07, x)" in text
    assert "unchecked     Slang's convention: finite at 0" in text
    assert "Slang" not in explain_rule("elementary.rules:sqrt")


def test_a_users_file(mine):
    text = explain_rule(f"{mine}:huber")
    assert "definition    y = { 0.5·x·x if |x| < 1; |x| − 0.5 otherwise }" in text
    assert "backward      x\u0304 = clamp(x, −1, 1)·y\u0304" in text
    assert "cost          that of its definition" in text
    roots = explain_rule(f"{mine}:roots")
    assert (
        "c·√θ / θ⁻¹ → c·θ^1.5  if c is a constant and θ > 0 and the left side costs less than 12"
        in roots
    )
    assert "fast" in roots and "mine.rules:11" in roots
    assert "sinh(a) ≥ 0  if a ≥ 0\n      fact" in explain_rule(f"{mine}:known")
    assert "not differentiable" in explain_rule(f"{mine}:pick")
    whole = explain_rule(mine)
    assert all(part in whole for part in ("huber(x)", "θ^1.5", "sinh(a) ≥ 0", "pick(x, n: int)"))


def test_latex_of_a_users_file(mine):
    assert r"\bar{x} = \operatorname{clamp}(x, -1, 1) \cdot \bar{y}" in explain_rule(
        f"{mine}:huber", latex=True
    )
    assert r"\frac{c \cdot \sqrt{\theta}}{\theta^{-1}} \to c \cdot \theta^{1.5}" in explain_rule(
        f"{mine}:roots", latex=True
    )


def test_names_that_are_not_there(mine):
    with pytest.raises(RuleError, match=r"nothing of 'hubr'; did you mean 'huber'\?"):
        explain_rule(f"{mine}:hubr")
    with pytest.raises(RuleError, match="it has huber, known, norm, pick, roots"):
        explain_rule(f"{mine}:nothing_like_it")
    with pytest.raises(RuleError, match=r"absent\.rules"):
        explain_rule("absent.rules:f")


@pytest.mark.parametrize("name", rules.shipped())
def test_every_shipped_rule_has_a_text_in_both(name):
    for text in (explain_rule(name), explain_rule(name, latex=True)):
        assert text and "Term(" not in text and "None" not in text
    for pair in ("()", "{}"):
        tex = explain_rule(name, latex=True)
        assert tex.count(pair[0]) == tex.count(pair[1])


def test_no_two_sides_of_a_shipped_rewrite_look_alike():
    for write in (unicode, latex):
        for rule in rules.load(["slang"]).rewrites:
            if write(rule.lhs, exact=True) == write(rule.rhs, exact=True):
                # Brackets that only say what is computed first are left out.
                assert rule.lhs.op == rule.rhs.op in ("mul", "add", "sub"), rule
    assert "x² → x·x" in explain_rule("algebra.rules:pow_constants")


def test_the_two_forms_of_the_command_are_told_apart(tmp_path, capsys, mine):
    assert is_rule("trig.rules:sin") and is_rule("trig:sin") and is_rule("/a/b.rules")
    assert not is_rule("a.py:f") and not is_rule("C:\\x\\a.py:f")
    assert main(["explain", "trig.rules:sin"]) == 0
    assert capsys.readouterr().out.startswith("sin(x) → y")
    assert main(["explain", "trig.rules:sin", "--latex"]) == 0
    assert r"\cos(x)" in capsys.readouterr().out
    assert main(["explain", f"{mine}:hubr"]) == 1
    assert "did you mean 'huber'" in capsys.readouterr().err
    (tmp_path / "prog.py").write_text("def f(x: float) -> float:\n    return x * x\n")
    assert main(["explain", "prog.py:f"]) == 0
    assert "mode 'bwd'" in capsys.readouterr().out


def test_a_shipped_file_by_its_path(monkeypatch):
    folder = Path(rules.__file__).parent
    by_name = explain_rule("trig.rules:sin")
    assert explain_rule(f"{folder / 'trig.rules'}:sin") == by_name
    monkeypatch.chdir(folder)
    assert explain_rule("trig.rules:sin") == explain_rule("./trig.rules:sin") == by_name
    with pytest.raises(RuleError, match="did you mean 'sin'"):
        explain_rule("trig.rules:sinn")
