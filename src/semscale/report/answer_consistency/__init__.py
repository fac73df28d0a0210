"""The document of answers that were compared with samples."""
