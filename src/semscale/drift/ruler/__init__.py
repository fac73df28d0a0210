"""The ruler: whether what measures has moved, read off an anchor set that never changes."""
