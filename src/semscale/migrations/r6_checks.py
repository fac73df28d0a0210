"""Revision 6: a column for the limits, must-pass items and thresholds that a gate checked."""

import sqlalchemy as sa
from alembic.operations import Operations

revision = "6"
down_revision = "5"


def upgrade(op: Operations) -> None:
    """Add the column; nothing is known of the checks of older comparisons."""
    op.add_column("semscale_comparisons", sa.Column("checks", sa.Text))
