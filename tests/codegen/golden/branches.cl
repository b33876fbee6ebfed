/* branches: written by egad (E-Graph Automatic Differentiation).
 * Value and slopes of shade (shading.py:6).
 *
 * Computes shade(x: float, y: float) -> height: float, x: float, late: float, capped: float
 *
 * Launch one work-item per element: element i is global id i, and the global size is the
 * number of elements n. There is no bounds check. The arguments, in order:
 *    argument  role  type     holds
 *    x         in    float *  x[i]
 *    y         in    float *  y[i]
 *    height    out   float *  height[i]
 *    out_x     out   float *  result x: out_x[i]
 *    late      out   float *  late[i]
 *    capped    out   float *  capped[i]
 * Build with -cl-std=CL1.2. The function below does the work; it can be called from
 * other code.
 */
#pragma OPENCL FP_CONTRACT OFF

static inline void branches_item(float x, float y, float *height, float *out_x, float *late,
    float *capped)
{
    const bool lit = x > 0.0f;  // shading.py:7
    const bool t0 = y < 1.0f;
    const float t1 = sqrt(y);
    float float_ = t0 ? t1 : INFINITY;  // shading.py:12
    float height_1;
    float t2;
    float t3;
    if (lit) {
        const float t4 = sin(x);
        const float t5 = sin(t4);
        height_1 = sin(t5);
        const float t6 = sin(y);
        const float t7 = sin(t6);
        const float t8 = sin(t7);
        const float t9 = height_1 * t8;
        t2 = -t9;
        const float t10 = exp(height_1);
        const float t11 = sin(t10);
        const float t12 = sin(t11);
        t3 = sin(t12);
    } else {
        height_1 = exp(-y);  // shading.py:10
        t2 = -0.0f;
        t3 = 1.0f / t2;
    }
    *height = height_1;
    *out_x = t2;
    *late = t3;
    *capped = float_;
}

__kernel void branches(
    __global const float *restrict x,
    __global const float *restrict y,
    __global float *restrict height,
    __global float *restrict out_x,
    __global float *restrict late,
    __global float *restrict capped)
{
    const size_t i = get_global_id(0);
    float height_value;
    float out_x_value;
    float late_value;
    float capped_value;
    branches_item(x[i], y[i], &height_value, &out_x_value, &late_value, &capped_value);
    height[i] = height_value;
    out_x[i] = out_x_value;
    late[i] = late_value;
    capped[i] = capped_value;
}
