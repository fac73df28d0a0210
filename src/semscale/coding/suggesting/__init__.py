"""A codebook proposed from the answers: clusters, their words, names and examples, and its file."""
