"""Tables of histories and ledgers, which may share a database."""

from sqlalchemy import BigInteger, Column, Double, Integer, LargeBinary, MetaData, Table, Text

REVISION = "1"
"""The Alembic revision that results in these tables."""

VERSION_TABLE = "semscale_version"
"""Table with the revision of a database; not Alembic's default name, which other programs may use."""

METADATA = MetaData()

# SQLite numbers rows by itself only in a column of type INTEGER.
_NUMBER = BigInteger().with_variant(Integer, "sqlite")

ENTRIES = Table(
    "semscale_entries",
    METADATA,
    Column("kind", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("dataset", Text, nullable=False, index=True),
    # Id of the run or anchor set that the entry is about.
    Column("subject", Text, index=True),
    # UTC in ISO 8601 with microseconds, so that texts sort as times do.
    Column("moment", Text, nullable=False),
    Column("body", Text, nullable=False),
)
"""Runs, approvals, comparisons, anchor sets and anchor readings, with their content as JSON."""

ITEMS = Table(
    "semscale_items",
    METADATA,
    Column("run_id", Text, primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)
"""Items of runs, whose hash is in the body of the run."""

SCORES = Table(
    "semscale_scores",
    METADATA,
    Column("comparison_id", Text, primary_key=True),
    Column("metric", Text, primary_key=True),
    Column("packed", LargeBinary, nullable=False),
)
"""Scores of comparisons, whose hashes are in the body of the comparison."""

LINKS = Table(
    "semscale_links",
    METADATA,
    Column("position", _NUMBER, primary_key=True),
    Column("hash", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("entry_id", Text, nullable=False, index=True),
    Column("dataset", Text, nullable=False, index=True),
    Column("content", Text, nullable=False),
    Column("parents", Text, nullable=False),
)
"""The chain: a hash of each entry and of the links before it."""

ATTEMPTS = Table(
    "semscale_attempts",
    METADATA,
    Column("key", LargeBinary, primary_key=True),
    # A writer numbers its attempts, so that storing one again after a lost connection changes nothing.
    Column("writer", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    # Seconds since 1970, by the writer's clock.
    Column("moment", Double, nullable=False),
    Column("status", Text, nullable=False),
    Column("body", Text, nullable=False),
)
"""Attempts at calls of chat models, by the hash of everything that decides a reply."""

CLAIMS = Table(
    "semscale_claims",
    METADATA,
    Column("key", LargeBinary, primary_key=True),
    Column("writer", BigInteger, nullable=False),
    Column("run", BigInteger, nullable=False),
)
"""Calls in progress, each with the run and the open ledger that makes it."""

WRITERS = Table(
    "semscale_writers",
    METADATA,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    # Seconds since 1970, by the server's clock.
    Column("until", Double, nullable=False),
)
"""Open ledgers on a server, each with the time until which its claims hold."""
