"""Respondents as numbers, which are the same in every part of a file and in every run."""

from hashlib import blake2b

import numpy as np

from semscale.errors import InputError
from semscale.store.columns import as_names
from semscale.types import Integers

NOBODY = -1


def numbered(respondents: object, n: int) -> Integers:
    """Give each respondent a 63-bit number, a hash of the name.

    Args:
        respondents: shape (n,), names; a missing one and an empty one both mean that nobody is known.
        n: how many there must be.

    Returns:
        Shape (n,), -1 where nobody is known.

    Raises:
        InputError: not n names.

    Example:
        >>> numbers = numbered(["ann", "", None, "ann"], 4)
        >>> bool(numbers[0] == numbers[3]), numbers[1:3].tolist()
        (True, [-1, -1])
    """
    names = as_names(respondents, "respondents")
    if len(names) != n:
        raise InputError(f"respondents must have {n} rows, one for each row of the result, got {len(names)}")
    numbers = {
        name: int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()) >> 1
        for name in set(names)
        if name
    }
    return np.array([numbers[name] if name else NOBODY for name in names], dtype=np.int64)
