"""State of snapshots: shared by all tests of a session, and of one test."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from semscale.snapshots.session_scorer import SnapshotMeter


@dataclass(frozen=True)
class SnapshotSession:
    """Settings and model that all tests of a session share.

    Attributes:
        approve: whether new outputs, and those that breach a limit, are approved.
        defaults: settings from the ini file, by name.
        meter: compares texts, with one loaded model for all tests.
    """

    approve: bool
    defaults: Mapping[str, object]
    meter: SnapshotMeter


@dataclass(frozen=True)
class SnapshotTest:
    """The snapshots of one test.

    Attributes:
        file: the file with the snapshots of its module.
        key: its name in that file.
        command: the command that approves its snapshots.
        settings: settings from its markers, the nearest marker's last.
        used: names of snapshots that it has used.
        approved: names of snapshots that it has approved.
        other_settings: differences in settings, for snapshots that were approved under other ones.
    """

    file: Path
    key: str
    command: str
    settings: tuple[Mapping[str, object], ...] = ()
    used: list[str] = field(default_factory=list)
    approved: list[str] = field(default_factory=list)
    other_settings: list[str] = field(default_factory=list)
