// Gradient of the Lennard-Jones energy of eight atoms, by hand.
//
// A pair's energy is 4 (s^6 - s^3) with s = 1 / |d|^2, so its force is 24 s^4 (1 - 2 s^3) d. One
// division per pair; both atoms take the force by fma, so that no product is stored or rounded alone.

#define PAIR(i, j) \
    { \
        const float dx = x##i - x##j, dy = y##i - y##j, dz = z##i - z##j; \
        const float s = 1.0f / fma(dz, dz, fma(dy, dy, dx * dx)); \
        const float s2 = s * s; \
        const float f = s2 * s2 * fma(s2 * s, -48.0f, 24.0f); \
        gx##i = fma(f, dx, gx##i); gx##j = fma(-f, dx, gx##j); \
        gy##i = fma(f, dy, gy##i); gy##j = fma(-f, dy, gy##j); \
        gz##i = fma(f, dz, gz##i); gz##j = fma(-f, dz, gz##j); \
    }
#define IN(k) __global const float *restrict px##k, __global const float *restrict py##k, \
    __global const float *restrict pz##k
#define OUT(k) __global float *restrict ox##k, __global float *restrict oy##k, \
    __global float *restrict oz##k
#define LOAD(k) const float x##k = px##k[i], y##k = py##k[i], z##k = pz##k[i]; \
    float gx##k = 0.0f, gy##k = 0.0f, gz##k = 0.0f;
#define STORE(k) ox##k[i] = gx##k; oy##k[i] = gy##k; oz##k[i] = gz##k;

__kernel void lj8_by_hand(
    IN(0), IN(1), IN(2), IN(3), IN(4), IN(5), IN(6), IN(7),
    OUT(0), OUT(1), OUT(2), OUT(3), OUT(4), OUT(5), OUT(6), OUT(7))
{
    const size_t i = get_global_id(0);
    LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7)
    PAIR(0, 1) PAIR(0, 2) PAIR(0, 3) PAIR(0, 4) PAIR(0, 5) PAIR(0, 6) PAIR(0, 7) STORE(0)
    PAIR(1, 2) PAIR(1, 3) PAIR(1, 4) PAIR(1, 5) PAIR(1, 6) PAIR(1, 7) STORE(1)
    PAIR(2, 3) PAIR(2, 4) PAIR(2, 5) PAIR(2, 6) PAIR(2, 7) STORE(2)
    PAIR(3, 4) PAIR(3, 5) PAIR(3, 6) PAIR(3, 7) STORE(3)
    PAIR(4, 5) PAIR(4, 6) PAIR(4, 7) STORE(4)
    PAIR(5, 6) PAIR(5, 7) STORE(5)
    PAIR(6, 7) STORE(6) STORE(7)
}
