"""Runs of commands: from their options to the summaries that they print and write."""
