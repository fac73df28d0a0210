"""How much a job that runs writes, held to the room that it may take on disk."""

import polars as pl
import polars.selectors as cs

from semscale.serving.jobs.disk_room import DiskShare
from semscale.serving.jobs.job_folder import JobFolder, bytes_in

WRITING = "writing"
"""Stage at which a run puts its parts together."""


class JobGrowth:
    """Looks after the files of a job while it runs.

    Args:
        folder: of the job.
        share: its share of the disk.
    """

    def __init__(self, folder: JobFolder, share: DiskShare) -> None:
        self._folder, self._share = folder, share
        self._last = bytes_in(folder.path)
        self._largest_step = 0
        self._changed = self._last_change()

    def check(self, stage: str | None = None) -> None:
        """Make sure that the job may keep what it has written, and go on.

        Once a part is finished, another step as large as the largest so far must have room, and at the stage
        ``writing`` the result beside its parts.

        Args:
            stage: of the run; ``None`` when it has ended.

        Raises:
            RefusedRequestError: there is no room.
        """
        changed = self._last_change()
        if stage not in (None, WRITING) and changed == self._changed:
            return  # a look at thousands of parts takes longer than one at their folder
        self._changed = changed
        written = bytes_in(self._folder.path)
        self._largest_step = max(self._largest_step, written - self._last)
        self._last = written
        ahead = 0
        if stage is not None:
            ahead = expected_bytes(self._folder) if stage == WRITING else self._largest_step
        self._share.cover(written + ahead)

    def _last_change(self) -> int | None:
        """When a part was added last; ``None`` without parts."""
        parts = self._folder.parts
        return parts.stat().st_mtime_ns if parts.is_dir() else None


def expected_bytes(folder: JobFolder) -> int:
    """Estimate the bytes of a result from its parts: the first one shows how much larger CSV or JSON are."""
    parts = sorted(folder.parts.glob("part-*.parquet"))
    if not parts:
        return 0
    total = sum(part.stat().st_size for part in parts)
    match folder.result.suffix:
        case ".csv":
            written = pl.read_parquet(parts[0]).select(~cs.nested()).write_csv()
        case ".jsonl":
            written = pl.read_parquet(parts[0]).write_ndjson()
        case _:
            return total
    return round(total * len(written.encode()) / parts[0].stat().st_size)
