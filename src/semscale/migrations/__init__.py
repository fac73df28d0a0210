"""Alembic revisions of the tables of histories; opening a database applies them."""
