"""Revision 1: tables of runs, items, approvals, comparisons, figures and scores."""

import sqlalchemy as sa
from alembic.operations import Operations

revision = "1"
down_revision = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade(op: Operations) -> None:
    """Create the tables."""
    _make_runs(op)
    _make_comparisons(op)


def _make_runs(op: Operations) -> None:
    op.create_table(
        "semscale_runs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("dataset", sa.Text, nullable=False, index=True),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("recorded", _MOMENT, nullable=False),
        sa.Column("signature", sa.Text, nullable=False),
        sa.Column("revision", sa.Text),
        sa.Column("digest", sa.Text, nullable=False),
    )
    op.create_table(
        "semscale_items",
        sa.Column("run_id", sa.Text, sa.ForeignKey("semscale_runs.id"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "semscale_approvals",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("run_id", sa.Text, sa.ForeignKey("semscale_runs.id"), nullable=False),
        sa.Column("dataset", sa.Text, nullable=False, index=True),
        sa.Column("approved_by", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("approved", _MOMENT, nullable=False),
    )


def _make_comparisons(op: Operations) -> None:
    op.create_table(
        "semscale_comparisons",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("baseline_id", sa.Text, nullable=False, index=True),
        sa.Column("candidate_id", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("dataset", sa.Text, nullable=False, index=True),
        sa.Column("signature", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text),
        sa.Column("compared", _MOMENT, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
    )
    numbers = [sa.Column(name, sa.Double) for name in ("loss", "drift", "low", "high", "margin")]
    op.create_table(
        "semscale_figures",
        sa.Column("comparison_id", sa.Text, sa.ForeignKey("semscale_comparisons.id"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("metric", sa.Text, nullable=False),
        sa.Column("group_kind", sa.Text),
        sa.Column("group_name", sa.Text),
        *numbers,
        sa.Column("n", sa.Integer, nullable=False),
        sa.Column("n_left_out", sa.Integer, nullable=False),
    )
    op.create_table(
        "semscale_scores",
        sa.Column("comparison_id", sa.Text, sa.ForeignKey("semscale_comparisons.id"), primary_key=True),
        sa.Column("metric", sa.Text, primary_key=True),
        sa.Column("packed", sa.LargeBinary, nullable=False),
    )
