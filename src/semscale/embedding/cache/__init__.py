"""Caches of embeddings and token states on disk."""
