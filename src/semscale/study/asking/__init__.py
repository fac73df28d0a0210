"""Asks the personas of a panel, and measures nothing yet."""
