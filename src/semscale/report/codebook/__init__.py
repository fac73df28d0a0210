"""The document of a codebook."""
