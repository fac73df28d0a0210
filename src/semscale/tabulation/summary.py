"""Tables of a survey with all that a reader has to know about them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.store.missing_codes import missing_keys, written_codes
from semscale.tabulation.laid_out import cell_rows, difference_rows, recorded_table
from semscale.tabulation.plan import TablePlan
from semscale.tabulation.tables.crosstab import Crosstab


@dataclass(frozen=True, repr=False)
class Crosstabs(Presentable):
    """Tables of questions by banners.

    Attributes:
        source: name of the file; empty for a data frame.
        n: rows of the file that were read.
        left_out: rows that do not count, by reason.
        tables: question by question, each by all banners.
        plan: what was tabulated, and how.
        sample_notes: on the weights.
        input_notes: how the file was read, such as the rows that a condition left out.
        measured: how answers came about that were not given in the file, for the signature.
        created: when.
    """

    source: str
    n: int
    left_out: Mapping[str, int]
    tables: tuple[Crosstab, ...]
    plan: TablePlan
    sample_notes: tuple[str, ...] = ()
    input_notes: tuple[str, ...] = ()
    measured: Mapping[str, str] = field(default_factory=dict)
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        return f"Crosstabs(source={self.source!r}, n={self.n:,}, tables={len(self.tables)})"

    @property
    def n_counting(self) -> int:
        """Rows that count."""
        return self.n - sum(self.left_out.values())

    @property
    def is_of_panel(self) -> bool:
        """Whether personas of a synthetic panel answered, each once for each concept and model."""
        return "panel" in self.measured

    @property
    def is_weighted(self) -> bool:
        """Whether respondents count differently."""
        return self.plan.sample.weight is not None or bool(self.plan.sample.margins)

    @property
    def signature(self) -> Signature:
        """All settings that the figures depend on."""
        sample, tests = self.plan.sample, self.plan.tests
        return Signature.of(
            "study tables",
            weight=sample.weight,
            strata=sample.strata,
            cluster=sample.cluster,
            replicates=sample.replicates,
            replicate_type=sample.replicate_type,
            rho=sample.rho,
            raked_to="+".join(sample.margins) or None,
            wave=self.plan.wave,
            wave_order="+".join(self.plan.wave_order) or None,
            pair_by=sample.pair_by,
            lonely=sample.lonely,
            min_base=tests.min_base,
            adjust=tests.correction,
            level=tests.level,
            **self._draw(),
            **self._missing(),
            **self.measured,
        )

    def _draw(self) -> dict[str, str]:
        """Settings of the draw that few surveys have; empty without any."""
        sample = self.plan.sample
        given = {
            "fpc": sample.fpc,
            "rscales": "+".join(f"{one:g}" for one in sample.rscales),
            "weight_bounds": "+".join(f"{one:g}" for one in sample.weight_bounds or ()),
        }
        return {name: value for name, value in given.items() if value}

    def _missing(self) -> dict[str, str]:
        """Codes that are no answer, by question; empty without any."""
        found = (
            f"{name}={codes}" if name else codes
            for name, listed in self.plan.missing.items()
            if (codes := written_codes(missing_keys(listed)))
        )
        return {"missing": written} if (written := ";".join(found)) else {}

    def questions(self) -> Iterator[tuple[Crosstab, ...]]:
        """Give the tables of each question."""
        names = dict.fromkeys(table.question.name for table in self.tables)
        for name in names:
            yield tuple(table for table in self.tables if table.question.name == name)

    def record(self) -> dict[str, Any]:
        """Lay the tables out by name, for JSON."""
        tests = self.plan.tests
        return {
            "instrument": "study tables",
            "source": self.source,
            "rows": self.n,
            "left_out": dict(self.left_out),
            "level": tests.level,
            "adjust": tests.correction or "none",
            "min_base": tests.min_base,
            "tables": [recorded_table(table) for table in self.tables],
            "signature": str(self.signature),
            "created": self.created,
        }

    def to_frame(self) -> pl.DataFrame:
        """Lay all cells out, one row a cell, and below them each pair of columns, one row a line.

        Returns:
            The columns ``question``, ``question_text``, ``taken_for``, ``banner``, ``answered_by`` (model of
            a panel that several models played), ``column``, ``column_letter``, ``line``, ``statistic`` (share
            from 0 to 1, mean, standard deviation, or the difference of two columns), ``value``, ``low``,
            ``high``, ``n``, ``n_missing``, ``weighted_base``, ``effective_n``, ``small_base``, ``letters``,
            ``n_ungrouped``, ``wave``, ``wave_before``, ``change``, ``change_low``, ``change_high``,
            ``change_p``, ``change_p_adjusted``,
            ``chi_square_p``; of differences ``first`` minus ``second``, with ``p`` and ``p_adjusted``.
        """
        cells = [row for table in self.tables for row in cell_rows(table)]
        compared = [row for table in self.tables for row in difference_rows(table)]
        return pl.DataFrame([*cells, *compared], schema=_COLUMNS)

    def report(self, path: str | PathLike[str], *, figures: str | PathLike[str] | None = None) -> None:  # noqa: ARG002
        """Write the tables, in a form that the file's ending names.

        Args:
            path: a page (``.html``), Markdown (``.md``), a workbook with one sheet a question (``.xlsx``),
                slides with one chart a question (``.pptx``, extra ``slides``), or ``.json``; cells one a row
                as ``.csv``, ``.parquet`` or ``.jsonl``.
            figures: has no effect, as tables have no pictures.

        Raises:
            InputError: another ending, or a file that cannot be written.
            MissingExtraError: slides without the extra.
        """
        saving = import_module("semscale.report.tables.saving")
        saving.save_tables(self, Path(path))


_COLUMNS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("question", "question_text", "taken_for", "banner", "answered_by"), pl.String),
    **dict.fromkeys(("column", "column_letter", "line", "statistic"), pl.String),
    **dict.fromkeys(("value", "low", "high"), pl.Float64),
    **dict.fromkeys(("n", "n_missing"), pl.Int64),
    **dict.fromkeys(("weighted_base", "effective_n"), pl.Float64),
    "small_base": pl.Boolean,
    "letters": pl.String,
    "n_ungrouped": pl.Int64,
    **dict.fromkeys(("wave", "wave_before"), pl.String),
    **dict.fromkeys(("change", "change_low", "change_high", "change_p", "change_p_adjusted"), pl.Float64),
    "chi_square_p": pl.Float64,
    **dict.fromkeys(("first", "second"), pl.String),
    **dict.fromkeys(("p", "p_adjusted"), pl.Float64),
}
