"""What can be done with values: arithmetic, fields and elements, items, library functions."""
