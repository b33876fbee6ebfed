// Evaluates rows of numbers, prints the results and the mean tally of an evaluation.
#include <cstdio>
#include <vector>

static int tallies(int n_in, int n_out, void (*evaluate)(const T *, T *))
{
    std::vector<T> in(n_in), out(n_out);
    double x, rows = 0, paired = 0;
    std::printf("[[");
    while (std::scanf("%lf", &x) == 1) {
        in[0] = T(x);
        for (int k = 1; k < n_in && std::scanf("%lf", &x) == 1; k++) in[k] = T(x);
        angles_of_sin.clear();
        angles_of_cos.clear();
        evaluate(in.data(), out.data());
        for (double angle : angles_of_sin) paired += angles_of_cos.count(angle);
        std::printf(rows ? ", [" : "[");
        for (int k = 0; k < n_out; k++) std::printf(k ? ", %.17g" : "%.17g", out[k].v);
        std::printf("]");
        rows += 1;
    }
    std::printf("], {");
    for (auto &entry : tally) std::printf("\"%s\": %.17g, ", entry.first.c_str(), entry.second / rows);
    std::printf("\"pairs\": %.17g}]\n", paired / rows);
    return 0;
}
