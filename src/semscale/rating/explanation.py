"""Explanation of one text's rating: the anchors nearest to it, and the ratings of its sentences."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from semscale.scales import Point, Scale
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.rating.ratings import Ratings

MOST_ANCHORS = 5


@dataclass(frozen=True)
class NearAnchor:
    """An anchor that is similar to a text.

    Attributes:
        anchor_set: name of its set.
        point: its point.
        sentence: the anchor.
        cosine: its cosine with the text, -1 to 1.
    """

    anchor_set: str
    point: Point
    sentence: str
    cosine: float


@dataclass(frozen=True)
class Explanation:
    """Origin of one text's rating.

    Attributes:
        text: the text as it was rated.
        rating: its rating, one row.
        anchors: the most similar anchors, the nearest first; none for a text without a vector.
        sentences: its sentences; none if it is a single one, or has no vector.
        sentence_ratings: their ratings, one row per sentence.
    """

    text: str
    rating: "Ratings"
    anchors: tuple[NearAnchor, ...]
    sentences: tuple[str, ...]
    sentence_ratings: "Ratings"


def nearest_anchors(scale: Scale, cosines: Floats, n: int) -> tuple[NearAnchor, ...]:
    """Return the n anchors with the highest cosines, the nearest first.

    Args:
        scale: s anchor sets of k points.
        cosines: shape (s, k).
        n: number of anchors.

    Examples:
        >>> from semscale.scales import load_scale
        >>> scale = load_scale("trust").with_sets(["bank", "doctor"])
        >>> cosines = np.array([[0.1, 0.2, 0.3, 0.9, 0.0], [0.5, 0.2, 0.3, 0.1, 0.0]])
        >>> [(anchor.anchor_set, anchor.point.value) for anchor in nearest_anchors(scale, cosines, 2)]
        [('bank', 4.0), ('doctor', 1.0)]
    """
    names, order = list(scale.anchor_sets), np.argsort(-cosines, axis=None, kind="stable")[:n]
    places = zip(*np.unravel_index(order, cosines.shape), strict=True)
    return tuple(
        NearAnchor(
            names[row], scale.points[point], scale.anchor_sets[names[row]][point], float(cosines[row, point])
        )
        for row, point in places
    )
