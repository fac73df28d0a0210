"""Statuses of cells of texts: whether a cell can be rated, and if not, why."""

from collections.abc import Set

from semscale.rating.wordless import has_emoji, is_wordless
from semscale.store.columns import is_missing
from semscale.store.missing_codes import code_key
from semscale.types import Status


def text_status(cell: object, missing: Set[str] = frozenset(), *, reads_emoji: bool = False) -> Status:
    """Give the status of a cell of texts; ``SCORED`` means that it can be rated.

    Args:
        cell: anything.
        missing: codes for a missing answer, as ``missing_keys`` gives them.
        reads_emoji: whether the model reads emoji, so that a text of nothing else can be rated.

    Example:
        >>> [str(text_status(cell)) for cell in ("good", " ", "?!", None, 3)]
        ['scored', 'empty', 'uninformative', 'missing', 'not-text']
    """
    if not isinstance(cell, str):
        return Status.MISSING if is_missing(cell) else Status.NOT_TEXT
    if missing and code_key(cell) in missing:
        return Status.MISSING
    if not cell or cell.isspace():
        return Status.EMPTY
    if is_wordless(cell) and not (reads_emoji and has_emoji(cell)):
        return Status.UNINFORMATIVE
    return Status.SCORED
