"""Sentiment by topic: ratings of the units of answers that have a code."""

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from semscale.coding.words import content_words, is_evaluation
from semscale.errors import InputError
from semscale.rating.anchors import language_of_probes, unrelated_sentences
from semscale.rating.rater import Rater
from semscale.scales import Scale, load_scale
from semscale.stats.intervals import mean_of_known
from semscale.text_units import has_finite_verb
from semscale.types import Floats, Mask, ObjectArray, Progress
from semscale.weights.known import DEFAULT_RATING_MODEL, model_in_signature

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder

NO_SENTIMENT = "none"
"""Setting without ratings of units."""

_MOST_TOPICS = 3  # words of a text that only names topics
_USUAL_SPREADS = 2.5  # standard deviations of everyday words' ratings
_MARKS = re.compile(r"[^\w'’]+")


class SentimentRater:
    """Rates the units of answers on a scale.

    A unit's rating is the mean of the ratings of its clause and its sentence: a clause alone may have lost
    what its words refer to, and a sentence may praise one thing and blame another. Units are rated as
    ``rate`` does.

    A text that judges nothing, such as "the parking", has no rating: it has no verb such as "was", at most
    three words that can carry a topic, and none that praises or blames anything, and its rating is within 2.5
    standard deviations of the mean rating of everyday words.

    Args:
        scale: the name of a scale that ships with Semscale, or a YAML file.
        embedder: the model; by default the default model of ratings.
        language: ISO 639-1 code of the units' language.

    Raises:
        InputError: an unknown scale, or one of which no end is good.
    """

    def __init__(
        self, scale: str | Path | Scale, *, embedder: "Embedder | None" = None, language: str = "en"
    ) -> None:
        self.scale = load_sentiment_scale(scale)
        self._embedder = embedder
        self._language = language

    @cached_property
    def _rater(self) -> Rater:
        return Rater(self.scale, embedder=self._embedder)

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
            Shape (n, k), in values of the scale; NaN where a code is not assigned or no unit judges anything.
        """
        sentiment: Floats = np.full(units.shape, np.nan)
        cells = [(row, code) for row, code in np.argwhere(is_assigned) if units[row, code]]
        texts = dict.fromkeys(
            text for row, code in cells for unit in units[row, code] for text in (unit.text, unit.sentence)
        )
        if not texts:
            return sentiment
        rating = self._rate_judgements(list(texts), progress)
        for row, code in cells:
            of_units = [
                mean_of_known(np.array([rating[unit.text], rating[unit.sentence]]))
                for unit in units[row, code]
            ]
            sentiment[row, code] = mean_of_known(np.array(of_units))
        return sentiment

    def _rate_judgements(self, texts: list[str], progress: Progress | None) -> dict[str, float]:
        """Return the rating of each text; NaN for those that judge nothing."""
        rating = dict(zip(texts, self._means(texts, progress), strict=True))
        plain = {text: plain for text in texts if (plain := self._plain_topics(text)) is not None}
        for text, mean in zip(plain, self._means(list(plain.values()), progress), strict=True):
            if abs(mean - self._usual_mean) <= _USUAL_SPREADS * self._usual_spread:
                rating[text] = float("nan")
        return rating

    def _means(self, texts: list[str], progress: Progress | None = None) -> list[float]:
        means: list[float] = self._rater.rate_prepared(texts, progress=progress).mean.tolist()
        return means

    def _plain_topics(self, text: str) -> str | None:
        """Return the words of a text that may name topics only, without marks and capitals; else ``None``."""
        words = content_words(text, self._language)
        plain = _MARKS.sub(" ", text.lower()).strip()
        is_long = len(words) > _MOST_TOPICS
        may_judge = has_finite_verb(text) or any(is_evaluation(word, self._language) for word in words)
        return None if is_long or may_judge or not plain else plain

    @cached_property
    def _usual_ratings(self) -> Floats:
        """Ratings of everyday words that judge nothing, in the units' language."""
        language = language_of_probes(self._language)
        words = {word for text in unrelated_sentences(language) for word in content_words(text, language)}
        return np.array(self._means(sorted(word for word in words if not is_evaluation(word, language))))

    @property
    def _usual_mean(self) -> float:
        return float(np.nanmean(self._usual_ratings))

    @property
    def _usual_spread(self) -> float:
        return float(np.nanstd(self._usual_ratings))


def sentiment_rater(scale: str, embedder: "Embedder", language: str) -> SentimentRater | None:
    """Build the rater of a setting, with the default model of ratings whichever model codes.

    Args:
        scale: the setting; ``none`` for no rater.
        embedder: an embedder that is loaded already, for use if it is this model.
        language: ISO 639-1 code of the units' language.
    """
    if scale == NO_SENTIMENT:
        return None
    model = model_in_signature(embedder.signature)
    is_default = model is not None and model.name == DEFAULT_RATING_MODEL
    return SentimentRater(scale, embedder=embedder if is_default else None, language=language)


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
