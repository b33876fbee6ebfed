"""The e-graph of a program: its engine, what is known of its classes, saturation."""
