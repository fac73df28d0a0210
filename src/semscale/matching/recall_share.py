"""How far a score leans from what is said being backed to all of the reference being said."""

import numpy as np

from semscale.errors import InputError


def checked_recall_share(share: float) -> float:
    """Refuse a share that is none.

    Args:
        share: 0 asks only whether the reference backs what is said, 1 only whether all of it is said.

    Raises:
        InputError: it is not a number between 0 and 1.

    Example:
        >>> checked_recall_share(2)
        Traceback (most recent call last):
        semscale.errors.InputError: recall_share must be between 0 and 1, got 2
    """
    if not isinstance(share, int | float | np.floating) or not 0 <= share <= 1:
        raise InputError(f"recall_share must be between 0 and 1, got {share!r}")
    return float(share)
