"""Explanations: what a derivation did, statement by statement, as text and as a page."""
