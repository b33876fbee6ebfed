/* simple_fast_uniform: written by egad (E-Graph Automatic Differentiation).
 *
 * Computes f(a: float, x: float) -> y: float
 *
 * Launch one work-item per element: element i is global id i, and the global size is the
 * number of elements n. There is no bounds check. The arguments, in order:
 *    argument  role  type     holds
 *    a         in    float    one number for all elements
 *    x         in    float *  x[i]
 *    y         out   float *  y[i]
 * Build with -cl-std=CL1.2. The function below does the work; it can be called from
 * other code.
 */

static inline void simple_fast_uniform_item(float a, float x, float *y)
{
    const float square = x * x;  // shading.py:3
    const float t0 = a * square;  // shading.py:4
    *y = t0;
}

__kernel void simple_fast_uniform(
    const float a,
    __global const float *restrict x,
    __global float *restrict y)
{
    const size_t i = get_global_id(0);
    float y_value;
    simple_fast_uniform_item(a, x[i], &y_value);
    y[i] = y_value;
}
