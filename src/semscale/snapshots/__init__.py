"""Snapshots of what a model says: approved once, and compared by meaning ever after."""
