"""Krippendorff's alpha of each code: with people, between people, and between runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.stats.agreement.estimates import AgreementEstimate
from semscale.stats.agreement.krippendorff import krippendorff_alpha
from semscale.types import Floats

_SEVERAL = 2


@dataclass(frozen=True)
class CodeAgreement:
    """How far decisions about one code agree.

    Attributes:
        code: its name.
        alpha: Krippendorff's, nominal; NaN where all say the same throughout.
    """

    code: str
    alpha: AgreementEstimate


def agreement_with_people(
    given: Floats, hand: Floats, codes: Sequence[str], *, interval: float = 0.95, seed: int = 0
) -> tuple[CodeAgreement, ...]:
    """Compare decisions with what most people coded; a tie between people is no code to compare with.

    Args:
        given: shape (n, k), 1, 0 or NaN. Decisions about hand-coded answers must come from curves that were
            fitted without them.
        hand: shape (c, n, k), likewise.
        codes: k names.
        interval: coverage of the intervals.
        seed: of the bootstrap.
    """
    coded = (~np.isnan(hand)).sum(axis=0)
    share = np.divide(np.nansum(hand, axis=0), coded, out=np.full(given.shape, np.nan), where=coded > 0)
    most = np.where(share > 1 / _SEVERAL, 1.0, np.where(share < 1 / _SEVERAL, 0.0, np.nan))
    return _alphas(np.stack([given, most]), codes, interval, seed)


def agreement_between(
    ratings: Floats, codes: Sequence[str], *, interval: float = 0.95, seed: int = 0
) -> tuple[CodeAgreement, ...]:
    """Compare coders or runs with each other.

    Args:
        ratings: shape (c, n, k), 1, 0 or NaN, of two or more coders or runs.
        codes: k names.
        interval: coverage of the intervals.
        seed: of the bootstrap.

    Returns:
        Empty for fewer than two coders.
    """
    return _alphas(ratings, codes, interval, seed) if len(ratings) >= _SEVERAL else ()


def _alphas(ratings: Floats, codes: Sequence[str], interval: float, seed: int) -> tuple[CodeAgreement, ...]:
    return tuple(
        CodeAgreement(
            code,
            krippendorff_alpha(ratings[:, :, place].T, metric="nominal", interval=interval, seed=seed),
        )
        for place, code in enumerate(codes)
    )
