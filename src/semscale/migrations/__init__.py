"""Alembic revisions of the tables of histories and ledgers; opening a database applies them."""
