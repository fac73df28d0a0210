"""History: stored runs of models, decisions about them, and results of comparisons."""

HISTORY_FILE = "semscale-history.sqlite"
"""Name of a history in the working folder, where people see, name and may commit it."""
