"""Sums up what judges said of many items, for reports and JSON."""
