"""Embeddings and token states that were computed before, kept on disk."""
