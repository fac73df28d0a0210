"""The commands ``semscale drift``: their options and their runs."""
