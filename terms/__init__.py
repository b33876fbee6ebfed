"""Values that every stage shares: types, terms, programs, operators, rules, errors."""
