"""Rating of the texts of a table: one column, or several in one run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Self

import polars as pl

from semscale.embedding.cache import KEPT_EMBEDDINGS, CachedEmbedder
from semscale.errors import InputError
from semscale.rating.labelling import FilledSheet
from semscale.rating.rater import Rater
from semscale.rating.ratings import Ratings, RatingTally
from semscale.rating.settings import RatingColumns
from semscale.rating.summary import RatingSummaries, RatingSummary
from semscale.results.facts import ResultFacts
from semscale.results.instrument import TableInstrument
from semscale.results.table_columns import TEXT, Cells
from semscale.results.table_runs import PartSettings, measure_by_each, measure_table
from semscale.stats.intervals import MASS_PREFIX, IntervalPlan, mass_names
from semscale.store.columns import column_in
from semscale.store.places import Target
from semscale.store.table import ColumnLabels, Table
from semscale.store.writing import PREFIX
from semscale.types import Progress

if TYPE_CHECKING:
    from semscale.rating.decisions import TableDecisions
    from semscale.rating.human import HumanSample


def rate_table(  # noqa: PLR0913 - what, how, where to, and who hears of it
    table: Table,
    columns: RatingColumns,
    rater: Rater,
    *,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    labels: FilledSheet | None = None,
    deciding: "TableDecisions | None" = None,
    progress: Progress | None = None,
) -> RatingSummary:
    """Rate a column of texts, write the rated table, and summarize it.

    Columns other than the texts are checked in a separate pass, before any text is embedded.

    Args:
        table: the input.
        columns: names of the columns.
        rater: scale, embedder and settings.
        plan: how intervals are made, and the seed of all draws.
        out: as in ``measure_table``.
        settings: the parts.
        labels: filled sheet with people's ratings of some rows, instead of a column of human ratings.
        deciding: settings of a chat model that also rates the texts, in columns such as
            ``semscale_decided_status``; without decisions, ``RatingSummary.undecided`` has the reason.
        progress: called as rows are rated, and while texts are embedded.

    Raises:
        InputError: as ``measure_table``.
        StoppedByUserError: stopped by the user; finished parts are stored.
        ModelError: the model cannot be run; finished parts are stored.
    """
    instrument = RatingTable(
        columns, rater, plan or IntervalPlan(), labels=labels, deciding=deciding, progress=progress
    )
    return measure_table(table, instrument, out=out, settings=settings, progress=progress)


class _SheetColumns(RatingColumns):
    """Columns of a table with human ratings in a sheet, whose texts are checked first."""

    text: Annotated[str, TEXT]
    sheet: FilledSheet

    @classmethod
    def join(cls, columns: RatingColumns, sheet: FilledSheet) -> Self:
        """Return the columns of a table with those of a sheet."""
        return cls(**dict(columns), sheet=sheet).with_no_answer(columns.no_answer)

    def read(self, batch: pl.DataFrame, first_row: int = 0, *, only_checked: bool = False) -> Cells:
        """Read the cells of n rows, with the labels of the sheet."""
        cells = super().read(batch, first_row, only_checked=only_checked)
        humans, inclusion = self.sheet.part(first_row, batch.height)
        return replace(cells, values={**cells.values, "human": humans, "inclusion": inclusion})


class RatingTable(TableInstrument[Ratings, RatingSummary]):
    """Rating in a run over a table.

    Args:
        columns: names of the columns.
        rater: rater of the texts.
        plan: how intervals are made, and the seed of all draws.
        name: name of the texts, if several columns of texts are rated.
        labels: as in ``rate_table``.
        deciding: as in ``rate_table``.
        progress: called while texts are embedded.
    """

    stage = "rating"
    result = Ratings
    columns: RatingColumns
    _humans: "HumanSample | None"

    def __init__(
        self,
        columns: RatingColumns,
        rater: Rater,
        plan: IntervalPlan,
        *,
        name: str = "",
        labels: FilledSheet | None = None,
        deciding: "TableDecisions | None" = None,
        progress: Progress | None = None,
    ) -> None:
        used = columns if labels is None else _SheetColumns.join(columns, labels)
        self.columns = used.with_preparation(rater.settings)
        self.rater, self.name = rater, name
        self._plan, self._labels, self._deciding, self._progress = plan, labels, deciding, progress
        self._n_inspected = 0

    @property
    def stored(self) -> str:
        """Embeddings, where there is a cache."""
        return KEPT_EMBEDDINGS if isinstance(self.rater.embedder, CachedEmbedder) else ""

    def key(self) -> dict[str, str]:
        """Return the fields of the signature."""
        return dict(self.rater.signature.fields)

    def check(self, table: Table) -> None:
        """Check columns, labels and calibration, and load the model, before reading the table."""
        super().check(table)
        table.require_text(self.columns.text, "text")
        if self._labels is not None and self.columns.human is not None:
            raise InputError("labels and human exclude each other: both are human ratings")
        if self._labels is not None and self.columns.human_range is None:
            self._labels.check_scale(*(float(end) for end in self.rater.scale.values[[0, -1]]))
        _ = self.rater.embedder
        if self.rater.calibration is not None:
            _ = self.rater.signature  # refuses a calibration for other ratings

    def is_written(self, column: str) -> bool:
        """Return whether the ratings, or the decisions of a chat model, have a column of that name."""
        start = self.title(PREFIX)
        plain = PREFIX + column.removeprefix(start)
        return column.startswith(start) and (
            plain in self._plain_titles or plain.startswith(f"{PREFIX}decided_")
        )

    def name_beside(self, columns: Sequence[str]) -> str:
        """Return the text's column if the table has ratings of a text that they do not name."""
        has_ratings = {f"{PREFIX}status", f"{PREFIX}mean"} <= set(columns)
        return self.columns.text if has_ratings else ""

    @cached_property
    def _plain_titles(self) -> frozenset[str]:
        return frozenset(self.labels())

    def inspect(self, cells: Cells) -> None:
        """Compare the texts with those that people labelled."""
        self._n_inspected = cells.first_row + cells.rows.height
        if self._labels is not None:
            written = column_in(cells.rows, self.columns.text).to_list()  # with the HTML that people saw
            self._labels.check_texts(written, cells.first_row)

    def start(self, table: Table) -> None:
        """Prepare the summary."""
        if self._labels is not None:
            self._labels.check_rows(self._n_inspected)
        self._source = table.file_name
        missing = self.rater.settings.missing
        self._tally = RatingTally(
            self.rater, by=self.columns.groupings, missing=missing, seed=self._plan.seed
        )
        self._humans = None
        if self.columns.human is not None or self._labels is not None:
            from semscale.rating.human import HumanSample

            column = f"human: column '{self.columns.human}'"
            source = column if self._labels is None else f"labels: {self._labels.name}"
            self._humans = HumanSample(self._plan.seed, self.rater.scale.values, self.rater.signature, source)

    def measure(self, cells: Cells) -> Ratings:
        """Rate some rows."""
        return self.rater.rate_prepared(cells["text"], progress=self._progress)

    def read(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> Ratings:
        """Restore the ratings of a part from its columns."""
        return Ratings.from_part(
            frame,
            notes,
            scale=self.rater.scale,
            floor=self.rater.floor,
            own_anchors=self.rater.own_anchors,
            calibration=self.rater.calibration,
        )

    def add(self, cells: Cells, result: Ratings) -> None:
        """Add a part to the summary, to the human ratings and to the decisions."""
        texts, respondents, weights = cells["text"], cells.get("respondent"), cells.get("weight")
        if self._humans is not None:
            self._humans.add(
                cells.first_row,
                result,
                cells["human"],
                lengths=[len(text) if isinstance(text, str) else 0 for text in texts],
                respondents=respondents,
                groups=cells.get("by"),
                weights=weights,
                inclusion=cells.get("inclusion"),
            )
        self._tally.add(result, texts, groups=cells.get("by"), weights=weights, respondents=respondents)
        if self._deciding is not None:
            self._deciding.add(texts, result)

    def labels(self) -> dict[str, ColumnLabels]:
        """Return a label for each column, and the labels of the points for the mode."""
        scale = self.rater.scale
        title, masses = scale.title, mass_names(scale.values)
        points = {
            name.removeprefix(MASS_PREFIX): point.label
            for name, point in zip(masses, scale.points, strict=True)
        }
        named = [f"{value} ({label})" for value, label in points.items()]
        labels = {
            "status": ColumnLabels(f"{title}: scored, or why there is no rating", measure="nominal"),
            "mean": ColumnLabels(f"{title}: mean rating, {named[0]} to {named[-1]}", measure="scale"),
            "mode": ColumnLabels(f"{title}: most probable point", values=points, measure="ordinal"),
            "entropy": ColumnLabels(f"{title}: entropy of the rating in nats", measure="scale"),
            "similarity": ColumnLabels(f"{title}: highest cosine with an anchor", measure="scale"),
            "windows": ColumnLabels("windows in which the text was read", measure="scale"),
            "language": ColumnLabels("language of the text", measure="nominal"),
        }
        labels |= {
            name: ColumnLabels(f"{title}: probability of {point}", measure="scale")
            for name, point in zip(masses, named, strict=True)
        }
        return {PREFIX + name: entry for name, entry in labels.items()}

    def facts(self) -> ResultFacts:
        """Return the text, the scale and the labels of its points."""
        scale, text = self.rater.scale, self.columns.text
        no_answer = tuple(sorted(self.columns.no_answer.get(text, ())))
        points = zip(mass_names(scale.values), scale.points, strict=True)
        labels = {name.removeprefix(MASS_PREFIX): point.label for name, point in points}
        return ResultFacts(
            measured="ratings", text=self.columns.text, title=scale.title, labels=labels, no_answer=no_answer
        )

    def summary(self) -> RatingSummary:
        """Summarize all parts, after the decisions of a chat model if requested."""
        columns, comparison = self.columns, None
        if self._humans is not None:
            comparison = self._humans.compare(columns, interval=self._plan.interval)
        if comparison is not None and self._labels is not None:
            notes = (*comparison.notes, *filter(None, [self._labels.note]))
            comparison = replace(comparison, notes=notes, sheet=self._labels.name)
        summary = self._tally.summary(
            self._plan,
            self._source,
            text=columns.heading(columns.text),
            by=columns.by[0] if columns.by else None,
            weight=columns.weight,
            respondent=columns.respondent,
            comparison=comparison,
            show_anyway=columns.show_anyway,
        )
        if self._deciding is None:
            return summary
        from semscale.rating.decisions import MissingDecisions

        outcome = self._deciding.compare(summary.set_agreement)
        if isinstance(outcome, MissingDecisions):
            return replace(summary, undecided=outcome)
        return replace(summary, decided=outcome, signature=summary.signature.plus(outcome.ratings.signature))

    def final_columns(self, start: int, stop: int) -> pl.DataFrame | None:
        """Return the columns of decisions, which follow when all rows are rated."""
        return None if self._deciding is None else self._deciding.frame(start, stop)


def rate_columns(
    table: Table,
    columns: RatingColumns,
    raters: Mapping[str, Rater],
    *,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> RatingSummaries:
    """Rate several columns of texts, write one table, and summarize each of them.

    The rated table has the input's columns, then for each column of texts those of ``rate_table`` with its
    name: ``semscale_<text>_mean`` and so on.

    Args:
        table: the input.
        columns: names of the other columns; its ``text`` is the first column of texts.
        raters: the rater of each column of texts, by the column's name; at least one.
        plan: as in ``rate_table``.
        out: output file.
        settings: the parts.
        progress: called as rows are rated, and while texts are embedded.

    Raises:
        InputError: as ``rate_table``; or human ratings, which apply to one column of texts only.
        StoppedByUserError: stopped by the user; finished parts are stored.
        ModelError: the model cannot be run; finished parts are stored.
    """
    if columns.human is not None:
        raise InputError(
            "human", "belongs to one column of texts: rate each text that people rated by itself"
        )
    instruments = [
        RatingTable(
            columns.with_values(text=text), rater, plan or IntervalPlan(), name=text, progress=progress
        )
        for text, rater in raters.items()
    ]
    summaries, notes = measure_by_each(table, instruments, out=out, settings=settings, progress=progress)
    return RatingSummaries(table.file_name, dict(zip(raters, summaries, strict=True)), input_notes=notes)
