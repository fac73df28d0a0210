"""Statements of a ledger on a PostgreSQL server; each is a transaction of its own and may be sent again.

Several machines send them at once. A call is never paid for twice, as a claim is made first and then it is
looked once more whether there is an outcome by now: an outcome and the end of its claim become visible
together. Where the same statement is sent again because the connection was lost, it finds what it did before.
"""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from semscale.chat.ledger.operations import FINAL, Attempt, Claim, RecordAttempt, ReleaseCall
from semscale.chat.ledger.server_tables import ATTEMPTS, CLAIMS, WRITERS

_ARE_FINAL = f"status IN ({', '.join(repr(status) for status in FINAL)})"
_IN_ORDER = "made, writer, number"
_FIND = (
    f"SELECT DISTINCT ON (key) key, status, body FROM {ATTEMPTS} "
    f"WHERE key = ANY(%s::bytea[]) AND {_ARE_FINAL} ORDER BY key, {_IN_ORDER}"
)
_LIST = f"SELECT status, body FROM {ATTEMPTS} WHERE key = %s ORDER BY {_IN_ORDER}"
_BEGIN = f"INSERT INTO {WRITERS} (until) VALUES (clock_timestamp() + %s * interval '1 second') RETURNING id"
_RENEW = (
    f"INSERT INTO {WRITERS} AS w VALUES (%s, clock_timestamp() + %s * interval '1 second') "
    "ON CONFLICT (id) DO UPDATE SET until = excluded.until"
)
_CLAIM = f"""
WITH asked AS (SELECT * FROM unnest(%s::bytea[], %s::bigint[]) AS a (key, run)),
known AS ({_FIND}),
held AS (SELECT key FROM {CLAIMS} JOIN asked USING (key, run) WHERE owner = %s),
made AS (
    INSERT INTO {CLAIMS} (key, owner, run)
    SELECT key, %s, run FROM asked WHERE key NOT IN (SELECT key FROM known) ORDER BY key
    ON CONFLICT (key) DO NOTHING RETURNING key),
renewed AS ({_RENEW} WHERE w.until < excluded.until - %s * interval '1 second')
SELECT key, status, body FROM known
UNION ALL SELECT key, NULL, NULL FROM held WHERE key NOT IN (SELECT key FROM known)
UNION ALL SELECT key, NULL, NULL FROM made
"""
_LAPSED = (
    f"SELECT key, owner FROM {CLAIMS} WHERE key = ANY(%s::bytea[]) AND NOT EXISTS "
    f"(SELECT FROM {WRITERS} AS w WHERE w.id = owner AND w.until > clock_timestamp())"
)
_TAKE_OVER = (
    f"UPDATE {CLAIMS} AS c SET owner = %s, run = l.run "
    "FROM unnest(%s::bytea[], %s::bigint[], %s::bigint[]) AS l (key, owner, run) "
    "WHERE c.key = l.key AND c.owner = l.owner RETURNING c.key"
)
_RELEASE = (
    f"DELETE FROM {CLAIMS} AS c USING unnest(%s::bytea[], %s::bigint[]) AS r (key, run) "
    "WHERE c.key = r.key AND c.run = r.run AND c.owner = %s"
)
_RECORD = f"""
WITH stored AS (
    INSERT INTO {ATTEMPTS} (writer, number, key, status, body)
    SELECT %s, * FROM unnest(%s::bigint[], %s::bytea[], %s::text[], %s::text[])
    ON CONFLICT (writer, number) DO NOTHING)
{_RELEASE}
"""
_LEAVE = f"WITH freed AS (DELETE FROM {CLAIMS} WHERE owner = %s) DELETE FROM {WRITERS} WHERE id = %s"
_FORGET = (
    f"WITH gone AS (DELETE FROM {WRITERS} WHERE until < clock_timestamp() - interval '1 day' RETURNING id) "
    f"DELETE FROM {CLAIMS} USING gone WHERE owner = gone.id"
)


