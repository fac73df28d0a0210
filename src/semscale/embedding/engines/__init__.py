"""Embedding engines: OpenVINO, PyTorch, endpoints, and arrays that the user already has."""
