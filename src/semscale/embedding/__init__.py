"""Text to vectors: the OpenVINO engine, other engines, the cache, and where weights come from."""

from semscale.embedding.embedder import Embedder, Embeddings
from semscale.embedding.engines.arrays import ArrayEmbedder
from semscale.embedding.loading import load_embedder

__all__ = ["ArrayEmbedder", "Embedder", "Embeddings", "load_embedder"]
