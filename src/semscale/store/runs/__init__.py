"""Runs over tables: finished parts, going on after them, and one output at the end."""
