"""The linter of scales."""
