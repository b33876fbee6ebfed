"""Quotients whose two sides are 0 together, as what their limit is made of."""
