"""Alembic revisions of a history's tables, one in each file; opening a history applies them."""
