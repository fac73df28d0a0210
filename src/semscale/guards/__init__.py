"""Guards: checks for differences that similarity misses (negations, numbers, names, who did what to whom)."""
