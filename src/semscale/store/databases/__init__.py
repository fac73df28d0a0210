"""Databases that a user names: SQLite files, and PostgreSQL servers."""
