"""Guards: checks for differences that similarity misses (negations, opposites, numbers and units, names)."""
