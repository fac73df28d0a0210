"""Runs of ``semscale columns``: check the options, read the table, write."""

from semscale.cli.options.columns import ColumnsOptions
from semscale.cli.outputs import check_input
from semscale.coding.columns import ColumnsSummary, summarize_columns
from semscale.store.result_columns import check_output
from semscale.store.writing import write_table


def describe_columns(options: ColumnsOptions) -> ColumnsSummary:
    """Describe the columns of a file, and write the table of them.

    Raises:
        InputError: an output that cannot be written, or a file that cannot be read.
    """
    options.outputs.check()
    check_input(options.file, options.outputs.report)
    table = options.table.open(options.file, is_reported=True)
    if options.outputs.out is not None:
        check_output(table, options.outputs.out)
    summary = summarize_columns(table)
    if options.outputs.out is not None:
        write_table(summary.to_frame(), options.outputs.out)
    return summary
