"""Runs of ``semscale judge compare``: read the columns, ask the judge about every pair, write."""

import polars as pl

from semscale.cli.options.judges import read_rubric
from semscale.cli.options.judging import SystemCompareOptions
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.errors import InputError
from semscale.judging.comparing.comparing import compare_systems
from semscale.judging.comparing.comparison_summary import SystemComparison
from semscale.judging.judge import Judge
from semscale.judging.side_by_side import side_by_side_template
from semscale.matching.match_columns import reference_lists
from semscale.store.columns import column_in
from semscale.store.writing import write_table

_BATCH = 50_000


def compare_answers(options: SystemCompareOptions) -> SystemComparison:
    """Compare the systems of a file, and write the table of pairs.

    Raises:
        SemscaleError: options that do not go together, a column that does not exist; a cap was reached, or
            no call can succeed.
    """
    systems = options.columns.systems
    options.judges.check()
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
    with progress_bars() as progress:
        judge = options.judges.load(progress)
        if not isinstance(judge, Judge):
            raise InputError("a comparison has one judge")
        # Its own words go into the template of a comparison.
        judge = judge.varied(template=side_by_side_template(read_rubric(options.judges.rubric) or ""))
        rows = pl.concat([*table.batches(_BATCH)], how="diagonal_relaxed")
        cells = {name: column_in(rows, column).to_list() for name, column in systems.items()}
        references = [column_in(rows, column).to_list() for column in known]
        summary, pairs = compare_systems(
            judge,
            column_in(rows, options.columns.question).to_list(),
            cells,
            references=reference_lists(references, tuple(known), 0) if references else None,
            columns=systems,
            source=table.name,
            running=options.calls.running(),
            plan=options.run.plan,
            progress=progress,
        )
    if options.outputs.out is not None:
        write_table(pairs, options.outputs.out)
    return summary
