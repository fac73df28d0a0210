"""Languages of compared texts: how many are in each, and which ones a model does not read."""