def find(connection: Connection, keys: Sequence[bytes]) -> dict[bytes, Attempt]:
    """Return the final outcomes of those calls that have one."""
    rows = connection.exec_driver_sql(_FIND, (list(keys),))
    return {key: Attempt(status, body) for key, status, body in rows}


def attempts(connection: Connection, key: bytes) -> list[Attempt]:
    """Return all attempts at a call, oldest first."""
    return [Attempt(*row) for row in connection.exec_driver_sql(_LIST, (key,))]


def begin(connection: Connection, lease: float) -> int:
    """Enter a new writer, and forget those that were killed over a day ago.

    Args:
        connection: in autocommit mode, as for all of these functions.
        lease: seconds for which the writer's claims hold unless it renews them.
    """
    connection.exec_driver_sql(_FORGET)
    return int(connection.exec_driver_sql(_BEGIN, (lease,)).scalar_one())


def renew(connection: Connection, writer: int, lease: float) -> None:
    """Let a writer's claims hold for a whole lease from now on."""
    connection.exec_driver_sql(_RENEW, (writer, lease))


def leave(connection: Connection, writer: int) -> None:
    """End a writer, and all its claims."""
    connection.exec_driver_sql(_LEAVE, (writer, writer))


def claim(
    connection: Connection, writer: int, wanted: Mapping[bytes, int], *, lease: float
) -> dict[bytes, Attempt | Claim]:
    """Give the final outcomes of calls, and claim those calls without one that nobody else makes.

    Args:
        connection: in autocommit mode.
        writer: who claims.
        wanted: the run that wants it by the call's key.
        lease: seconds for which the writer's claims hold unless it renews them.
    """
    keys, runs = list(wanted), list(wanted.values())
    rows = connection.exec_driver_sql(_CLAIM, (keys, runs, keys, writer, writer, writer, lease, lease / 4))
    found: dict[bytes, Attempt | Claim] = dict.fromkeys(keys, Claim.ELSEWHERE)
    found |= {key: Claim.OURS if status is None else Attempt(status, body) for key, status, body in rows}
    elsewhere = [key for key in keys if found[key] is Claim.ELSEWHERE]
    found |= dict.fromkeys(_taken_over(connection, writer, wanted, elsewhere), Claim.OURS)
    claimed = [key for key in keys if found[key] is Claim.OURS]
    if claimed and (outcomes := find(connection, claimed)):
        release(connection, writer, [ReleaseCall(key, wanted[key]) for key in outcomes])
        found |= outcomes
    return found


def _taken_over(
    connection: Connection, writer: int, wanted: Mapping[bytes, int], keys: Sequence[bytes]
) -> list[bytes]:
    """Take over claims of writers that have not renewed them in time; of several takers one succeeds."""
    if not keys:
        return []
    lapsed = connection.exec_driver_sql(_LAPSED, (list(keys),)).all()
    if not lapsed:
        return []
    owners = {key: owner for key, owner in lapsed}
    columns = list(owners), list(owners.values()), [wanted[key] for key in owners]
    return [key for (key,) in connection.exec_driver_sql(_TAKE_OVER, (writer, *columns))]


def release(connection: Connection, writer: int, released: Sequence[ReleaseCall]) -> None:
    """End a writer's claims on calls, as far as it has them."""
    connection.exec_driver_sql(
        _RELEASE, ([each.key for each in released], [each.run for each in released], writer)
    )


def record(connection: Connection, writer: int, recorded: Mapping[int, RecordAttempt]) -> None:
    """Store attempts by their numbers; in the same moment, a final outcome ends the claim on its call."""
    made = list(recorded.values())
    ended = [each for each in made if each.attempt.status in FINAL]
    stored = (
        [each.key for each in made],
        [each.attempt.status for each in made],
        [each.attempt.body for each in made],
    )
    connection.exec_driver_sql(
        _RECORD,
        (writer, list(recorded), *stored, [each.key for each in ended], [each.run for each in ended], writer),
    )
