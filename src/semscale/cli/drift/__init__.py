"""The commands ``semscale drift``."""
