"""Reports of studies."""
