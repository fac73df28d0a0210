"""Text embeddings: engines (OpenVINO, PyTorch, endpoints, own arrays), the cache, and model loading."""

from semscale.embedding.embedder import ArrayEmbedder, Embedder, Embeddings
from semscale.embedding.loading import load_embedder

__all__ = ["ArrayEmbedder", "Embedder", "Embeddings", "load_embedder"]
