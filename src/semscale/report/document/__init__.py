"""The document: findings of an instrument as a tree of few kinds of nodes, which knows no output."""
