"""Text embeddings: engines (OpenVINO, PyTorch, endpoints, own arrays), the caches, and model loading."""

from semscale.embedding.cache import RememberingEmbedder
from semscale.embedding.embedder import ArrayEmbedder, Embedder, Embeddings
from semscale.embedding.loading import load_embedder

__all__ = ["ArrayEmbedder", "Embedder", "Embeddings", "RememberingEmbedder", "load_embedder"]
