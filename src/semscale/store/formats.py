"""Local tables of each format, opened in this process.

The child process that reads a table imports this module, so it needs no settings and starts without pydantic.
"""

from semscale.errors import EmptyTableError
from semscale.store.child_process import Opening
from semscale.store.columnar import open_folder, open_parquet
from semscale.store.delimited import open_delimited
from semscale.store.evaluation_logs import open_jsonl, open_log
from semscale.store.spreadsheets import open_excel
from semscale.store.statistical_files import open_statistical
from semscale.store.table import Table


def open_here(opening: Opening) -> Table:
    """Open a local table in this process.

    Raises:
        InputError: it cannot be read, or has no rows.
    """
    path, name, held, settings = opening.readable_path, opening.name, opening.held, opening.settings
    encoding, header_row = settings.get("encoding"), settings.get("header_row")
    header_kind = settings.get("header", "auto")
    match opening.format:
        case "parquet":
            files = None if held is None else {title: held.path(title) for title in held.descriptors}
            table = open_folder(path, files) if opening.is_folder else open_parquet(path, name)
        case "xlsx":
            sheet = settings.get("sheet")
            table = open_excel(path, name, sheet=sheet, header_kind=header_kind, header_row=header_row)
        case "sav" | "dta" | "sas7bdat" | "xpt":
            table = open_statistical(path, name, opening.format, encoding=encoding)
        case "jsonl":
            table = open_jsonl(path, name, encoding=encoding)
        case "csv" | "tsv":
            table = open_delimited(
                path,
                name,
                separator="\t" if opening.format == "tsv" else None,
                encoding=encoding,
                header_kind=header_kind,
                header_row=header_row,
            )
        case _:
            table = open_log(path, name, opening.format)
    return with_rows(table)


def with_rows(table: Table) -> Table:
    """Return a table unless it has no rows.

    Raises:
        EmptyTableError: it has none.
    """
    if next(table.batches(1), None) is None:
        raise EmptyTableError(f"{table.name} has a header but no rows; there is nothing to read")
    return table
