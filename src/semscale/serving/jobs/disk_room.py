"""The room that uploads and running jobs may take on disk, promised to one of them at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from semscale.serving.jobs.job_folder import bytes_in
from semscale.serving.refusals import DISK_FULL, TOO_LARGE, RefusedRequestError

STEP = 64 * 1024 * 1024
"""Bytes that are promised at once, where there is room, so that the disk is not looked through too often."""

_NO_ROOM = "the jobs fill the disk that they may have: remove old ones, or send a smaller table"


class DiskRoom:
    """Shares out the bytes that the files of jobs may have, so that nobody counts on the bytes of another.

    Args:
        home: the folder of all jobs.
        most: bytes that its files may have.
    """

    def __init__(self, home: Path, most: int) -> None:
        self._home, self._most = home, most
        self._looking = threading.Lock()  # held by who looks through the disk
        self.lock = threading.Lock()  # held for a moment, to read or change what was promised
        self._shares: set[DiskShare] = set()

    @contextmanager
    def share(self, folder: Path) -> Iterator["DiskShare"]:
        """Give an upload, or a job that runs, its share for as long as it takes.

        Args:
            folder: where it writes; the files there count as what was promised.
        """
        share = DiskShare(self, folder, bytes_in(folder))
        with self.lock:
            self._shares.add(share)
        try:
            yield share
        finally:
            with self.lock:
                self._shares.remove(share)

    def promise(self, share: "DiskShare", n: int) -> None:
        """Promise a share ``n`` bytes in all, and some more where there is room.

        Where there is none, what others were promised and do not need yet is taken back first.

        Raises:
            RefusedRequestError: these are more bytes than all jobs may have, or there is no room.
        """
        if n > self._most:
            said = f"the files of all jobs may have {self._most:,} bytes: send a smaller table"
            raise RefusedRequestError(TOO_LARGE, said)
        with self._looking:
            with self.lock:
                before = set(self._shares)
            kept = self._bytes_beside(before)
            with self.lock:
                # A share that has ended meanwhile was not looked at, so what it was promised still counts.
                others = (before | self._shares) - {share}
                free = self._most - kept - sum(each.promised for each in others)
                if n > free:
                    for each in others:
                        each.promised = each.needed
                    free = self._most - kept - sum(each.promised for each in others)
                if n > free:
                    raise RefusedRequestError(DISK_FULL, _NO_ROOM)
                share.needed = n
                share.promised = min(max(n, share.promised + STEP), free)

    def _bytes_beside(self, shares: set["DiskShare"]) -> int:
        """Add up the files of all other jobs."""
        folders = {share.folder for share in shares}
        return sum(bytes_in(path) for path in self._home.iterdir() if path not in folders)


class DiskShare:
    """The bytes that one upload, or one job that runs, may write.

    Attributes:
        folder: where it writes.
        needed: bytes that it has written, or is about to write.
        promised: bytes that nobody else counts on; at least as many.
    """

    def __init__(self, room: DiskRoom, folder: Path, written: int) -> None:
        self._room = room
        self.folder = folder
        self.needed = self.promised = written

    def covers(self, n: int) -> bool:
        """Tell whether ``n`` bytes in all were promised; if so, they are needed from now on."""
        with self._room.lock:
            if n <= self.promised:
                self.needed = n
            return n <= self.promised

    def cover(self, n: int) -> None:
        """Make sure that ``n`` bytes in all may be written.

        Raises:
            RefusedRequestError: there is no room for them.
        """
        if not self.covers(n):
            self._room.promise(self, n)
