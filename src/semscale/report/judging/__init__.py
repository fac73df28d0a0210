"""The document of a judged table."""
