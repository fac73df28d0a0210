"""Revision 2: columns of runs for the repeated run, a note and the number of items."""

import sqlalchemy as sa
from alembic.operations import Operations

revision = "2"
down_revision = "1"


def upgrade(op: Operations) -> None:
    """Add the columns, and count the items of existing runs."""
    op.add_column("semscale_runs", sa.Column("rerun_of", sa.Text))
    op.add_column("semscale_runs", sa.Column("note", sa.Text))
    op.add_column("semscale_runs", sa.Column("n_items", sa.Integer, nullable=False, server_default="0"))
    op.create_index("ix_semscale_runs_rerun_of", "semscale_runs", ["rerun_of"])
    runs = sa.table("semscale_runs", sa.column("id"), sa.column("n_items"))
    items = sa.table("semscale_items", sa.column("run_id"))
    counted = sa.select(sa.func.count()).select_from(items).where(items.c.run_id == runs.c.id)
    op.execute(runs.update().values(n_items=counted.scalar_subquery()))
