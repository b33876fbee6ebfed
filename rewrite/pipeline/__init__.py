"""What leads from a program to its cheapest derivative: the stages in order, and the search."""
