/* shapes: written by egad (E-Graph Automatic Differentiation).
 *
 * Computes shapes(v: double3, m: double2x2, n: int, on: bool, k: double) -> out: tuple[double, double2], n: int, off: bool
 *
 * Launch one work-item per element: element i is global id i, and the global size is the
 * number of elements n. There is no bounds check. The arguments, in order:
 *    argument  role  type      holds
 *    v         in    double *  double3, packed: v[3*i + k], k < 3
 *    m         in    double *  one double2x2 for all elements, 4 numbers
 *    n         in    int *     n[i]
 *    on        in    uchar     one number for all elements
 *    k         in    double    one number for all elements
 *    out_0     out   double *  result out[0]: out_0[i]
 *    out_1     out   double *  result out[1]: double2, packed: out_1[2*i + k], k < 2
 *    out_n     out   int *     result n: out_n[i]
 *    off       out   uchar *   off[i]
 * Build with -cl-std=CL1.2. The function below does the work; it can be called from
 * other code.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

static inline void shapes_item(double v_x, double v_y, double v_z, double m_0_0, double m_0_1,
    double m_1_0, double m_1_1, int n, bool on, double k, double *out_0, double *out_1_x,
    double *out_1_y, int *out_n, bool *off)
{
    const double t0 = v_x * m_1_1;
    const double t1 = k * 0.1;
    const double t2 = t0 + t1;
    double t3 = on ? t2 : v_z;
    const int t4 = as_int((uint)n + (uint)(-1));
    *out_0 = t3;
    *out_1_x = v_y;
    *out_1_y = -v_x;
    *out_n = t4;
    *off = !on;
}

__kernel void shapes(
    __global const double *restrict v,
    __global const double *restrict m,
    __global const int *restrict n,
    const uchar on,
    const double k,
    __global double *restrict out_0,
    __global double *restrict out_1,
    __global int *restrict out_n,
    __global uchar *restrict off)
{
    const size_t i = get_global_id(0);
    double out_0_value;
    double out_1_x_value;
    double out_1_y_value;
    int out_n_value;
    bool off_value;
    shapes_item(v[3*i + 0], v[3*i + 1], v[3*i + 2], m[0], m[1], m[2], m[3], n[i], on != 0, k,
        &out_0_value, &out_1_x_value, &out_1_y_value, &out_n_value, &off_value);
    out_0[i] = out_0_value;
    out_1[2*i + 0] = out_1_x_value;
    out_1[2*i + 1] = out_1_y_value;
    out_n[i] = out_n_value;
    off[i] = off_value;
}
