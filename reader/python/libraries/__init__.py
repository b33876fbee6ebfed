"""Functions of NumPy, SciPy and Python's library, written in Python: read like a user's."""
