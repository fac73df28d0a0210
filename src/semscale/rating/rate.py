"""Rating texts in one call."""

from pathlib import Path
from typing import Unpack

from semscale.rating.rater import Rater
from semscale.rating.rater_settings import RaterSettings
from semscale.rating.ratings import Ratings
from semscale.scales import Scale


def rate(
    texts: object, scale: str | Path | Scale = "purchase-intent", **settings: Unpack[RaterSettings]
) -> Ratings:
    """Rate texts on a scale, in one call.

    Args:
        texts: a list, a NumPy array, or a polars, pandas or Arrow series.
        scale: a scale, the name of one that ships with Semscale, or a YAML file; ``purchase-intent``, the
            scale of the method's paper, unless given. The signature of the ratings names it.
        settings: as ``Rater`` takes them.

    Returns:
        Ratings in the order of the texts.

    Raises:
        InputError: as ``Rater`` and ``Rater.rate``.
    """
    return Rater(scale, **settings).rate(texts)
