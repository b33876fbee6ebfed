// The functions of mathematics as peers spell them, for T = float or double.
#include <cmath>
using std::abs; using std::fabs; using std::sin; using std::cos; using std::tan; using std::exp;
using std::log; using std::sqrt; using std::tanh; using std::atan2; using std::pow; using std::erf;
using std::floor; using std::asin; using std::acos; using std::atan; using std::sinh;
using std::cosh; using std::log1p; using std::expm1; using std::cbrt; using std::hypot;

#define HARNESS static inline __attribute__((always_inline))

// As one or two instructions: without -ffast-math the C library's are calls.
HARNESS T fmax(T a, T b) { return a > b || b != b ? a : b; }
HARNESS T fmin(T a, T b) { return a < b || b != b ? a : b; }

// OpenCL's own functions.
HARNESS T rsqrt(T a) { return T(1) / sqrt(a); }
HARNESS T sincos(T a, T *cosine) { *cosine = cos(a); return sin(a); }
#ifdef FP_FAST_FMA
HARNESS T fma(T a, T b, T c) { return std::fma(a, b, c); }
HARNESS T mad(T a, T b, T c) { return std::fma(a, b, c); }
#endif
