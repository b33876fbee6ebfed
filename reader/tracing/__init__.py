"""Reads callables without source by running them on symbolic values."""
