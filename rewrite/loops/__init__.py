"""Loops: their tangents, their adjoints, what is stored between the two, and what is dropped."""
