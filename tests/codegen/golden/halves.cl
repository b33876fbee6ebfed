/* halves: written by egad (E-Graph Automatic Differentiation).
 *
 * Computes halves(x: half) -> r: half
 *
 * Launch one work-item per element: element i is global id i, and the global size is the
 * number of elements n. There is no bounds check. The arguments, in order:
 *    argument  role  type    holds
 *    x         in    half *  x[i]
 *    r         out   half *  r[i]
 * Build with -cl-std=CL1.2. The function below does the work; it can be called from
 * other code.
 */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

static inline void halves_item(half x, half *r)
{
    const half t0 = x * 0.1h;
    const half t1 = t0 + ((half)INFINITY);
    *r = t1;
}

__kernel void halves(
    __global const half *restrict x,
    __global half *restrict r)
{
    const size_t i = get_global_id(0);
    half r_value;
    halves_item(x[i], &r_value);
    r[i] = r_value;
}
