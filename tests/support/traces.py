"""What a command leaves behind: outputs, entries of a history, caches, and files that nobody asked for."""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tests.support.commands import LongCommand

from semscale.history.chain import SHORTEST_HEAD
from semscale.history.history import open_history

_ALLOWED_LEFTOVERS = re.compile(
    r"(cache/)?(embeddings|states|scores|ledger|history|other)\.sqlite(-wal|-shm|\.lock)?|cache/ledger\.sqlite\.owners/entrance"
)
_PARTS = {"run": ("semscale_items", "run_id"), "comparison": ("semscale_scores", "comparison_id")}
_DRAWN = {"id", "subject", "moment", "run_id", "comparison_id"}
_DRAWN_IN_BODY = re.compile(r'"(candidate_id)": "[^"]*"')


def files_in(folder: Path) -> set[str]:
    """Name all files below a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def outputs_of(command: LongCommand, folder: Path) -> dict[str, bytes]:
    """Read the files that a command writes; ids that are drawn at random read as their kind."""
    paths = [folder / name for name in command.outputs]
    files = [item for path in paths for item in ([path] if path.is_file() else sorted(path.rglob("*")))]
    return {path.relative_to(folder).as_posix(): plain(path.read_bytes(), folder) for path in files}


def plain(content: bytes, folder: Path) -> bytes:
    """Replace the ids of a history, which are drawn at random, its hashes, and the path of the folder."""
    for id_ in sorted(_ids(folder / "history.sqlite")):
        for shown in (id_, id_[:SHORTEST_HEAD], id_[:8]):
            content = content.replace(shown.encode(), b"ID")
    return content.replace(str(folder).encode(), b"FOLDER")


def _ids(path: Path) -> set[str]:
    if not path.exists():
        return set()
    with closing(sqlite3.connect(path)) as history:
        queries = "SELECT id FROM semscale_entries", "SELECT hash FROM semscale_links"
        return {id_ for query in queries for (id_,) in history.execute(query)}


def entries_of(path: Path, *, drawn: bool) -> Counter:
    """Count the runs, approvals and comparisons of a history.

    Args:
        path: of the history.
        drawn: whether to leave out ids, which are drawn at random, and times.
    """
    if not path.exists():
        return Counter()
    with closing(sqlite3.connect(path)) as history:
        history.row_factory = sqlite3.Row
        return Counter(_entries(history, _DRAWN if drawn else set()))


def _entries(history: sqlite3.Connection, without: set[str]) -> Iterator[tuple]:
    kinds = "kind IN ('run', 'comparison', 'approval')"
    for row in history.execute(f"SELECT * FROM semscale_entries WHERE {kinds}").fetchall():
        owned: list[str] = []
        if row["kind"] in _PARTS:
            part, owner = _PARTS[row["kind"]]
            records = history.execute(f"SELECT * FROM {part} WHERE {owner} = ?", [row["id"]])
            owned = sorted(_shown(item, without) for item in records)
        shown = _shown(row, without)
        yield row["kind"], _DRAWN_IN_BODY.sub("", shown) if without else shown, str(owned)


def _shown(row: sqlite3.Row, without: set[str]) -> str:
    return repr([(name, row[name]) for name in row.keys() if name not in without])  # noqa: SIM118


def strays(command: LongCommand, folder: Path, initial: set[str]) -> set[str]:
    """Name the files that are neither input nor output, nor belong to a cache or history."""
    left = files_in(folder) - initial - set(command.outputs)
    return {
        name
        for name in left
        if not _ALLOWED_LEFTOVERS.fullmatch(name)
        and not name.startswith(tuple(f"{item}/" for item in command.outputs))
    }


def assert_sound(folder: Path) -> None:
    """Check that every SQLite file in a folder is sound, and that every entry of a history holds."""
    for path in folder.rglob("*.sqlite"):
        with closing(sqlite3.connect(path)) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)], path.name
            tables = {name for (name,) in file.execute("SELECT name FROM sqlite_master")}
        if "semscale_links" in tables:
            with open_history(path) as history:
                assert history.verify().flaws == ()
