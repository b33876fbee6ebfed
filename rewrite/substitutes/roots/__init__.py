"""Roots, norms and angles where what is below the root is 0, or nearly all of it cancels."""
