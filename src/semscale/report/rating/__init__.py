"""The document of rated texts."""
