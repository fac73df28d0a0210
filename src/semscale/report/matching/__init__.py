"""The documents of matched texts, of scored submissions and of calibrated models."""
