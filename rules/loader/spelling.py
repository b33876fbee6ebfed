"""The grammars inside of the strings of rule files.

Takes an OpenCL spelling or a NumPy/mpmath meaning, gives None or what is wrong with it.
Knows nothing of blocks, and calls nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from ...terms.errors import nearest
from ...terms.rule import Parameter
from ...terms.types import Scalar
from ..meaning import numpy_arity
from .source import MAX_DEPTH

DTYPES: Mapping[str, Scalar | None] = {
    "f16": Scalar.F16,
    "f32": Scalar.F32,
    "f64": Scalar.F64,
    "i32": Scalar.I32,
    "i64": None,  # checked, not stored: egad has no 64-bit integers
    "bool": Scalar.BOOL,
}

_BY_ARITY = {
    1: "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf "
    "exp exp2 exp10 expm1 fabs floor lgamma log log2 log10 log1p logb ilogb nan rint round rsqrt "
    "sin sinh sinpi sqrt tan tanh tanpi tgamma trunc half_cos half_exp half_exp2 half_exp10 "
    "half_log half_log2 half_log10 half_recip half_rsqrt half_sin half_sqrt half_tan native_cos "
    "native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_recip "
    "native_rsqrt native_sin native_sqrt native_tan abs clz popcount degrees radians sign length "
    "fast_length normalize fast_normalize isfinite isinf isnan isnormal signbit any all "
    "convert_int convert_int_rte convert_int_rtz convert_int_rtp convert_int_rtn convert_int_sat "
    "convert_float convert_double convert_half as_int as_float as_long as_double",
    2: "atan2 atan2pi copysign fdim fmax fmin fmod hypot ldexp maxmag minmag nextafter pow pown "
    "powr remainder rootn half_divide half_powr native_divide native_powr abs_diff add_sat hadd "
    "rhadd max min mul_hi rotate sub_sat upsample mul24 step cross dot distance fast_distance "
    "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered "
    "isunordered",
    3: "fma mad clamp mad_hi mad_sat mad24 mix smoothstep bitselect select",
}
# Built-in functions of OpenCL C 1.2 over values, and how many arguments each takes.
BUILTINS: Mapping[str, int] = {n: k for k, names in _BY_ARITY.items() for n in names.split()}

_ATOM = r"(?:\{[A-Za-z_]\w*\}|-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?[fh]?)"
_OPERATOR = r"(?:<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^])"
#: Built-ins that give a second result through a pointer, with the number of their arguments.
JOINT_BUILTINS: Mapping[str, int] = {"sincos": 2, "fract": 2, "modf": 2}
_CALL = re.compile(rf"([A-Za-z_]\w*)\(({_ATOM}(?:, ?{_ATOM})*)\)", re.ASCII)
_FORMS = (
    re.compile(rf"\(({_ATOM}) {_OPERATOR} ({_ATOM})\)", re.ASCII),
    re.compile(r"\([-!~](\{[A-Za-z_]\w*\})\)", re.ASCII),
    re.compile(rf"\(({_ATOM}) \? ({_ATOM}) : ({_ATOM})\)", re.ASCII),
)
_PLACE = re.compile(r"\{([A-Za-z_]\w*)\}", re.ASCII)
SPELLING_HINT = (
    "write name({a}, …) with an OpenCL built-in, ({a} + {b}), (-{a}), (!{a}) or ({c} ? {a} : {b})"
)


def check_spelling(text: str, params: Sequence[str], results: Sequence[str] = ()) -> str | None:
    """What is wrong with an OpenCL spelling, or None.

    A function with several results returns the first one and gives each other one through a
    pointer, `&{name}`.

    >>> check_spelling("fmax({a}, {b})", ["a", "b"])
    >>> check_spelling("fmux({a}, {b})", ["a", "b"])
    "OpenCL has no built-in 'fmux'; did you mean 'fmax'?"
    """
    if len(text) > 1000:
        return "the OpenCL spelling is longer than 1000 characters"
    if len(results) > 1:
        return _check_joint(text, params, results)
    call = _CALL.fullmatch(text)
    if call is None and not any(form.fullmatch(text) for form in _FORMS):
        return f"{text!r} is not an OpenCL spelling"
    if call is not None:
        name, given = call[1], call[2].count(",") + 1
        if name not in BUILTINS:
            return f"OpenCL has no built-in {name!r}{nearest(name, BUILTINS)}"
        if given != BUILTINS[name]:
            plural = "" if BUILTINS[name] == 1 else "s"
            return f"OpenCL's {name} takes {BUILTINS[name]} argument{plural}, not {given}"
    for name in _PLACE.findall(text):
        if name not in params:
            return f"there is no parameter {name!r}{nearest(name, params)}"
    return None


def _check_joint(text: str, params: Sequence[str], results: Sequence[str]) -> str | None:
    places = [f"{{{p}}}" for p in params] + [f"&{{{r}}}" for r in results[1:]]
    wanted = f"name({', '.join(places)})"
    name, bracket, rest = text.partition("(")
    if bracket + rest != wanted.removeprefix("name"):
        return f"{text!r} does not give the results {', '.join(results)}: it has to be {wanted}"
    if JOINT_BUILTINS.get(name) != len(places):
        return f"OpenCL has no built-in {name!r} of that form{nearest(name, JOINT_BUILTINS)}"
    return None


def default_spelling(name: str, params: Sequence[str]) -> str | None:
    """`name({a}, {b})` where OpenCL has such a built-in, else None."""
    if BUILTINS.get(name) != len(params):
        return None
    return f"{name}({', '.join('{' + p + '}' for p in params)})"


def rename_spelling(text: str, names: Mapping[str, str]) -> str:
    """The spelling over other parameter names."""
    return _PLACE.sub(lambda match: "{" + names[match[1]] + "}", text)


_BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
#: The functions of numbers that an mpmath meaning may call; the rest of mpmath reads files,
#: draws, or searches for long.
_MPMATH = """
    acos acosh acot acoth acsc acsch agm airyai airybi asec asech asin asinh atan atan2 atanh
    besseli besselj besselk bessely beta betainc binomial cbrt ceil chi ci clcos clsin cos cosh
    cospi cot coth csc csch degrees digamma e1 ei ellipe ellipf ellipk erf erfc erfi erfinv exp
    expint expj expm1 fabs fac factorial ff floor fmod frac fresnelc fresnels gamma gammainc
    gammaprod harmonic hyp0f1 hyp1f1 hyp2f1 hypot isfinite isinf isint isnan lambertw legendre
    li ln log log10 log1p loggamma nint nthroot polylog power powm1 psi radians rf rgamma root
    sec sech shi si sign sin sinc sincpi sinh sinpi sqrt tan tanh zeta
