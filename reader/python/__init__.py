"""Reads Python functions from their source: syntax in, values and programs out.

`values` are what a function computes with while it is read; `operations` are done with them;
`calls`, `expressions`, `loops` and `statements` read syntax; `read.py` is the door.
"""
