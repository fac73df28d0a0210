"""Models' files on this disk: where they come from, and that they are what they should be."""
