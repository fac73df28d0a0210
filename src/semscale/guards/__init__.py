"""What flips a meaning and similarity does not see: negations, opposites, numbers and units, names."""
