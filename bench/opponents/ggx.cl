// Gradient of the squared error of a colour shaded with the GGX microfacet model, by hand.
//
// Reverse mode on paper: distribution and visibility are one factor, of which one division gives all
// reciprocals; roots come from their reciprocals; what the three channels have in common is outside
// of them. At the ends of the clamps the derivative is that of the constant.

#define FLOOR 1e-4f
#define K 0.15915494f      /* 0.5 / pi */
#define INVERSE_PI 0.31830987f
#define DOT(ax, ay, az, bx, by, bz) fma(az, bz, fma(ay, by, (ax) * (bx)))

// One channel: adds to what the channels have in common, and gives its own derivative.
#define CHANNEL(k) \
    const float b##k = base##k[i], above##k = b##k - 0.04f; \
    const float f0_##k = fma(metallic, above##k, 0.04f), rest##k = 1.0f - f0_##k; \
    const float f##k = fma(rest##k, t5, f0_##k), g##k = 1.0f - f##k; \
    const float d##k = b##k * plain; \
    const float shade##k = fma(d##k, g##k, shine * f##k); \
    const float e##k = fma(shade##k, nl, -target##k[i]), w##k = 2.0f * e##k; \
    const float we##k = w##k * (shine - d##k), wg##k = w##k * g##k; \
    nl_bar = fma(w##k, shade##k, nl_bar); \
    shine_bar = fma(w##k, f##k, shine_bar); \
    plain_bar = fma(b##k, wg##k, plain_bar); \
    metal_bar = fma(we##k, above##k, metal_bar); \
    t5_bar = fma(we##k, rest##k, t5_bar); \
    base##k##_bar[i] = fma(wg##k, plain_nl, we##k * metal_t);

__kernel void ggx_by_hand(
    __global const float *restrict normalx, __global const float *restrict normaly,
    __global const float *restrict normalz, __global const float *restrict lightx,
    __global const float *restrict lighty, __global const float *restrict lightz,
    __global const float *restrict viewx, __global const float *restrict viewy,
    __global const float *restrict viewz, __global const float *restrict rough,
    __global const float *restrict metal, __global const float *restrict base0,
    __global const float *restrict base1, __global const float *restrict base2,
    __global const float *restrict target0, __global const float *restrict target1,
    __global const float *restrict target2, __global float *restrict normalx_bar,
    __global float *restrict normaly_bar, __global float *restrict normalz_bar,
    __global float *restrict lightx_bar, __global float *restrict lighty_bar,
    __global float *restrict lightz_bar, __global float *restrict viewx_bar,
    __global float *restrict viewy_bar, __global float *restrict viewz_bar,
    __global float *restrict rough_bar, __global float *restrict metallic_bar,
    __global float *restrict base0_bar, __global float *restrict base1_bar,
    __global float *restrict base2_bar)
{
    const size_t i = get_global_id(0);
    const float nx = normalx[i], ny = normaly[i], nz = normalz[i];
    const float lx = lightx[i], ly = lighty[i], lz = lightz[i];
    const float vx = viewx[i], vy = viewy[i], vz = viewz[i];
    const float hx = lx + vx, hy = ly + vy, hz = lz + vz;
    const float inverse = rsqrt(DOT(hx, hy, hz, hx, hy, hz));
    const float nl_raw = DOT(nx, ny, nz, lx, ly, lz), nl = fmax(nl_raw, FLOOR);
    const float nv_raw = DOT(nx, ny, nz, vx, vy, vz), nv = fmax(nv_raw, FLOOR);
    const float nh_dot = nl_raw + nv_raw, nh_raw = nh_dot * inverse, nh = fmax(nh_raw, FLOOR);
    const float vh_dot = DOT(vx, vy, vz, hx, hy, hz), vh_raw = vh_dot * inverse;
    const float vh = fmax(vh_raw, FLOOR);

    const float r = rough[i], a = r * r, a2 = a * a, less = a2 - 1.0f;
    const float nh2 = nh * nh, nl2 = nl * nl, nv2 = nv * nv;
    const float d = fma(nh2, less, 1.0f);
    const float square_v = fma(-nv2, less, a2), square_l = fma(-nl2, less, a2);
    const float over_v = rsqrt(square_v), over_l = rsqrt(square_l);
    const float root_v = square_v * over_v, root_l = square_l * over_l;
    const float both = fma(nl, root_v, nv * root_l);
    const float d_both = d * both, over = 1.0f / (d * d_both);
    const float unit = K * over, shine = a2 * unit;

    const float t = 1.0f - vh, t2 = t * t, t4 = t2 * t2, t5 = t4 * t;
    const float metallic = metal[i], plain = fma(-INVERSE_PI, metallic, INVERSE_PI);
    const float plain_nl = plain * nl, metal_t = metallic * nl * (1.0f - t5);
    float nl_bar = 0.0f, shine_bar = 0.0f, plain_bar = 0.0f, metal_bar = 0.0f, t5_bar = 0.0f;
    CHANNEL(0) CHANNEL(1) CHANNEL(2)
    metallic_bar[i] = nl * fma(1.0f - t5, metal_bar, -INVERSE_PI * plain_bar);

    const float up = shine_bar * nl, q = up * shine;
    const float d_bar = -2.0f * q * (over * d_both);
    const float both_bar = -q * (over * d) * d;
    const float square_v_bar = 0.5f * both_bar * nl * over_v;
    const float square_l_bar = 0.5f * both_bar * nv * over_l;
    const float a2_bar = fma(square_v_bar, 1.0f - nv2,
        fma(square_l_bar, 1.0f - nl2, fma(nh2, d_bar, up * unit)));
    rough_bar[i] = 4.0f * a * r * a2_bar;

    const float twice = 2.0f * less;
    const float nl_all = fma(-twice * nl, square_l_bar, fma(both_bar, root_v, nl_bar));
    const float nv_all = fma(-twice * nv, square_v_bar, both_bar * root_l);
    const float nl_out = nl_raw > FLOOR ? nl_all : 0.0f;
    const float nv_out = nv_raw > FLOOR ? nv_all : 0.0f;
    const float nh_out = nh_raw > FLOOR ? twice * nh * d_bar * inverse : 0.0f;
    const float vh_out = vh_raw > FLOOR ? -5.0f * t4 * nl * t5_bar * inverse : 0.0f;

    const float along = -inverse * fma(nh_out, nh_raw, vh_out * vh_raw);
    const float h_v = along + vh_out;
    const float hx_bar = fma(nh_out, nx, along * hx);
    const float hy_bar = fma(nh_out, ny, along * hy);
    const float hz_bar = fma(nh_out, nz, along * hz);
    normalx_bar[i] = fma(nl_out, lx, fma(nv_out, vx, nh_out * hx));
    normaly_bar[i] = fma(nl_out, ly, fma(nv_out, vy, nh_out * hy));
    normalz_bar[i] = fma(nl_out, lz, fma(nv_out, vz, nh_out * hz));
    const float lx_h = fma(vh_out, vx, hx_bar), ly_h = fma(vh_out, vy, hy_bar);
    const float lz_h = fma(vh_out, vz, hz_bar);
    lightx_bar[i] = fma(nl_out, nx, lx_h);
    lighty_bar[i] = fma(nl_out, ny, ly_h);
    lightz_bar[i] = fma(nl_out, nz, lz_h);
    viewx_bar[i] = fma(nv_out, nx, fma(vh_out, hx, lx_h));
    viewy_bar[i] = fma(nv_out, ny, fma(vh_out, hy, ly_h));
    viewz_bar[i] = fma(nv_out, nz, fma(vh_out, hz, lz_h));
}
