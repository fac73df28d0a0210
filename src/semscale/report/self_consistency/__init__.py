"""The document of a table whose answers were compared with samples."""
