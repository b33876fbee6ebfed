"""Measures what egad derives against what other tools reach: `python -m bench`."""
