"""Exponentials and their kin far out: shares and tails that neither overflow nor vanish."""
