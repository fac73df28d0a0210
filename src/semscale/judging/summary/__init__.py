"""Summaries of judged items, for reports and JSON."""
