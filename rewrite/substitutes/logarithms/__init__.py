"""Logarithms of what is nearly 1, of multiples, and to other bases."""
