"""The room that uploads of jobs may take on disk, promised to one upload at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from semscale.serving.jobs.job_folder import bytes_in
from semscale.serving.refusals import DISK_FULL, TOO_LARGE, RefusedRequestError

STEP = 64 * 1024 * 1024
"""Bytes that are promised at once to an upload of unknown length."""


class DiskRoom:
    """Shares out the bytes that the files of jobs may have, so that no two uploads count on the same ones.

    Args:
        home: the folder of all jobs.
        most: bytes that its files may have.
    """

    def __init__(self, home: Path, most: int) -> None:
        self._home, self._most = home, most
        self._lock = threading.Lock()
        self._uploads: list[DiskShare] = []

    def __len__(self) -> int:
        """Count the uploads under way."""
        return len(self._uploads)

    @contextmanager
    def share(self, folder: Path) -> Iterator["DiskShare"]:
        """Give an upload its share, for as long as it takes.

        Args:
            folder: where the upload is written; its files count as what was promised.
        """
        share = DiskShare(self, folder)
        with self._lock:
            self._uploads.append(share)
        try:
            yield share
        finally:
            with self._lock:
                self._uploads.remove(share)

    def promise(self, share: "DiskShare", n: int) -> None:
        """Promise an upload ``n`` more bytes, and some more where there is room.

        Raises:
            RefusedRequestError: the upload alone has more bytes than all jobs may have, or there is no room.
        """
        with self._lock:
            if share.promised + n > self._most:
                said = f"the files of all jobs may have {self._most:,} bytes: send a smaller table"
                raise RefusedRequestError(TOO_LARGE, said)
            others = {each.folder for each in self._uploads}
            kept = sum(bytes_in(path) for path in self._home.iterdir() if path not in others)
            free = self._most - kept - sum(each.promised for each in self._uploads)
            if n > free:
                said = "the jobs fill the disk that they may have: remove old ones, or send a smaller table"
                raise RefusedRequestError(DISK_FULL, said)
            share.promised += min(max(n, STEP), free)


class DiskShare:
    """The bytes that one upload may write.

    Attributes:
        folder: where it is written.
        promised: bytes that no other upload counts on.
    """

    def __init__(self, room: DiskRoom, folder: Path) -> None:
        self._room = room
        self.folder = folder
        self.promised = 0

    def cover(self, n: int) -> None:
        """Make sure that ``n`` bytes in all may be written.

        Raises:
            RefusedRequestError: there is no room for them.
        """
        if n > self.promised:
            self._room.promise(self, n - self.promised)
