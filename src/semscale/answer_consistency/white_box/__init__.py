"""Scores of answers from the probabilities of their tokens, where a model gives these."""
