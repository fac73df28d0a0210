"""Chat models on this machine."""
