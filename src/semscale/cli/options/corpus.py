"""A corpus that the user names: one text a line, or a column of a table."""

from pathlib import Path
from typing import Annotated

from semscale.cli.options.groups import option_group
from semscale.cli.options.panels import option
from semscale.errors import InputError

MATCHING = "Matching"
_BATCH = 50_000


@option_group
class CorpusOptions:
    """File and column of a corpus, if one is named.

    Raises:
        InputError: a column without a file.
    """

    file: Annotated[
        str | None,
        option(
            MATCHING,
            "Texts to estimate word weights and unrelated pairs from: a .txt file with one a line, or a "
            "table; the references unless given.",
            "FILE",
            name="--corpus",
        ),
    ] = None
    column: Annotated[
        str | None,
        option(MATCHING, "Column of the corpus, if it is a table.", "COLUMN", name="--corpus-column"),
    ] = None

    def __post_init__(self) -> None:
        if self.file is None and self.column is not None:
            raise InputError(
                f"corpus_column {self.column!r} belongs to a corpus; name its file with --corpus, too"
            )

    def read(self) -> list[str] | None:
        """Read the texts; ``None`` where no corpus is named.

        Raises:
            InputError: as ``read_corpus``.
        """
        return None if self.file is None else read_corpus(self.file, self.column)


def read_corpus(file: str, column: str | None) -> list[str]:
    """Read the texts of a corpus that are not empty.

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
    from semscale.store.readers.decoding import open_text

    with open_text(path, str(path), None) as lines:
        return [line.strip() for line in lines if line.strip()]


def _cells(file: str, column: str | None) -> list[str]:
    from semscale.store.reading import open_table

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
