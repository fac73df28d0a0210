"""Embedding of a column of texts in a file of any size: part by part, resumable, in row order."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

import polars as pl

from semscale.embedding.embedder import Embedder
from semscale.embedding.texts import text_status
from semscale.errors import InputError
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.store.columns import column_in, storable
from semscale.store.places import Target
from semscale.store.runs import PartSettings, TableRun, WorkedPart
from semscale.store.table import Table
from semscale.store.writing import PREFIX, check_free, check_output, output_format
from semscale.types import Progress, Status

VECTOR, STATUS = f"{PREFIX}vector", f"{PREFIX}status"
"""Names of the added columns."""

VectorType = Literal["float32", "float16"]

_TYPES = {"float32": pl.Float32(), "float16": pl.Float16()}
_PART_BYTES = 2**25  # of a part's vectors, of which there are two copies until the part is stored
_NUMBER_BYTES = 4


@dataclass(frozen=True, repr=False)
class EmbeddingSummary(Presentable):
    """Counts of the rows that were embedded.

    Attributes:
        signature: the settings that were applied.
        n: rows of the input.
        counts: rows by status.
        dimensions: width of a vector.
        n_windowed: number of texts that were too long for the model to read at once.
        source: name of the input.
        column: name of the column of texts.
        created: time of the summary.
        input_notes: sentences on how the table was read.
    """

    signature: Signature
    n: int
    counts: Mapping[Status, int]
    dimensions: int
    n_windowed: int
    source: str
    column: str
    created: datetime = field(default_factory=lambda: datetime.now(UTC))
    input_notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"EmbeddingSummary(source={self.source!r}, n={self.n})"

    def record(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return {
            "instrument": "embed",
            "source": self.source,
            "column": self.column,
            "created": self.created,
            "rows": self.n,
            "counts": {str(status): n for status, n in self.counts.items()},
            "dimensions": self.dimensions,
            "windowed": self.n_windowed,
            "signature": str(self.signature),
        }


def embed_file(  # noqa: PLR0913 - what, by which model, where to, and who is told
    table: Table,
    text: str,
    *,
    embedder: Embedder,
    out: Target | None = None,
    dtype: VectorType = "float32",
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> EmbeddingSummary:
    """Embed a column of texts, and write the table with their vectors.

    The table has the input's columns and rows in their order, then ``semscale_status`` (``scored``, or the
    reason for a missing vector) and ``semscale_vector``, a list of fixed length. ``TableRun`` stores finished
    parts; memory does not grow with the rows.

    Args:
        table: the input.
        text: name of the column of texts.
        embedder: the model; equal texts within a part are computed once.
        out: ``.parquet`` or ``.jsonl``, or a folder (``target_of``).
        dtype: type of a vector's numbers; ``float16`` has 11 significant bits and takes half the space.
        settings: settings of the parts; a part has at most 32 MiB of vectors.
        progress: called as rows are embedded.

    Raises:
        InputError: the column does not exist or has no text, a column's name is already in use, the output
            cannot be written or its format has no lists, or stored parts are from a run with other settings.
        StoppedByUserError: the user stopped the run; finished parts stay stored.
        ModelError: the model cannot be run; finished parts stay stored.
    """
    if dtype not in _TYPES:
        raise InputError("dtype", f"must be float32 or float16, got {dtype!r}")
    table.require(text, "text")
    check_free(table.columns, table.name)
    if out is not None:
        check_vectors_fit(out)
        check_output(table, out)
    table.require_text(text, "text")
    settings = settings or PartSettings()
    most_rows = max(1, _PART_BYTES // (_NUMBER_BYTES * embedder.dimensions))
    settings = replace(settings, part_rows=min(settings.part_rows, most_rows))
    work = EmbeddingWork(table, text, embedder, dtype, progress)
    summary = TableRun(table, settings, progress).run(work, out)
    return replace(summary, input_notes=table.notes)


def check_vectors_fit(out: Target) -> None:
    """Reject file formats that cannot store lists of numbers.

    Raises:
        InputError: the format is CSV or a workbook.
    """
    if output_format(out) not in ("parquet", "jsonl"):
        raise InputError("out", f"must end in .parquet, .jsonl or / to hold vectors, got {out.name!r}")


@dataclass
class EmbeddingWork:
    """Embeds the texts of a table part by part."""

    table: Table
    text: str
    embedder: Embedder
    dtype: VectorType
    progress: Progress | None
    counts: Counter[str] = field(default_factory=Counter)
    n: int = 0
    n_windowed: int = 0
    stage = "embedding rows"
    private: tuple[str, ...] = ()
    stored = ""

    def key(self) -> dict[str, str]:
        """Return the column, the type and the model."""
        return {"text": self.text, **dict(self._signature.fields)}

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Embed the rows after the first ``skip`` ones."""
        yield from map(self.part, self.table.batches(size, skip))  # a loop would hold the last batch

    def part(self, batch: pl.DataFrame) -> WorkedPart:
        """Embed some rows."""
        check_free(batch.columns, self.table.name)
        statuses, vectors, n_windowed = self._embed_cells(column_in(batch, self.text).to_list())
        return WorkedPart(storable(batch).with_columns(statuses, vectors), {"n_windowed": n_windowed})

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:
        """Add the counts of a part."""
        self.counts.update(frame[STATUS].to_list())
        self.n += frame.height
        self.n_windowed += int(notes["n_windowed"])

    def summary(self) -> EmbeddingSummary:
        """Summarise all parts."""
        return EmbeddingSummary(
            self._signature,
            self.n,
            {status: self.counts[status] for status in Status if self.counts[status]},
            self.embedder.dimensions,
            self.n_windowed,
            self.table.file_name,
            self.text,
        )

    def is_repeated(self, notes: Mapping[str, Any]) -> bool:  # noqa: ARG002 - as the protocol has it
        """Return False: vectors do not change."""
        return False

    def late(self, start: int, stop: int) -> pl.DataFrame | None:  # noqa: ARG002 - as the protocol has it
        """Return no columns, as none depends on the whole table."""
        return None

    @property
    def _signature(self) -> Signature:
        return Signature.of("embed", dtype=self.dtype).plus(self.embedder.signature)

    def _embed_cells(self, cells: list[Any]) -> tuple[pl.Series, pl.Series, int]:
        """Embed the cells with text; return statuses, vectors, and the number of windowed texts."""
        statuses = [text_status(cell) for cell in cells]
        rows = [row for row, status in enumerate(statuses) if status == Status.SCORED]
        named = pl.Series(STATUS, list(map(str, statuses)))
        kind = pl.Array(_TYPES[self.dtype], self.embedder.dimensions)
        if not rows:
            return named, pl.Series(VECTOR, [None] * len(cells), kind), 0
        embedded = self.embedder.embed([cells[row] for row in rows], progress=self.progress)
        vectors = pl.Series(VECTOR, embedded.vectors, pl.Array(pl.Float32, self.embedder.dimensions)).cast(
            kind
        )
        if len(rows) < len(cells):
            position = dict(zip(rows, range(len(rows)), strict=True))
            vectors = vectors.gather(
                pl.Series([position.get(row) for row in range(len(cells))], dtype=pl.UInt32)
            )
        return named, vectors, embedded.n_windowed
