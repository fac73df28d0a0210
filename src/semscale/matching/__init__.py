"""Matching: similarity of predictions to references by several methods, and guards against false matches."""
