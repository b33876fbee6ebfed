"""Extraction: an e-graph with costs in, the cheapest program in it out."""
