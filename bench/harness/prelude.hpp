// The functions of mathematics as peers spell them, for T = float or double.
//
// For batches compiled with -fno-builtin-sin and its kin: g++ would join sin and cos of one angle
// into a call that it does not vectorise; the C library's own have vector forms.
#include <math.h>

// Told apart so, they still depend on nothing but the angle: equal calls are one.
extern "C" {
__attribute__((const)) double sin(double) noexcept(true);
__attribute__((const)) double cos(double) noexcept(true);
__attribute__((const)) float sinf(float) noexcept(true);
__attribute__((const)) float cosf(float) noexcept(true);
}

#define HARNESS static inline __attribute__((always_inline))
#define ONE(NAME) HARNESS T h_##NAME(T a) { return sizeof(T) == 4 ? T(NAME##f(a)) : T(NAME(a)); }
#define TWO(NAME) \
    HARNESS T h_##NAME(T a, T b) { return sizeof(T) == 4 ? T(NAME##f(a, b)) : T(NAME(a, b)); }

ONE(fabs) ONE(ceil) ONE(trunc) ONE(rint) ONE(sin) ONE(cos) ONE(tan) ONE(exp) ONE(log) ONE(sqrt) ONE(tanh) ONE(erf) ONE(floor)
ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(log1p) ONE(expm1)
ONE(asinh) ONE(acosh) ONE(atanh) ONE(erfc)
TWO(pow) TWO(atan2) TWO(copysign) TWO(fmod) TWO(hypot)

// As one or two instructions: without -ffast-math the C library's are calls.
HARNESS T h_fmax(T a, T b) { return a > b || b != b ? a : b; }
HARNESS T h_fmin(T a, T b) { return a < b || b != b ? a : b; }

// OpenCL's own functions.
HARNESS T h_rsqrt(T a) { return T(1) / h_sqrt(a); }
HARNESS T h_sign(T a) { return T(a > 0) - T(a < 0); }
HARNESS T h_sincos(T a, T *cosine) { *cosine = h_cos(a); return h_sin(a); }
HARNESS T h_fma(T a, T b, T c) { return sizeof(T) == 4 ? T(fmaf(a, b, c)) : T(fma(a, b, c)); }

#define fabs h_fabs
#define ceil h_ceil
#define trunc h_trunc
#define rint h_rint
#define copysign h_copysign
#define fmod h_fmod
#define hypot h_hypot
#define sign h_sign
#define abs h_fabs
#define sin h_sin
#define cos h_cos
#define tan h_tan
#define exp h_exp
#define log h_log
#define sqrt h_sqrt
#define tanh h_tanh
#define erf h_erf
#define floor h_floor
#define asin h_asin
#define acos h_acos
#define atan h_atan
#define sinh h_sinh
#define cosh h_cosh
#define log1p h_log1p
#define expm1 h_expm1
#define asinh h_asinh
#define acosh h_acosh
#define atanh h_atanh
#define erfc h_erfc
#define pow h_pow
#define atan2 h_atan2
#define fmax h_fmax
#define fmin h_fmin
#define rsqrt h_rsqrt
#define sincos h_sincos
#define fma h_fma
#define mad h_fma
