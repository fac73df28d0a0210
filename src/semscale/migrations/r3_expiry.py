"""An approval may expire."""

import sqlalchemy as sa
from alembic.operations import Operations

revision = "3"
down_revision = "2"


def upgrade(op: Operations) -> None:
    """Add the column; approvals that are there never expire."""
    op.add_column("semscale_approvals", sa.Column("expires", sa.DateTime(timezone=True)))
