"""Revision 5: tables of anchor sets and of their readings."""

import sqlalchemy as sa
from alembic.operations import Operations

revision = "5"
down_revision = "4"

_MOMENT = sa.DateTime(timezone=True)


def upgrade(op: Operations) -> None:
    """Add the tables; a history of an older version has no anchors."""
    op.create_table(
        "semscale_anchor_sets",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("dataset", sa.Text, nullable=False, index=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("frozen", _MOMENT, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "semscale_anchor_readings",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("set_id", sa.Text, sa.ForeignKey("semscale_anchor_sets.id"), nullable=False, index=True),
        sa.Column("dataset", sa.Text, nullable=False),
        sa.Column("series", sa.Text, nullable=False),
        sa.Column("signature", sa.Text, nullable=False),
        sa.Column("is_reference", sa.Boolean, nullable=False),
        sa.Column("comparison_id", sa.Text),
        sa.Column("measured", _MOMENT, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
