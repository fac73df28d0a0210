"""Reads columns of questions, answers and references into items to judge."""

from collections.abc import Sequence

from semscale.errors import InputError
from semscale.judging.prompts.prompting import JudgedItem
from semscale.store.columns import as_list, text_status
from semscale.types import Status

_ALTERNATIVES = "\n\nor:\n\n"


def read_items(questions: object, answers: object, references: object = None) -> list[JudgedItem | Status]:
    """Combine columns into items.

    Args:
        questions: shape (n,), a list or a series.
        answers: shape (n,).
        references: shape (n,), each a text or a list of texts that are all right; ``None`` for none at all.

    Returns:
        For each row an item, or why it cannot be judged: the question's or the answer's status, or
        ``NO_REFERENCE``.

    Raises:
        InputError: something other than lists, or lists of unequal length.

    Example:
        >>> read_items(["2+2?", ""], ["4", "5"])
        [JudgedItem(question='2+2?', answer='4', reference=None), <Status.EMPTY: 'empty'>]
    """
    columns = {"questions": as_list(questions, "questions"), "answers": as_list(answers, "answers")}
    if references is not None:
        columns["references"] = as_list(references, "references")
    lengths = {name: len(cells) for name, cells in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = " and ".join(f"{n} {name}" for name, n in lengths.items())
        raise InputError(f"{' and '.join(columns)} must have equal lengths, got {listed}")
    return [_item(*cells) for cells in zip(*columns.values(), strict=True)]


def _item(question: object, answer: object, *reference: object) -> JudgedItem | Status:
    for cell in (question, answer):
        status = text_status(cell)
        if status is not Status.SCORED:
            return status
    if not reference:
        return JudgedItem(str(question), str(answer))
    known = _reference(reference[0])
    return Status.NO_REFERENCE if known is None else JudgedItem(str(question), str(answer), known)


def _reference(cell: object) -> str | None:
    several = cell if isinstance(cell, Sequence) and not isinstance(cell, str) else [cell]
    usable = [str(text) for text in several if text_status(text) is Status.SCORED]
    return _ALTERNATIVES.join(usable) or None
