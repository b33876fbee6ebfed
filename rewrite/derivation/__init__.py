"""Differentiation: linearization, transposition, and the orders that a Jacobian is built in."""
