"""The host side: what users pass and get back, and the NumPy reference."""
