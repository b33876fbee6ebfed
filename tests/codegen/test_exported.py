"""The exported text in C++, as docs/deriving.md says: its function is called for one element."""

import shutil
import subprocess

import numpy as np
import pytest

from egad import derive, float2, float3

HEAD = """#include <cmath>
#include <cstddef>
#include <cstdio>
#define __kernel
#define __global
#define restrict __restrict
size_t get_global_id(int) { return 0; }
#include "project.cl"
int main() {
    float d[6];
    project_jacobian_item(1, 2, 4, 100, d, d + 1, d + 2, d + 3, d + 4, d + 5);
    for (float entry : d) printf("%.9g ", entry);
}
"""


def project(p: float3, f: float) -> float2:
    return f * p.xy / p.z


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
def test_the_function_of_an_element_is_called_from_cpp(tmp_path):
    camera = derive(project, "jacobian", wrt="p")
    camera.export(tmp_path / "project.cl")
    (tmp_path / "main.cpp").write_text(HEAD)
    subprocess.run(["g++", "-o", "main", "main.cpp"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    expected = np.array([[100 / 4, 0, -100 * 1 / 16], [0, 100 / 4, -100 * 2 / 16]])
    np.testing.assert_allclose(np.array(done.stdout.split(), float), expected.ravel(), rtol=1e-6)
