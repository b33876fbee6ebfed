"""What Python asks of whatever value it is: its attributes, and Python's own functions of it."""
