// Jacobian of the hand of a six-joint arm, by hand.
//
// Behind the first joint the arm is a chain in a plane: X along it, Y upwards, Z across. The angles
// of joints two to four add up, and their sines and cosines follow by the addition theorem. In
// that frame each column is a lever: a rotation by dq moves (X, Y) by (-Y, X) from the joint.

#define A2 (-0.425f)
#define A3 (-0.39225f)
#define D4 0.10915f
#define D5 0.09465f
#define A6 0.15f
#define D6 0.0823f

__kernel void fk6_by_hand(
    __global const float *restrict q1, __global const float *restrict q2,
    __global const float *restrict q3, __global const float *restrict q4,
    __global const float *restrict q5, __global const float *restrict q6,
    __global float *restrict x1, __global float *restrict x2, __global float *restrict x3,
    __global float *restrict x4, __global float *restrict x5, __global float *restrict x6,
    __global float *restrict y1, __global float *restrict y2, __global float *restrict y3,
    __global float *restrict y4, __global float *restrict y5, __global float *restrict y6,
    __global float *restrict z1, __global float *restrict z2, __global float *restrict z3,
    __global float *restrict z4, __global float *restrict z5, __global float *restrict z6)
{
    const size_t i = get_global_id(0);
    float c1, c2, c3, c4, c5, c6;
    const float s1 = sincos(q1[i], &c1), s2 = sincos(q2[i], &c2), s3 = sincos(q3[i], &c3);
    const float s4 = sincos(q4[i], &c4), s5 = sincos(q5[i], &c5), s6 = sincos(q6[i], &c6);
    const float s23 = fma(s2, c3, c2 * s3), c23 = fma(c2, c3, -(s2 * s3));
    const float s = fma(s23, c4, c23 * s4), c = fma(c23, c4, -(s23 * s4));

    // The hand behind joint four: along w the link, across v, and along e the axis of joint five.
    const float b = A6 * c6, g = A6 * s6;
    const float w = fma(b, c5, -(D6 * s5)), v = fma(b, s5, D6 * c5), e = D5 - g;
    const float wx = fma(w, c, e * s), wy = fma(w, s, -(e * c));
    const float x34 = fma(A3, c23, wx), y34 = fma(A3, s23, wy);
    const float x234 = fma(A2, c2, x34), y234 = fma(A2, s2, y34);
    const float across = D4 + v;
    x1[i] = fma(across, c1, -(x234 * s1));
    y1[i] = fma(across, s1, x234 * c1);
    z1[i] = 0.0f;
    x2[i] = -y234 * c1;
    y2[i] = -y234 * s1;
    z2[i] = x234;
    x3[i] = -y34 * c1;
    y3[i] = -y34 * s1;
    z3[i] = x34;
    x4[i] = -wy * c1;
    y4[i] = -wy * s1;
    z4[i] = wx;
    const float v_c = -v * c, h = -g * c5;
    x5[i] = fma(v_c, c1, w * s1);
    y5[i] = fma(v_c, s1, -(w * c1));
    z5[i] = -v * s;
    const float x6_plane = fma(h, c, -(b * s)), gs5 = -g * s5;
    x6[i] = fma(x6_plane, c1, gs5 * s1);
    y6[i] = fma(x6_plane, s1, -(gs5 * c1));
    z6[i] = fma(h, s, b * c);
}
