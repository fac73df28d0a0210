"""How the tables of a history came to be: one Alembic revision a file, applied when a history is opened."""
