"""What an empty prediction counts as: left out, or wrong with a score of 0."""

from dataclasses import replace

import numpy as np

from semscale.errors import InputError
from semscale.matching.matches import Matches
from semscale.matching.pairs import usable_references
from semscale.signature import Signature
from semscale.store.columns import as_list
from semscale.types import Status

MISSING, WRONG = "missing", "wrong"
_SCORE = 0.0  # as an evaluation of a submission gives it


def check_empty(empty: str) -> None:
    """Check the name of a policy.

    Raises:
        InputError: it is neither ``missing`` nor ``wrong``.
    """
    if empty not in (MISSING, WRONG):
        raise InputError(f"empty must be {MISSING} or {WRONG}, got {empty!r}")


def with_empty_as(empty: str, matches: Matches, references: object) -> Matches:
    """Apply the policy to matches.

    With ``wrong``, an item whose prediction is missing or empty is scored with 0, as long as it has a
    reference; the score is from no reference (-1) and no window (0), and has no components.

    Args:
        empty: the policy.
        matches: of n items.
        references: shape (n,), as they were matched.
    """
    if empty == MISSING:
        return matches
    cells = as_list(references, "references")
    says_nothing = (matches.status == Status.MISSING) | (matches.status == Status.EMPTY)
    wrong = [item for item in np.flatnonzero(says_nothing) if usable_references(cells[item])]
    score, status = matches.score.copy(), matches.status.copy()
    score[wrong], status[wrong] = _SCORE, Status.SCORED
    signature = matches.signature.extended(empty_settings(empty))
    return replace(matches, score=score, status=status, signature=signature)


def empty_settings(empty: str) -> Signature:
    """Name the policy for a signature; the usual one needs no name."""
    return Signature.of("match") if empty == MISSING else Signature.of("match", empty=empty)
