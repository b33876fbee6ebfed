"""Stable forms, put in before a program is differentiated: right where what was written is not."""
