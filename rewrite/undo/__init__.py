"""Undoing operators: what a value says of the values that it was made from."""
