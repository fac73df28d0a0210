"""Anchor sets: frozen pairs of texts that show whether what measures has moved, and their readings."""
