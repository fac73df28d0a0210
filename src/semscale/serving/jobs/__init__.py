"""Jobs: long files that are measured while nobody waits, and go on after a restart."""
