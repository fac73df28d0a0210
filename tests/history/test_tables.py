"""Times are stored and returned in UTC."""

from datetime import UTC, datetime, timedelta, timezone

from sqlalchemy import Column, MetaData, Table, create_engine, select

from semscale.history.tables import UtcDateTime

MOMENT = datetime(2026, 3, 1, 14, 30, tzinfo=timezone(timedelta(hours=2)))


def test_a_time_of_any_zone_comes_back_in_utc():
    table = Table("moments", MetaData(), Column("at", UtcDateTime))
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        table.create(connection)
        connection.execute(table.insert(), [{"at": MOMENT}, {"at": None}])
        found = connection.execute(select(table)).scalars().all()
    engine.dispose()
    assert found == [datetime(2026, 3, 1, 12, 30, tzinfo=UTC), None]
    assert found[0].tzinfo is UTC
