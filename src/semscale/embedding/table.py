"""Embedding of a column of texts in a file of any size: part by part, resumable, in row order."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self

import polars as pl

from semscale.embedding.embedder import Embedder
from semscale.embedding.texts import text_status
from semscale.errors import InputError
from semscale.presentable import Presentable
from semscale.results.instrument import TableInstrument
from semscale.results.table_columns import TEXT, Cells, Columns
from semscale.results.table_runs import PartSettings, measure_table
from semscale.signature import Signature
from semscale.store.places import Target
from semscale.store.table import Table
from semscale.store.writing import PREFIX, output_format
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


def embed_table(
    table: Table,
    columns: "EmbeddingColumns",
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
        columns: the column of texts.
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
    if out is not None:
        check_vectors_fit(out)
    settings = settings or PartSettings()
    most_rows = max(1, _PART_BYTES // (_NUMBER_BYTES * embedder.dimensions))
    settings = replace(settings, part_rows=min(settings.part_rows, most_rows))
    instrument = EmbeddingTable(columns, embedder, dtype, progress)
    return measure_table(table, instrument, out=out, settings=settings, progress=progress)


def check_vectors_fit(out: Target) -> None:
    """Reject file formats that cannot store lists of numbers.

    Raises:
        InputError: the format is CSV or a workbook.
    """
    if output_format(out) not in ("parquet", "jsonl"):
        raise InputError("out", f"must end in .parquet, .jsonl or / to hold vectors, got {out.name!r}")


class EmbeddingColumns(Columns):
    """Column of texts to embed."""

    text: Annotated[str, replace(TEXT, is_checked=False, is_prepared=False)]


@dataclass(frozen=True)
class EmbeddedTexts:
    """Vectors of n texts.

    Attributes:
        status: n statuses.
        vectors: n vectors, null for a text without one; ``None`` where only the counts are needed.
        n_windowed: number of texts that were too long for the model to read at once.
    """

    status: pl.Series
    vectors: pl.Series | None
    n_windowed: int

    def to_part(self) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the columns of the part, and the number of windowed texts."""
        columns = [self.status.alias(STATUS)]
        return pl.DataFrame(columns if self.vectors is None else [*columns, self.vectors.alias(VECTOR)]), {
            "n_windowed": self.n_windowed
        }

    @classmethod
    def from_part(cls, frame: pl.DataFrame, header: Mapping[str, Any], **_rest: Any) -> Self:
        """Read the vectors back, if the part has them."""
        return cls(frame[STATUS], frame.get_column(VECTOR, default=None), int(header["n_windowed"]))

    @classmethod
    def private_columns(cls) -> tuple[str, ...]:
        """Return no names, as all columns are in the output."""
        return ()


class EmbeddingTable(TableInstrument[EmbeddedTexts, EmbeddingSummary]):
    """Embedding of a column of texts, part by part.

    Args:
        columns: the column of texts.
        embedder: the model.
        dtype: type of a vector's numbers.
        progress: called while texts are embedded.
    """

    stage = "embedding rows"
    result = EmbeddedTexts
    summary_columns = (STATUS,)
    columns: EmbeddingColumns

    def __init__(
        self,
        columns: EmbeddingColumns,
        embedder: Embedder,
        dtype: VectorType = "float32",
        progress: Progress | None = None,
    ) -> None:
        self.columns = columns
        self._embedder, self._dtype, self._progress = embedder, dtype, progress
        self._counts: Counter[str] = Counter()
        self._n_windowed = 0

    def key(self) -> dict[str, str]:
        """Return the type and the model."""
        return dict(self._signature.fields)

    def check(self, table: Table) -> None:
        """Check the column, and that it has a text."""
        super().check(table)
        table.require_text(self.columns.text, "text")

    def start(self, table: Table) -> None:
        """Store the table's name for the summary."""
        self._source = table.file_name

    def measure(self, cells: Cells) -> EmbeddedTexts:
        """Embed the cells with text."""
        texts = cells["text"]
        statuses = [text_status(cell) for cell in texts]
        rows = [row for row, status in enumerate(statuses) if status == Status.SCORED]
        named = pl.Series(list(map(str, statuses)))
        width = self._embedder.dimensions
        kind = pl.Array(_TYPES[self._dtype], width)
        if not rows:
            return EmbeddedTexts(named, pl.Series([None] * len(texts), dtype=kind), 0)
        embedded = self._embedder.embed([texts[row] for row in rows], progress=self._progress)
        vectors = pl.Series(embedded.vectors, dtype=pl.Array(pl.Float32, width)).cast(kind)
        if len(rows) < len(texts):
            position = dict(zip(rows, range(len(rows)), strict=True))
            vectors = vectors.gather(
                pl.Series([position.get(row) for row in range(len(texts))], dtype=pl.UInt32)
            )
        return EmbeddedTexts(named, vectors, embedded.n_windowed)

    def add(self, cells: Cells, result: EmbeddedTexts) -> None:
        """Add the counts of a part."""
        self._counts.update(result.status.to_list())
        self._n_windowed += result.n_windowed

    def summary(self) -> EmbeddingSummary:
        """Summarize all parts."""
        return EmbeddingSummary(
            self._signature,
            self._counts.total(),
            {status: self._counts[status] for status in Status if self._counts[status]},
            self._embedder.dimensions,
            self._n_windowed,
            self._source,
            self.columns.text,
        )

    @property
    def _signature(self) -> Signature:
        return Signature.of("embed", dtype=self._dtype).plus(self._embedder.signature)
