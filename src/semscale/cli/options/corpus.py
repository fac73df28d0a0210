"""A corpus that the user names: one text a line, or a column of a table."""

from pathlib import Path

from semscale.errors import InputError
from semscale.store.decoding import open_text
from semscale.store.reading import open_table

_BATCH = 50_000


def corpus_choice(file: str | None, column: str | None) -> tuple[str, str | None] | None:
    """Put the two options together.

    Raises:
        InputError: a column without a file.
    """
    if file is None and column is not None:
        raise InputError(f"corpus_column {column!r} belongs to a corpus; name its file with --corpus, too")
    return None if file is None else (file, column)


def read_corpus(file: str, column: str | None) -> list[str]:
    """Read the texts of a corpus; empty ones are passed over.

    Args:
        file: a ``.txt`` file with one text a line, or a table.
        column: of a table; need not be named where there is only one.

    Raises:
        InputError: the file cannot be read, holds no text, or the column is missing.
    """
    path = Path(file)
    if path.suffix.lower() == ".txt":
        if column is not None:
            raise InputError(f"corpus_column belongs to a table, {file} has one text a line; leave it out")
        texts = _lines(path)
    else:
        texts = _cells(file, column)
    if not texts:
        raise InputError(f"corpus: {file} holds no text; name a file with texts of the kind to be matched")
    return texts


def _lines(path: Path) -> list[str]:
    if not path.is_file():
        raise InputError(f"corpus: {path} does not exist; check the name of the file")
    with open_text(path, str(path), None) as lines:
        return [line.strip() for line in lines if line.strip()]


def _cells(file: str, column: str | None) -> list[str]:
    try:
        table = open_table(file)
    except InputError as error:
        raise InputError(f"corpus: {error}") from error
    if column is None:
        if len(table.columns) > 1:
            raise InputError(
                f"corpus: {file} has {len(table.columns)} columns; name one with --corpus-column: "
                f"{', '.join(table.columns)}"
            )
        column = table.columns[0]
    table.require_text(column, "corpus_column")
    cells = [
        cell
        for batch in table.batches_with({column}, _BATCH)
        if column in batch.columns
        for cell in batch[column].to_list()
    ]
    return [cell for cell in cells if isinstance(cell, str) and cell.strip()]
