"""The current tables of a history; ``migrations`` contains the steps that create them."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
)

REVISION = "6"
"""The migration that results in these tables."""

VERSION_TABLE = "semscale_version"
"""Table with a database's migration; not Alembic's default name, which other programs may use."""


class UtcDateTime(TypeDecorator[datetime]):
    """A time that every database stores and returns in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert a time of any time zone into UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:  # noqa: ANN401 - theirs
        """Add UTC to SQLite's times, which have no time zone."""
        if value is None:
            return None
        moment: datetime = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
        return moment


METADATA = MetaData()

RUNS = Table(
    "semscale_runs",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("dataset", Text, nullable=False, index=True),
    Column("model", Text, nullable=False),
    Column("recorded", UtcDateTime, nullable=False),
    Column("signature", Text, nullable=False),
    Column("revision", Text),
    Column("digest", Text, nullable=False),
    Column("rerun_of", Text, index=True),
    Column("note", Text),
    Column("n_items", Integer, nullable=False, server_default="0"),
)

ITEMS = Table(
    "semscale_items",
    METADATA,
    Column("run_id", Text, ForeignKey(RUNS.c.id), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)

APPROVALS = Table(
    "semscale_approvals",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("run_id", Text, ForeignKey(RUNS.c.id), nullable=False),
    Column("dataset", Text, nullable=False, index=True),
    Column("approved_by", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("approved", UtcDateTime, nullable=False),
    Column("expires", UtcDateTime),
)

COMPARISONS = Table(
    "semscale_comparisons",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("baseline_id", Text, nullable=False, index=True),
    Column("candidate_id", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("dataset", Text, nullable=False, index=True),
    Column("signature", Text, nullable=False),
    Column("outcome", Text),
    Column("compared", UtcDateTime, nullable=False),
    Column("digest", Text, nullable=False),
    Column("checks", Text),
)

FIGURES = Table(
    "semscale_figures",
    METADATA,
    Column("comparison_id", Text, ForeignKey(COMPARISONS.c.id), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("metric", Text, nullable=False),
    Column("group_kind", Text),
    Column("group_name", Text),
    Column("loss", Double),
    Column("drift", Double),
    Column("low", Double),
    Column("high", Double),
    Column("margin", Double),
    Column("n", Integer, nullable=False),
    Column("n_left_out", Integer, nullable=False),
)

SCORES = Table(
    "semscale_scores",
    METADATA,
    Column("comparison_id", Text, ForeignKey(COMPARISONS.c.id), primary_key=True),
    Column("metric", Text, primary_key=True),
    Column("packed", LargeBinary, nullable=False),
)

ANCHOR_SETS = Table(
    "semscale_anchor_sets",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("dataset", Text, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("frozen", UtcDateTime, nullable=False),
    Column("body", Text, nullable=False),
)

ANCHOR_READINGS = Table(
    "semscale_anchor_readings",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("set_id", Text, ForeignKey(ANCHOR_SETS.c.id), nullable=False, index=True),
    Column("dataset", Text, nullable=False),
    Column("series", Text, nullable=False),
    Column("signature", Text, nullable=False),
    Column("is_reference", Boolean, nullable=False),
    Column("comparison_id", Text),
    Column("measured", UtcDateTime, nullable=False),
    Column("body", Text, nullable=False),
)

SEALS = Table(
    "semscale_seals",
    METADATA,
    Column("hash", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("entry_id", Text, nullable=False, index=True),
    Column("dataset", Text, nullable=False, index=True),
    Column("content", Text, nullable=False),
    Column("parts", Text, nullable=False),
    Column("parents", Text, nullable=False),
    Column("is_late", Boolean, nullable=False),
)
