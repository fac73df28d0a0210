"""Runs of a model: read from files, checked, and with their texts numbered."""
