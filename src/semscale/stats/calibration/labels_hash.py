"""Hash of the labels that a figure rests on, for signatures."""

import hashlib
import json

import numpy as np

from semscale.types import Floats, Integers


def labels_hash(rows: Integers, table: Floats, inclusion: Floats | None = None) -> str:
    """Hash labels with their places and the probabilities of their draw: 8 hexadecimal digits.

    Args:
        rows: shape (n,), places of the labelled texts, from 0.
        table: shape (n, raters), their human ratings; NaN where there is none.
        inclusion: shape (n,), probabilities; ``None`` where all are alike.

    Example:
        >>> one, wider = (np.array([[4.0, *gap]]) for gap in ([], [np.nan]))
        >>> place = np.array([7])
        >>> labels_hash(place, one) == labels_hash(place, wider) != labels_hash(place, one + 1)
        True
    """
    drawn = [None] * len(rows) if inclusion is None else inclusion.tolist()
    labels = [cells[~np.isnan(cells)].tolist() for cells in table]
    content = list(zip(rows.tolist(), labels, drawn, strict=True))
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:8]
