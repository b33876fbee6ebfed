"""Calls: arguments, bodies as programs, rules of functions, derivatives."""
