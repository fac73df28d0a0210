"""Runs of ``semscale study tables``: check the options, read the table, tabulate, write."""

from semscale.cli.options.tables import TablesOptions
from semscale.cli.outputs import check_input
from semscale.report.tables.saving import save_tables
from semscale.tabulation.crosstabs import tabulate_file
from semscale.tabulation.summary import Crosstabs


def make_tables(options: TablesOptions) -> Crosstabs:
    """Tabulate a file, and write its tables.

    Raises:
        InputError: options or columns that do not serve, or a file that cannot be read or written.
        MissingExtraError: slides without the extra.
    """
    plan = options.plan()
    options.outputs.check()
    files = options.outputs.files or []
    check_input(options.file)
    for path in files:
        check_input(options.file, path, "out")
    tables = tabulate_file(options.table.open(options.file, is_reported=True), plan)
    for path in files:
        save_tables(tables, path)
    return tables
