"""A document: what an instrument found, as a tree of few kinds of nodes that knows no output."""
