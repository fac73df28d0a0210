"""A small disk: a file system in memory whose size can be changed."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAGE = 4096
LARGE = 64 * 2**20


class SmallDisk:
    """A mounted file system in memory.

    Args:
        folder: where it is mounted.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def used(self) -> int:
        """Bytes in use."""
        return shutil.disk_usage(self.folder).used

    def leave(self, room: int) -> None:
        """Leave so many bytes free, in whole pages."""
        size = self.used + room // PAGE * PAGE
        subprocess.run(["mount", "-o", f"remount,size={size}", str(self.folder)], check=True)


def can_mount() -> bool:
    """Tell whether this process may mount file systems."""
    return shutil.which("mount") is not None and hasattr(os, "geteuid") and os.geteuid() == 0 and _tried()


def _tried() -> bool:
    return subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode == 0


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    """Mount a file system in memory until the block ends."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={LARGE}", "tmpfs", str(folder)], check=True)
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
