"""Words of texts with their vectors and weights, for methods that compare word by word."""
