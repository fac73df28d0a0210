"""The command ``semscale columns``: a description of each column of a table."""

from typing import Annotated

from semscale.cli.options.groups import grouped, option_group, without
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs, check_input, present, written_as


@option_group
class ColumnsOptions:
    """All options of ``semscale columns``."""

    file: File
    outputs: Annotated[Outputs, written_as("Table of columns and values"), without("figures")]
    table: RowOptions


@grouped
def columns(options: ColumnsOptions) -> None:
    """Describe each column and its inferred type.

    [bold]semscale columns answers.sav --report columns.html --out columns.xlsx[/bold]

    An id, open text, single or multiple choice, ordinal, number, date or weight, with values, labels and
    counts, missing cells, and quotes. Without --text, rate takes the only open text.
    """
    from semscale.store.result_columns import check_output
    from semscale.store.writing import write_table
    from semscale.tabulation.columns import summarize_columns

    outputs = options.outputs
    outputs.check()
    check_input(options.file, outputs.report)
    table = options.table.open(options.file, is_reported=True)
    if outputs.out is not None:
        check_output(table, outputs.out)
    summary = summarize_columns(table)
    if outputs.out is not None:
        write_table(summary.to_frame(), outputs.out)
    present(summary, outputs)
