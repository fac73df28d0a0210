"""Languages of texts, and the languages that a model reads."""