"""
MPMATH = frozenset(_MPMATH.split())
_LARGEST = 1.7e308
_MEANING_CONSTANTS = ("pi", "inf", "nan", "e")
MEANING_HINT = "write calls over the parameters and numbers: arctan2(y, x), 1 / sqrt(x)"


def check_meaning(text: str, params: Sequence[str], language: str) -> str | None:
    """What is wrong with a meaning in `"NumPy"` or `"mpmath"`, or None.

    Functions of scipy.special (`special.name`) are looked up when they are first computed.

    >>> check_meaning("1 / sqrt(x)", ["x"], "NumPy")
    >>> check_meaning("arctan3(x, 1)", ["x"], "NumPy")
    "NumPy has no element-wise function 'arctan3'; did you mean 'arctan'?"
    """
    if not text.isascii() or len(text) > 1000:
        return "a meaning is at most 1000 ASCII characters"
    called = plain_call(text, params)
    if called is not None and "." not in called:  # most of them, without a parser
        return _numpy_fault(called, len(params)) if language == "NumPy" else _mpmath_fault(called)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return f"{text!r} is not an expression"
    stack: list[tuple[ast.AST, int]] = [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            return f"{text[:20]!r}… is nested more than {MAX_DEPTH} levels deep"
        fault, parts = _meaning_node(node, params, language == "NumPy")
        if fault:
            return fault
        stack.extend((part, depth + 1) for part in parts)
    return None


def _meaning_node(
    node: ast.AST, params: Sequence[str], in_numpy: bool
) -> tuple[str | None, list[ast.expr]]:
    match node:
        case ast.Name(id=name):
            if name in params or name in _MEANING_CONSTANTS:
                return None, []
            return f"there is no parameter {name!r}{nearest(name, params)}", []
        case ast.Constant(value=bool() | int() | float() as value):
            return (None if abs(value) <= _LARGEST else "a number in it is too large"), []
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            return None, [operand]
        case ast.BoolOp(values=values):
            return None, values
        case ast.IfExp(test=test, body=body, orelse=orelse) if not in_numpy:
            return None, [test, body, orelse]
        case ast.BinOp(op=op, left=left, right=right) if isinstance(op, _BINARY):
            return None, [left, right]
        case ast.Compare(left=left, ops=[op], comparators=[right]) if not isinstance(
            op, (ast.In, ast.NotIn, ast.Is, ast.IsNot)
        ):
            return None, [left, right]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return (_numpy_fault(name, len(args)) if in_numpy else _mpmath_fault(name)), args
        case ast.Call(func=ast.Attribute(value=ast.Name(id="special")), args=args, keywords=[]):
            if in_numpy:
                return None, args
    return f"{ast.unparse(node)[:60]!r} is not allowed in a meaning", []


def _numpy_fault(name: str, count: int) -> str | None:
    arity = numpy_arity(name)
    if arity is None:
        return f"NumPy has no element-wise function {name!r}{nearest(name, _element_wise())}"
    plural = "" if arity == 1 else "s"
    return None if arity == count else f"NumPy's {name} takes {arity} argument{plural}, not {count}"


def _element_wise() -> list[str]:
    import numpy

    return [name for name in dir(numpy) if numpy_arity(name) is not None]


def _mpmath_fault(name: str) -> str | None:
    if name in MPMATH:
        return None
    return f"a meaning cannot use mpmath's {name!r}{nearest(name, MPMATH)}"


def plain_call(text: str, params: Sequence[str]) -> str | None:
    """The function name where the meaning is just `name(params in order)`, else None."""
    head, bracket, rest = text.partition("(")
    if not bracket or rest.replace(" ", "") != ",".join(params) + ")":
        return None
    return head.strip() if re.fullmatch(r"(?:special\.)?[A-Za-z_]\w*", head.strip()) else None


def dotted(name: str) -> bool:
    """Whether a text is names joined by dots."""
    return all(part.isidentifier() for part in name.split("."))


def dtypes_of(params: Sequence[Parameter]) -> tuple[Scalar, ...]:
    """The types of operands that an operator has forms for."""
    kinds = {p.kind for p in params}
    reals = (Scalar.F16, Scalar.F32, Scalar.F64)
    if "any" in kinds:
        return (*reals, Scalar.I32, Scalar.BOOL)
    if "number" in kinds:
        return (*reals, Scalar.I32)
    if kinds and kinds <= {"bool"}:
        return (Scalar.BOOL,)
    if kinds and kinds <= {"int", "bool"}:
        return (Scalar.I32,)
    return reals
