"""The table of readers of what users, endpoints or earlier runs wrote; a new reader is one entry."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.fuzz import memory_growth as growth
from tests.fuzz import mutations as change
from tests.fuzz import readers as read

CORPUS = Path(__file__).with_name("corpus")
_BYTES = (change.bytes_changed, change.lines_changed)


@dataclass(frozen=True)
class Target:
    """A reader, and how its inputs are changed.

    Attributes:
        name: of the target, and of the folder of its corpus.
        read: feeds bytes to the reader; raises ``SemscaleError`` where it refuses them.
        changes: mutations that suit its inputs.
        grow: makes a fixed input long.
        timed: the part of ``read`` whose time counts; ``None`` for all of it.
    """

    name: str
    read: Callable[[bytes], object]
    changes: tuple[change.Mutation, ...] = _BYTES
    grow: growth.Growth = growth.tiled
    timed: Callable[[bytes], object] | None = None

    @property
    def folder(self) -> Path:
        """Folder of the fixed inputs: seeds, and every input that ever broke the reader."""
        return CORPUS / self.name

    @property
    def corpus(self) -> list[Path]:
        """The fixed inputs."""
        return sorted(self.folder.iterdir())

    def changed(self, content: bytes, random: Random) -> bytes:
        """Change an input by one to four mutations."""
        for _ in range(random.choice((1, 1, 2, 4))):
            content = random.choice(self.changes)(content, random)
        return content


_JSON = (change.json_changed, change.json_changed, change.bytes_changed)
_CELLS = (change.cells_changed, change.cells_changed, *_BYTES)
_AFTER_A_LINE = (change.after_first_line(change.json_changed), change.bytes_changed)

TARGETS = {
    target.name: target
    for target in (
        Target("csv", read.table(".csv"), _CELLS, growth.with_more_rows, read.rows(".csv")),
        Target("tsv", read.table(".tsv"), _CELLS, growth.with_more_rows, read.rows(".tsv")),
        Target(
            "jsonl", read.table(".jsonl"), (change.json_lines_changed, *_BYTES), timed=read.rows(".jsonl")
        ),
        Target("xlsx", read.table(".xlsx"), (change.zip_changed,), growth.workbook, read.rows(".xlsx")),
        Target(
            "parquet",
            read.table(".parquet"),
            (change.parquet_changed,),
            growth.parquet,
            read.rows(".parquet"),
        ),
        Target("scale", read.scale, _BYTES, growth.tiled_below_200_kb),
        Target("translation", read.translation, _BYTES, growth.tiled_below_200_kb),
        Target("calibration", read.calibration, _JSON, growth.with_longer_lists),
        Target("q4_weights", read.q4_weights, (change.head_changed,)),
        Target("safetensors", read.safetensors, (change.header_changed,)),
        Target("gate", read.gate, _BYTES, growth.tiled_below_200_kb),
        Target("prices", read.prices, _BYTES, growth.tiled_below_200_kb),
        Target("panel", read.panel, _BYTES, growth.tiled_below_200_kb),
        Target("athena", read.athena, _JSON, growth.with_longer_lists),
        Target("athena_report", read.athena_report, _JSON, growth.with_longer_lists),
        Target("submission", read.submission, _JSON, growth.with_longer_lists),
        Target("snapshots", read.snapshots, _JSON, growth.with_longer_lists),
        Target("baseline", read.baseline, (*_JSON, change.cells_changed), growth.with_more_rows),
        Target("stamps", read.stamps, _JSON, growth.with_longer_lists),
        Target(
            "judge_reply",
            read.judge_reply,
            (*_BYTES, change.json_changed),
            timed=read.likert_reply,
        ),
        Target("endpoint_reply", read.endpoint_reply, _JSON, growth.with_longer_lists),
        Target("guard_pair", read.guard_pair, _BYTES, growth.with_longer_texts),
        Target("parts", read.parts, _AFTER_A_LINE),
        Target("ledger_file", read.ledger_file, (change.bytes_changed,)),
        Target("ledger_entry", read.ledger_entry, _AFTER_A_LINE),
        Target("cache_file", read.cache_file, (change.bytes_changed,)),
        Target("cache_entry", read.cache_entry, (change.bytes_changed,)),
        Target("history_file", read.history_file, (change.bytes_changed,)),
    )
}
