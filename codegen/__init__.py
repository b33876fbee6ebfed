"""From programs to numbers: OpenCL C text, devices, and the NumPy reference."""
