"""Runs of ``semscale judge compare``: read the columns, ask the judge about every pair, write."""

from collections import Counter
from dataclasses import dataclass
from functools import partial

import polars as pl

from semscale.chat.costs.forecast_summary import ForecastSummary
from semscale.cli.options.judges import read_rubric
from semscale.cli.options.judging import SystemCompareOptions
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.cli.runs.judge_forecasts import NOTE, forecast_items, row_forecast
from semscale.errors import InputError
from semscale.judging.comparing import SystemComparison, compare_systems, pair_items
from semscale.judging.judge import Judge
from semscale.judging.templates import side_by_side_template
from semscale.results.table_columns import listed_texts
from semscale.store.columns import column_in
from semscale.store.writing import write_table
from semscale.types import Progress, Status

_BATCH = 50_000


def compare_answers(options: SystemCompareOptions) -> SystemComparison:
    """Compare the systems of a file, and write the table of pairs; where a cap is reached, as far as it went.

    Raises:
        SemscaleError: options that do not go together, a column that does not exist; no call can succeed.
    """
    with progress_bars() as progress:
        read = _Comparison.read(options, progress)
        summary, pairs = compare_systems(
            read.judge,
            read.questions,
            read.answers,
            references=read.references,
            columns=read.columns,
            source=read.source,
            running=options.calls.running(),
            plan=options.run.plan,
            progress=progress,
        )
    if options.outputs.out is not None:
        write_table(pairs, options.outputs.out)
    return summary


def forecast_comparison(options: SystemCompareOptions) -> ForecastSummary:
    """Forecast the judge's calls, without asking.

    Raises:
        SemscaleError: as ``compare_answers``.
    """
    read = _Comparison.read(options)
    items, counts = pair_items(read.questions, read.answers, references=read.references)
    works = {read.judge.name: partial(forecast_items, read.judge, items)}
    rows = Counter({Status(status): n for status, n in counts.items()})
    note = f"{NOTE} Each pair is asked about in both orders, save where answers are alike or one is empty."
    return row_forecast(read.source, options.calls.forecasts(works), rows, note)


@dataclass(frozen=True)
class _Comparison:
    """A judge, and the cells that it compares."""

    judge: Judge
    questions: list[object]
    answers: dict[str, list[object]]
    references: list[object] | None
    columns: dict[str, str]
    source: str

    @classmethod
    def read(cls, options: SystemCompareOptions, progress: Progress | None = None) -> "_Comparison":
        systems = options.columns.systems
        options.judges.check(options.settings)
        options.outputs.check()
        check_input(options.file, options.outputs.report)
        table = options.table.open(options.file)
        known = options.columns.reference or []
        for column, option in (
            (options.columns.question, "question"),
            *((each, "system") for each in systems.values()),
            *((each, "reference") for each in known),
        ):
            table.require(column, option)
        judge = options.judges.load(options.settings, progress)
        if not isinstance(judge, Judge):
            raise InputError("a comparison has one judge")
        rows = pl.concat([*table.batches(_BATCH)], how="diagonal_relaxed")
        references = [column_in(rows, column) for column in known]
        return cls(
            # Its own words go into the template of a comparison.
            judge.varied(template=side_by_side_template(read_rubric(options.settings.rubric) or "")),
            column_in(rows, options.columns.question).to_list(),
            {name: column_in(rows, column).to_list() for name, column in systems.items()},
            list(listed_texts(references, "reference", 0)) if references else None,
            systems,
            table.name,
        )
