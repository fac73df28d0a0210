"""What the tests of a session share, and what one test has of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from semscale.snapshots.session_scorer import SnapshotMeter


@dataclass(frozen=True)
class SnapshotSession:
    """What all tests of a session share.

    Attributes:
        approve: whether what is new or goes too far is approved.
        defaults: settings from the ini file, by name.
        meter: the one loaded model.
    """

    approve: bool
    defaults: Mapping[str, object]
    meter: SnapshotMeter


@dataclass(frozen=True)
class SnapshotTest:
    """One test, as far as its snapshots are concerned.

    Attributes:
        file: where the snapshots of its module are.
        key: its name in that file.
        command: what approves its snapshots, as one types it.
        settings: from its markers, the nearest last.
        used: names of snapshots that it asked for.
        approved: those of them that were written.
        other_settings: of those that were approved under other settings, what differs.
    """

    file: Path
    key: str
    command: str
    settings: tuple[Mapping[str, object], ...] = ()
    used: list[str] = field(default_factory=list)
    approved: list[str] = field(default_factory=list)
    other_settings: list[str] = field(default_factory=list)
