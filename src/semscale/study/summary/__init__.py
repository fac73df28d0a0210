"""Sums the answers of a study up."""
