"""Quotients over a gap: the distance of what a program divides by from the point where it is 0."""
