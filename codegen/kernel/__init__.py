"""Kernels: from statements to OpenCL C, and how values lie in the memory of one."""
