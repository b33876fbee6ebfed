"""Proofs: for every term of an optimized program, the rules that lead to it, step by step."""
