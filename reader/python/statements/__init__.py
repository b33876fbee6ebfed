"""Statements: assignments, branches, match, and the bodies of functions."""
