"""Revision 1: all tables."""

from alembic.operations import Operations

from semscale.store.databases.schema import METADATA

revision = "1"
down_revision = None


def upgrade(op: Operations) -> None:
    """Create the tables.

    No version with this revision was released, so it follows the schema. Once one is, copy the tables of that
    version here before a second revision changes them.
    """
    METADATA.create_all(op.get_bind())
