"""Revision 3: a column for the expiry of approvals."""

import sqlalchemy as sa
from alembic.operations import Operations

revision = "3"
down_revision = "2"


def upgrade(op: Operations) -> None:
    """Add the column; existing approvals never expire."""
    op.add_column("semscale_approvals", sa.Column("expires", sa.DateTime(timezone=True)))
