"""Databases that hold a history: a SQLite file or a PostgreSQL server."""
