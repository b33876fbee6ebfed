"""Reads Python functions from their source: syntax in, values and programs out."""
