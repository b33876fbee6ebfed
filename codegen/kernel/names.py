"""Takes names of the user's source, gives C identifiers; knows nothing of terms.

An identifier never is a word that OpenCL C, its built-in functions or a compiler has taken,
and never one that was given before. The same requests in the same order give the same names.
"""

from __future__ import annotations

import re
import unicodedata

_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union
unsigned void volatile while bool half quad complex imaginary true false NULL asm typeof
kernel global local constant private generic pipe uniform read_only write_only read_write
uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t event_t sampler_t image1d_t image2d_t
image3d_t queue_t ndrange_t clk_event_t reserve_id_t linux unix i386 main near far vector pixel
INFINITY NAN MAXFLOAT HUGE_VAL HUGE_VALF CHAR_BIT I
abs abs_diff acos acosh acospi add_sat all any asin asinh asinpi async_work_group_copy atan atan2
atan2pi atanh atanpi barrier bitselect cbrt ceil clamp clz copysign cos cosh cospi cross ctz
degrees distance dot erf erfc exp exp10 exp2 expm1 fabs fast_distance fast_length fast_normalize
fdim floor fma fmax fmin fmod fract frexp hadd hypot ilogb isequal isfinite isgreater
isgreaterequal isinf isless islessequal islessgreater isnan isnormal isnotequal isordered
isunordered ldexp length lgamma lgamma_r log log10 log1p log2 logb mad mad24 mad_hi mad_sat max
maxmag mem_fence min minmag mix modf mul24 mul_hi nan nextafter normalize pow pown popcount powr
prefetch printf radians read_mem_fence remainder remquo rhadd rint rootn rotate round rsqrt
select shuffle shuffle2 sign signbit sin sincos sinh sinpi smoothstep sqrt step sub_sat tan tanh
tanpi tgamma trunc upsample vec_step wait_group_events write_mem_fence
"""
_RESERVED = frozenset(_WORDS.split())
_RESERVED_FORM = re.compile(
    r"(u?(char|short|int|long)|float|double|half|bool|quad)(2|3|4|8|16|\d+x\d+)"
    r"|(convert|as|vload|vstore|vloada|vstorea|native|half|atomic|atom|get|read|write|work_group"
    r"|sub_group|intel|cl|clk|image|async|async_work_group)_\w*"
    r"|v(load|store)\w*"
    r"|(CL|CLK|M|FLT|DBL|HALF|FP|INT|UINT|CHAR|UCHAR|SHRT|USHRT|SCHAR|LONG|ULONG|ATOMIC|memory)_\w*"
    r"|_[_A-Z]\w*|\w*_t"
)
_LIMIT = 48


def is_reserved(name: str) -> bool:
    """Whether OpenCL C, its built-ins or a compiler may have taken the identifier.

    >>> is_reserved("half3"), is_reserved("dot"), is_reserved("albedo")
    (True, True, False)
    """
    return name in _RESERVED or _RESERVED_FORM.fullmatch(name) is not None


def identifier(text: str) -> str:
    """The C identifier closest to `text`; paths become underscores, letters become ASCII.

    >>> identifier("v.x"), identifier("m[0][1]"), identifier("λ"), identifier("2x")
    ('v_x', 'm_0_1', 'lamda', '_2x')
    """
    plain = "".join(c if c.isascii() else _ascii(c) for c in unicodedata.normalize("NFKD", text))
    name = re.sub(r"[^A-Za-z0-9_]+", "_", plain)
    name = name.rstrip("_")[:_LIMIT] if plain.endswith((".", "]", ")")) else name[:_LIMIT]
    if not name.strip("_"):
        return "v"
    name = re.sub(r"^_+(?=[_A-Z])", "", name) or "v"
    if name[0].isdigit():
        name = f"_{name}"
    if not is_reserved(name):
        return name
    return f"v_{name}" if is_reserved(f"{name}_") else f"{name}_"


def _ascii(character: str) -> str:
    if unicodedata.combining(character):
        return ""
    return unicodedata.name(character, "u").split()[-1].lower().replace("-", "_")


class Names:
    """The identifiers given so far; each call of `fresh` gives one that is new."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def fresh(self, text: str) -> str:
        """A new identifier like `text`: `NL`, then `NL_1`, `NL_2`, …

        >>> names = Names()
        >>> [names.fresh(n) for n in ("NL", "NL", "dot", "dot")]
        ['NL', 'NL_1', 'dot_', 'dot_1']
        >>> [names.fresh("read") for _ in range(2)]
        ['read', 'v_read_1']
        """
        name = identifier(text)
        if name not in self._taken:
            self._taken.add(name)
            return name
        stem = f"{name.rstrip('_')}_"
        # `memory` may be a name where `memory_1`, `memory_2`, … are all taken by OpenCL.
        return self._numbered(f"v_{stem}" if is_reserved(f"{stem}1") else stem, 1)

    def temporary(self) -> str:
        """A new short name: `t0`, `t1`, …"""
        return self._numbered("t", 0)

    def _numbered(self, stem: str, first: int) -> str:
        number = self._next.get(stem, first)
        while f"{stem}{number}" in self._taken or is_reserved(f"{stem}{number}"):
            number += 1
        self._next[stem] = number + 1
        self._taken.add(f"{stem}{number}")
        return f"{stem}{number}"
