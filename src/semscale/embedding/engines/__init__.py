"""Engines that compute embeddings: OpenVINO, PyTorch, an endpoint, and given arrays."""
