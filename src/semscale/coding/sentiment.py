"""Sentiment by topic: ratings of the units of answers that have a code."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from semscale.errors import InputError
from semscale.rating.rater import Rater
from semscale.scales import Scale, load_scale
from semscale.stats.intervals import mean_of_known
from semscale.types import Floats, Mask, ObjectArray, Progress
from semscale.weights.known import DEFAULT_RATING_MODEL, model_in_signature

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder

NO_SENTIMENT = "none"
"""Setting without ratings of units."""


class SentimentRater:
    """Rates the units of answers on a scale.

    A unit's rating is the mean of the ratings of its clause and its sentence: a clause alone may have lost
    what its words refer to, and a sentence may praise one thing and blame another. Units are rated as
    ``rate`` does, by its default model unless the embedder is the same model, whichever model codes.

    Args:
        scale: the name of a scale that ships with Semscale, or a YAML file.
        embedder: an embedder that is loaded already, for use if it is the default model of ratings.

    Raises:
        InputError: an unknown scale, or one of which no end is good.
    """

    def __init__(self, scale: str | Path | Scale, *, embedder: "Embedder | None" = None) -> None:
        self.scale = load_sentiment_scale(scale)
        self._embedder = embedder

    @cached_property
    def _rater(self) -> Rater:
        if self._embedder is None:
            return Rater(self.scale)
        model = model_in_signature(self._embedder.signature)
        is_shared = model is not None and model.name == DEFAULT_RATING_MODEL
        return Rater(self.scale, embedder=self._embedder if is_shared else None)

    @property
    def settings(self) -> dict[str, str]:
        """Fields of the signature, after loading the model."""
        return {f"sentiment_{name}": value for name, value in self._rater.signature.fields}

    def rate(self, units: ObjectArray, is_assigned: Mask, progress: Progress | None = None) -> Floats:
        """Rate the units of assigned codes, and average those of one code in an answer.

        Args:
            units: shape (n, k), a sequence of ``CodedUnit`` for each answer and code; ``None`` without any.
            is_assigned: shape (n, k), mask of the codes to rate.
            progress: called while texts are embedded.

        Returns:
            Shape (n, k), in values of the scale; NaN where a code is not assigned or no unit has a rating.
        """
        sentiment: Floats = np.full(units.shape, np.nan)
        cells = [(row, code) for row, code in np.argwhere(is_assigned) if units[row, code]]
        texts = dict.fromkeys(
            text for row, code in cells for unit in units[row, code] for text in (unit.text, unit.sentence)
        )
        if not texts:
            return sentiment
        means = self._rater.rate_prepared(list(texts), progress=progress).mean
        rating = dict(zip(texts, means.tolist(), strict=True))
        for row, code in cells:
            of_units = [
                mean_of_known(np.array([rating[unit.text], rating[unit.sentence]]))
                for unit in units[row, code]
            ]
            sentiment[row, code] = mean_of_known(np.array(of_units))
        return sentiment


def sentiment_rater(scale: str, embedder: "Embedder") -> SentimentRater | None:
    """Build the rater of a setting; ``None`` for the setting ``none``."""
    return None if scale == NO_SENTIMENT else SentimentRater(scale, embedder=embedder)


def load_sentiment_scale(scale: str | Path | Scale) -> Scale:
    """Load a scale for sentiment.

    Raises:
        InputError: an unknown scale, or one of which no end is good.
    """
    loaded = load_scale(scale)
    if loaded.polarity == "neutral":
        raise InputError(
            "sentiment",
            f": scale {loaded.name!r} has no good end (polarity neutral): choose quality, satisfaction or "
            "another scale from bad to good",
        )
    return loaded


def are_positive(sentiment: Floats, scale: Scale) -> Floats:
    """Tell which ratings lie on the good half of a scale: 1, 0, or NaN without a rating.

    Examples:
        >>> are_positive(np.array([1.0, 3.0, 3.1, np.nan]), load_scale("quality")).tolist()
        [0.0, 0.0, 1.0, nan]
    """
    middle = (scale.values[0] + scale.values[-1]) / 2
    is_good = sentiment < middle if scale.polarity == "ascending-bad" else sentiment > middle
    return np.where(np.isnan(sentiment), np.nan, is_good)
