"""Runs of ``semscale study tables``: check the options, read the table, tabulate, write."""

from pathlib import Path

from semscale.cli.options.tables import TablesOptions
from semscale.cli.outputs import check_input
from semscale.study.crosstabs import panel_tables
from semscale.study.result import read_study
from semscale.tabulation.crosstabs import Crosstabs, tabulate_file


def make_tables(options: TablesOptions) -> Crosstabs:
    """Tabulate a file, and write its tables.

    Raises:
        InputError: options or columns that do not serve, or a file that cannot be read or written.
        MissingExtraError: slides without the extra.
    """
    tables = _of_panel(options) if Path(options.file).is_dir() else _of_file(options)
    for path in options.outputs.files or []:
        tables.report(path)
    return tables


def _of_file(options: TablesOptions) -> Crosstabs:
    settings = options.settings
    options.outputs.check()
    check_input(options.file)
    for path in options.outputs.files or []:
        check_input(options.file, path, "out")
    return tabulate_file(options.table.open(options.file, is_reported=True), settings)


def _of_panel(options: TablesOptions) -> Crosstabs:
    options.check_of_panel()
    options.outputs.check()
    return panel_tables(
        read_study(options.file, allow_unfinished=True),
        questions=options.tables.questions,
        banners=options.tables.banners,
        method=options.method,
        model=options.model or None,
        tests=options.tables,
    )
