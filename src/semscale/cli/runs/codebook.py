"""Runs of ``semscale codebook``: check the options, read the table, write."""

from semscale.cli.options.codebook import CodebookOptions
from semscale.cli.outputs import check_input
from semscale.coding.columns import ColumnsSummary, summarize_columns
from semscale.store.result_columns import check_output
from semscale.store.writing import write_table


def make_codebook(options: CodebookOptions) -> ColumnsSummary:
    """Make the codebook of a file, and write its table.

    Raises:
        InputError: an output that does not serve, or a file that cannot be read.
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
