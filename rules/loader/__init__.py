"""Reads rule files: text in, operators, rewrites and facts out; nothing is executed."""
