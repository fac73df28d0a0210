"""The commands with their options."""
