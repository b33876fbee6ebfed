// A number that counts what is done with it. What is known when compiling is not counted.
#include <cmath>
#include <map>
#include <set>
#include <string>

static std::map<std::string, double> tally;
static std::set<double> angles_of_sin, angles_of_cos;

static void count(const char *operation) { tally[operation] += 1; }

struct B {
    bool value, known;
    B(bool v = false, bool k = true) : value(v), known(k) {}
    // A choice: `?:` or `if`.
    explicit operator bool() const { if (!known) count("select"); return value; }
};

struct T {
    double v;
    bool known;
    T() : v(0), known(true) {}
    T(double x, bool k = true) : v(x), known(k) {}
    T(int x) : v(x), known(true) {}
    T(B b) : v(b.value), known(b.known) {}
    explicit operator bool() const { return bool(B(v != 0, known)); }
    T &operator+=(T b); T &operator-=(T b); T &operator*=(T b); T &operator/=(T b);
};

#define PAIR(NAME, OPERATION, EXPRESSION)                     \
    static T NAME(T a, T b) {                                 \
        bool known = a.known && b.known;                      \
        if (!known) count(OPERATION);                         \
        return T(EXPRESSION, known);                          \
    }
#define ONE(NAME, EXPRESSION)                                 \
    static T NAME(T a) {                                      \
        if (!a.known) count(#NAME);                           \
        return T(EXPRESSION, a.known);                        \
    }
#define COMPARED(SIGN, OPERATION)                             \
    static B operator SIGN(T a, T b) {                        \
        bool known = a.known && b.known;                      \
        if (!known) count(OPERATION);                         \
        return B(a.v SIGN b.v, known);                        \
    }

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
COMPARED(<, "lt") COMPARED(<=, "le") COMPARED(>, "gt") COMPARED(>=, "ge")
COMPARED(==, "eq") COMPARED(!=, "ne")
ONE(sqrt, std::sqrt(a.v)) ONE(rsqrt, 1 / std::sqrt(a.v)) ONE(exp, std::exp(a.v))
ONE(log, std::log(a.v)) ONE(tanh, std::tanh(a.v)) ONE(tan, std::tan(a.v))
ONE(sign, (a.v > 0) - (a.v < 0)) ONE(ceil, std::ceil(a.v)) ONE(trunc, std::trunc(a.v))
ONE(rint, std::rint(a.v))
ONE(erf, std::erf(a.v)) ONE(floor, std::floor(a.v)) ONE(log1p, std::log1p(a.v))
ONE(expm1, std::expm1(a.v)) ONE(asin, std::asin(a.v)) ONE(acos, std::acos(a.v))
ONE(atan, std::atan(a.v)) ONE(sinh, std::sinh(a.v)) ONE(cosh, std::cosh(a.v))

static T operator-(T a) { if (!a.known) count("neg"); return T(-a.v, a.known); }
static T operator+(T a) { return a; }
inline T &T::operator+=(T b) { return *this = *this + b; }
inline T &T::operator-=(T b) { return *this = *this - b; }
inline T &T::operator*=(T b) { return *this = *this * b; }
inline T &T::operator/=(T b) { return *this = *this / b; }

static T fabs(T a) { if (!a.known) count("abs"); return T(std::fabs(a.v), a.known); }
static T abs(T a) { return fabs(a); }

static T sin(T a) {
    if (!a.known) { count("sin"); angles_of_sin.insert(a.v); }
    return T(std::sin(a.v), a.known);
}
static T cos(T a) {
    if (!a.known) { count("cos"); angles_of_cos.insert(a.v); }
    return T(std::cos(a.v), a.known);
}
static T sincos(T a, T *cosine) {
    if (!a.known) count("sincos");
    *cosine = T(std::cos(a.v), a.known);
    return T(std::sin(a.v), a.known);
}
static T fma(T a, T b, T c) {
    bool known = a.known && b.known && c.known;
    if (!known) count("fma");
    return T(std::fma(a.v, b.v, c.v), known);
}
static T mad(T a, T b, T c) { return fma(a, b, c); }

// A power whose exponent is a number is what compilers make of it: x*x, a square root, …
static T pow(T a, T b) {
    double twice = std::fabs(2 * b.v);
    if (a.known && b.known) return T(std::pow(a.v, b.v));
    if (!b.known || twice != std::floor(twice) || twice > 64) {
        count("pow");
        return T(std::pow(a.v, b.v), false);
    }
    bool root = std::fmod(twice, 2) != 0;
    int whole = int(twice) / 2;
    if (root) count("sqrt");
    for (int rest = whole, first = 1; rest > 0; rest /= 2, first = 0) {
        if (!first) count("mul");              // the next square
        if (rest % 2 && rest > 1) count("mul"); // times what is gathered
    }
    if (root && whole) count("mul");
    if (b.v < 0) count("div");
    return T(std::pow(a.v, b.v), false);
}

static B operator!(B a) { if (!a.known) count("logical_not"); return B(!a.value, a.known); }
static B operator!(T a) { return !B(a.v != 0, a.known); }
static B operator&&(B a, B b) {
    bool known = a.known && b.known;
    if (!known) count("logical_and");
    return B(a.value && b.value, known);
}
static B operator||(B a, B b) {
    bool known = a.known && b.known;
    if (!known) count("logical_or");
    return B(a.value || b.value, known);
}
