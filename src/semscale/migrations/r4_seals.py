"""Revision 4: a table of seals, which chain the entries by hashes."""

import sqlalchemy as sa
from alembic.operations import Operations

revision = "4"
down_revision = "3"


def upgrade(op: Operations) -> None:
    """Add the table; ``history.databases.migrating`` fills it with seals of the entries that are there."""
    op.create_table(
        "semscale_seals",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("entry_id", sa.Text, nullable=False, index=True),
        sa.Column("dataset", sa.Text, nullable=False, index=True),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("parts", sa.Text, nullable=False),
        sa.Column("parents", sa.Text, nullable=False),
        sa.Column("is_late", sa.Boolean, nullable=False),
    )
