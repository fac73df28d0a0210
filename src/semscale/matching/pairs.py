"""Pairs of a prediction and a reference, from the lists that callers give."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.store.columns import as_list, text_status
from semscale.types import Floats, Integers, Status


@dataclass(frozen=True)
class Pairs:
    """The p pairs of n items, each of a prediction and one of its references.

    Attributes:
        texts: the m distinct texts of all pairs, numbered by first appearance.
        prediction: shape (p,), which text is the prediction.
        reference: shape (p,), which text is the reference.
        item: shape (p,), whose pair it is; ascending.
        place: shape (p,), which of the item's references it is, counted from 0.
        status: shape (n,), ``SCORED`` for items that have at least one pair.
    """

    texts: list[str]
    prediction: Integers
    reference: Integers
    item: Integers
    place: Integers
    status: npt.NDArray[np.object_]

    @property
    def n_items(self) -> int:
        """How many items there are, with or without pairs."""
        return len(self.status)


def pair_up(predictions: object, references: object) -> Pairs:
    """Form the pairs of items.

    Args:
        predictions: shape (n,), a list or a series.
        references: shape (n,), each a text or a list of texts. Of several references those that are missing,
            empty or no text are passed over as long as one is left.

    Raises:
        InputError: something other than lists, lists of unequal length, or a set of references.

    Example:
        >>> pairs = pair_up(["Paris", None], [["Paris", "the city of Paris"], "Rome"])
        >>> pairs.prediction.tolist(), pairs.reference.tolist(), [str(status) for status in pairs.status]
        ([0, 0], [0, 1], ['scored', 'missing'])
    """
    given, wanted = as_list(predictions, "predictions"), as_list(references, "references")
    if len(given) != len(wanted):
        raise InputError(
            f"predictions and references must have equal lengths, got {len(given)} predictions "
            f"and {len(wanted)} references"
        )
    numbers: dict[str, int] = {}
    rows: list[tuple[int, int, int, int]] = []
    status = np.full(len(given), Status.SCORED, dtype=object)
    for item, (prediction, cell) in enumerate(zip(given, wanted, strict=True)):
        usable, said = usable_references(cell), text_status(prediction)
        status[item] = Status.NO_REFERENCE if said is Status.SCORED and not usable else said
        if status[item] is Status.SCORED:
            first = numbers.setdefault(prediction, len(numbers))
            rows += [(first, numbers.setdefault(text, len(numbers)), item, at) for at, text in usable]
    prediction_of, reference_of, owner, place = np.array(rows, np.int64).reshape(-1, 4).T.copy()
    return Pairs(list(numbers), prediction_of, reference_of, owner, place, status)


def best_pairs(score: Floats, item: Integers) -> Integers:
    """Give each item's pair with the highest score; the first of several equal ones.

    Args:
        score: shape (p,).
        item: shape (p,), whose pair it is; ascending.

    Returns:
        Shape (items that have pairs,), row numbers of pairs, ascending.

    Example:
        >>> best_pairs(np.array([0.2, 0.9, 0.9, 0.4]), np.array([0, 0, 0, 2])).tolist()
        [1, 3]
    """
    order = np.lexsort((np.arange(len(item)), -score, item))
    return order[np.flatnonzero(np.diff(item, prepend=-1))]


def usable_references(cell: object) -> list[tuple[int, str]]:
    """List one item's references that are texts with something in them, each with its place, from 0.

    Raises:
        InputError: a cell with something other than one list.
    """
    if isinstance(cell, Set):
        raise InputError(
            f"references must be texts or lists of texts, which have an order, got {type(cell).__name__}"
        )
    listed = isinstance(cell, Sequence | np.ndarray) and not isinstance(cell, str | bytes)
    references = as_list(cell, "references") if listed else [cell]
    return [(at, text) for at, text in enumerate(references) if text_status(text) is Status.SCORED]
