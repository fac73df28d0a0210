"""Model files: where they come from, where they are stored, and the check of their hashes."""
