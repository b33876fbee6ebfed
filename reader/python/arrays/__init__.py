"""Arrays of NumPy: computed with at each element, read and written in parts, folded, shaped."""
