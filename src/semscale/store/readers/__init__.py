"""Readers of tables, one for each format of files."""
