"""A job on disk: what it is to do, the uploaded table, how it ended, and its result."""

import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from semscale.store.atomic import replacing, sync

_ORDER, _END = "order.json", "end.json"


class JobStatus(StrEnum):
    """How far a job is."""

    WAITING = "waiting"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(frozen=True)
class JobFolder:
    """The folder of one job.

    Attributes:
        path: of the folder; its name is the job's.
    """

    path: Path

    @property
    def id(self) -> str:
        """The job's name."""
        return self.path.name

    @property
    def order(self) -> dict[str, Any]:
        """What the job is to do: ``kind``, ``fields`` and ``created``."""
        found: dict[str, Any] = json.loads((self.path / _ORDER).read_bytes())
        return found

    @property
    def is_whole(self) -> bool:
        """Whether the upload was finished."""
        return (self.path / _ORDER).is_file()

    @property
    def table(self) -> Path:
        """The uploaded table."""
        return self.upload_in(self.order["fields"]["format"])

    @property
    def result(self) -> Path:
        """The measured table."""
        return self.path / f"result.{self.order['fields']['result']}"

    @property
    def parts(self) -> Path:
        """The folder of finished parts, while the job is not finished."""
        return self.result.with_name(f"{self.result.name}.parts")

    @property
    def summary(self) -> Path:
        """The summary in JSON."""
        return self.path / "summary.json"

    @property
    def end(self) -> dict[str, Any] | None:
        """How the job ended: ``status`` and ``error``; ``None`` while it has not."""
        end = self.path / _END
        return json.loads(end.read_bytes()) if end.is_file() else None

    def upload_in(self, extension: str) -> Path:
        """Give the place of a table that is uploaded."""
        return self.path / f"table.{extension}"

    def accept(self, order: Mapping[str, Any]) -> None:
        """Keep what the job is to do; from now on it survives a restart."""
        self._write(_ORDER, order)

    def finish(self, status: JobStatus, error: str | None = None) -> None:
        """Keep how the job ended."""
        self._write(_END, {"status": str(status), "error": error})

    def forget(self) -> None:
        """Take the order back: the job is gone, even if the service is killed before its files are."""
        with suppress(FileNotFoundError):
            (self.path / _ORDER).unlink()
            sync(self.path)

    def remove(self) -> None:
        """Remove everything; what cannot be removed now is removed at the next start."""
        self.forget()
        shutil.rmtree(self.path, ignore_errors=True)

    def drop_results(self) -> None:
        """Remove what the job has made so far; the order and the table stay."""
        kept = {_ORDER, _END, self.table.name}
        for path in self.path.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name not in kept:
                path.unlink()

    def drop_table(self) -> None:
        """Remove the uploaded table, which nobody reads any more."""
        self.table.unlink(missing_ok=True)

    def _write(self, name: str, content: Mapping[str, Any]) -> None:
        with replacing(self.path / name) as temporary:
            temporary.write_text(json.dumps(content), encoding="utf-8")


def bytes_in(place: Path) -> int:
    """Add up the sizes of a file, or of all files in a folder; those that vanish meanwhile count nothing."""
    total = 0
    for path in (place, *place.rglob("*")):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            continue
    return total
