"""Text to vectors: the OpenVINO engine, other engines, the cache, and where weights come from."""

from semscale.embedding.embedder import Embedder, Embeddings
from semscale.embedding.loading import load_embedder

__all__ = ["Embedder", "Embeddings", "load_embedder"]
