"""The plugin for pytest: the fixture ``semantic_snapshot`` and the marker ``semantic``."""
