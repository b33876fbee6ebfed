"""Reads SymPy expressions, matrices and lambdas."""
