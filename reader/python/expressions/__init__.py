"""Expressions: syntax in, values out."""
