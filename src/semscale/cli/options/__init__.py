"""Options of the commands."""
