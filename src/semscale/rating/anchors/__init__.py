"""Anchors of a scale as a model sees them: vectors, the sets that serve it, the off-topic floor."""
