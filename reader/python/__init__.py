"""Reads Python functions from their source: syntax in, values and programs out.

`values` are what a function computes with while it is read; `libraries` are functions of NumPy and
SciPy in Python; `operations` are done with values, `arrays` are operations on those of NumPy, and
`builtins` what Python asks of whatever it is; `calls`, `expressions`, `loops` and `statements` read
syntax; `read.py` is the door.
"""
