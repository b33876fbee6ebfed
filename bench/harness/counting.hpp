// A number that counts what is done with it. Literals among themselves are doubles: not counted.
#include <cmath>
#include <map>
#include <set>
#include <string>

static std::map<std::string, double> tally;
static std::set<double> angles_of_sin, angles_of_cos;

static void count(const char *operation) { tally[operation] += 1; }

struct B {
    bool value;
    B(bool v = false) : value(v) {}
    // A choice: `?:` or `if`.
    explicit operator bool() const { count("select"); return value; }
};

struct T {
    double v;
    T(double x = 0) : v(x) {}
    T(int x) : v(x) {}
    T(B b) : v(b.value) {}
    explicit operator bool() const { return bool(B(v != 0)); }
    T &operator+=(T b); T &operator-=(T b); T &operator*=(T b); T &operator/=(T b);
};

#define PAIR(NAME, OPERATION, EXPRESSION) \
    static T NAME(T a, T b) { count(OPERATION); return T(double(EXPRESSION)); }
#define ONE(NAME, EXPRESSION) \
    static T NAME(T a) { count(#NAME); return T(double(EXPRESSION)); }
#define COMPARED(SIGN, OPERATION) \
    static B operator SIGN(T a, T b) { count(OPERATION); return B(a.v SIGN b.v); }

PAIR(operator+, "add", a.v + b.v)
PAIR(operator-, "sub", a.v - b.v)
PAIR(operator*, "mul", a.v * b.v)
PAIR(operator/, "div", a.v / b.v)
PAIR(fmax, "max", std::fmax(a.v, b.v))
PAIR(fmin, "min", std::fmin(a.v, b.v))
PAIR(copysign, "copysign", std::copysign(a.v, b.v))
PAIR(fmod, "fmod", std::fmod(a.v, b.v))
PAIR(hypot, "hypot", std::hypot(a.v, b.v))
PAIR(atan2, "atan2", std::atan2(a.v, b.v))
PAIR(pow, "pow", std::pow(a.v, b.v))
COMPARED(<, "lt") COMPARED(<=, "le") COMPARED(>, "gt") COMPARED(>=, "ge")
COMPARED(==, "eq") COMPARED(!=, "ne")
ONE(sqrt, std::sqrt(a.v)) ONE(rsqrt, 1 / std::sqrt(a.v)) ONE(exp, std::exp(a.v))
ONE(log, std::log(a.v)) ONE(tanh, std::tanh(a.v)) ONE(tan, std::tan(a.v))
ONE(sign, (a.v > 0) - (a.v < 0)) ONE(ceil, std::ceil(a.v)) ONE(trunc, std::trunc(a.v))
ONE(rint, std::rint(a.v)) ONE(floor, std::floor(a.v)) ONE(erf, std::erf(a.v))
ONE(log1p, std::log1p(a.v)) ONE(expm1, std::expm1(a.v)) ONE(asin, std::asin(a.v))
ONE(acos, std::acos(a.v)) ONE(atan, std::atan(a.v)) ONE(sinh, std::sinh(a.v))
ONE(cosh, std::cosh(a.v)) ONE(asinh, std::asinh(a.v)) ONE(acosh, std::acosh(a.v))
ONE(atanh, std::atanh(a.v)) ONE(erfc, std::erfc(a.v)) ONE(cbrt, std::cbrt(a.v))

static T operator-(T a) { count("neg"); return T(-a.v); }
static T operator+(T a) { return a; }
inline T &T::operator+=(T b) { return *this = *this + b; }
inline T &T::operator-=(T b) { return *this = *this - b; }
inline T &T::operator*=(T b) { return *this = *this * b; }
inline T &T::operator/=(T b) { return *this = *this / b; }

static T fabs(T a) { count("abs"); return T(std::fabs(a.v)); }
static T abs(T a) { return fabs(a); }

static T sin(T a) { count("sin"); angles_of_sin.insert(a.v); return T(std::sin(a.v)); }
static T cos(T a) { count("cos"); angles_of_cos.insert(a.v); return T(std::cos(a.v)); }
static T sincos(T a, T *cosine)
{
    count("sincos");
    *cosine = T(std::cos(a.v));
    return T(std::sin(a.v));
}
static T fma(T a, T b, T c) { count("fma"); return T(std::fma(a.v, b.v, c.v)); }
static T mad(T a, T b, T c) { return fma(a, b, c); }

// A power whose exponent is a literal is what compilers make of it: x*x, a square root, …
static T pow(T a, double b)
{
    double twice = std::fabs(2 * b);
    if (twice != std::floor(twice) || twice > 64) return pow(a, T(b));
    bool root = std::fmod(twice, 2) != 0;
    int whole = int(twice) / 2;
    if (root) count("sqrt");
    for (int rest = whole, first = 1; rest > 0; rest /= 2, first = 0) {
        if (!first) count("mul");               // the next square
        if (rest % 2 && rest > 1) count("mul"); // times what is gathered
    }
    if (root && whole) count("mul");
    if (b < 0) count("div");
    return T(std::pow(a.v, b));
}

static B operator!(B a) { count("logical_not"); return B(!a.value); }
static B operator!(T a) { return !B(a.v != 0); }
static B operator&&(B a, B b) { count("logical_and"); return B(a.value && b.value); }
static B operator||(B a, B b) { count("logical_or"); return B(a.value || b.value); }
