"""Text embeddings: engines (OpenVINO, PyTorch, endpoints, given arrays), the cache, and loading of models."""

from semscale.embedding.embedder import ArrayEmbedder, Embedder, Embeddings
from semscale.embedding.loading import load_embedder

__all__ = ["ArrayEmbedder", "Embedder", "Embeddings", "load_embedder"]
