"""Databases of histories and ledgers: SQLite files, and PostgreSQL servers."""
