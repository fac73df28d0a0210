"""Studies in YAML files that users write."""
