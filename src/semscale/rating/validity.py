"""Validity of a scale: its ratings compared with people's, with plain sentiment and with text length."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.presentable import Presentable
from semscale.rating.human import RatingComparison, human_table
from semscale.rating.lint import DiscriminantCheck
from semscale.rating.ratings import discriminant_moments
from semscale.rating.summary import discriminant_check
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.correlations import pearson_estimate
from semscale.stats.intervals import Estimate
from semscale.store.columns import as_list
from semscale.types import Progress

if TYPE_CHECKING:
    from semscale.rating.rater import Rater


@dataclass(frozen=True, repr=False)
class Validity(Presentable):
    """Agreement of a scale's ratings with people, compared with sentiment and text length.

    Attributes:
        scale: the scale that was used.
        source: source of the texts.
        n: number of labelled texts.
        comparison: comparison of the ratings with the human ratings: r, ceiling, distributions, and r of text
            length.
        sentiment: Pearson's r of the human ratings with ratings on the shipped scale ``quality``; NaN for
            that scale itself. A useful scale has a clearly higher r.
        discriminant: correlations of the scale's own ratings with these ratings and with text length.
        signature: signature of the comparison.
    """

    scale: Scale
    source: str
    n: int
    comparison: RatingComparison
    sentiment: Estimate
    discriminant: DiscriminantCheck
    signature: Signature

    def __repr__(self) -> str:
        return f"Validity(scale={self.scale.name!r}, n={self.n}, r={self.comparison.pearson.value:.2f})"

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        compared = self.comparison
        return {
            "instrument": "validate",
            "scale": self.scale.name,
            "source": self.source,
            "n": self.n,
            "rated": compared.n,
            "pearson": compared.pearson,
            "spearman": compared.spearman,
            "ceiling": compared.ceiling,
            "sentiment": self.sentiment,
            "length": compared.null_length,
            "ks_similarity": compared.ks_similarity,
            "null_ks": compared.null_ks,
            "discriminant": self.discriminant,
            "signature": self.signature,
        }


def validate(
    rater: "Rater",
    texts: object,
    human: object,
    *,
    human_range: tuple[float, float] | None = None,
    interval: float = 0.95,
    seed: int = 0,
    source: str = "texts in memory",
    progress: Progress | None = None,
) -> Validity:
    """Compare a rater's ratings of labelled texts with people's.

    Args:
        rater: the scale with its settings.
        texts: shape (n,), as in ``Rater.rate``.
        human: shape (n,): for each text a number, a list of numbers (one per person), or missing.
        human_range: lowest and highest value that people could give; the scale's own by default.
        interval: nominal coverage of the intervals.
        seed: seed of all draws.
        source: source of the texts, such as the name of a file.
        progress: called while texts are embedded.

    Raises:
        InputError: as ``Rater.rate`` and ``compare``.
    """
    ratings = rater.rate(texts, progress=progress)
    table = human_table(human)
    labelled = ~np.isnan(table).all(axis=1)
    sentiment = np.full(len(ratings), np.nan) if ratings.sentiment is None else ratings.sentiment
    both = labelled & ~np.isnan(sentiment)
    comparison = ratings.compare(human, texts=texts, human_range=human_range, interval=interval, seed=seed)
    return Validity(
        scale=rater.scale,
        source=source,
        n=int(labelled.sum()),
        comparison=comparison,
        sentiment=pearson_estimate(
            sentiment[both], np.nanmean(table[both], axis=1), interval=interval, seed=seed
        ),
        discriminant=discriminant_check(discriminant_moments(ratings, as_list(texts, "texts"))),
        signature=comparison.signature,
    )
