"""Tries rules with numbers: `egad check`, with mpmath as the judge."""
