"""Loops: what they carry, how often they run, how they end."""
