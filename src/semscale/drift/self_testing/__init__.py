"""Self-test of a gate on known damage."""
