"""What can be done with values: arithmetic, elements, structs and lists, iteration, order."""
