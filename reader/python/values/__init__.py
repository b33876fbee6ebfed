"""Values while a function is read: numbers, objects, choices, annotations, and their scopes."""
