"""Summary of ratings, in memory or in files of any size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from semscale.json_reading import encodable
from semscale.presentable import Presentable
from semscale.rating.expected import (
    DOUBTFUL,
    ExpectedCorrelation,
    expected_correlation,
    has_expectation,
)
from semscale.rating.lint import DiscriminantCheck, LintReport
from semscale.results.estimates import GroupDifference
from semscale.results.languages import LanguageCount, UnreadLanguage
from semscale.results.summary import Summary
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.intervals import Moments
from semscale.stats.variance_components import CrossedComponents
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.rating.calibration import Calibration
    from semscale.rating.decisions import DecidedComparison, MissingDecisions
    from semscale.rating.human import RatingComparison


MAX_DISTINCT = 5_000_000
"""Number of distinct texts above which counting stops."""

SAMPLE_SIZE = 400

MOST_EXAMPLES = 8

EXAMPLE_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "row": pl.Int64,
    "text": pl.String,
    "status": pl.String,
    "mean": pl.Float64,
    "mode": pl.Float64,
    "entropy": pl.Float64,
    "similarity": pl.Float64,
    "pmf": pl.List(pl.Float64),
}
"""Columns of every table of example rows in a summary."""

_LEAST_VARIANCE = 1e-12


@dataclass(frozen=True)
class LanguageTexts(LanguageCount):
    """Texts of one language.

    Attributes:
        anchors: language of the anchors that they are rated with; ``None`` if none has a rating.
    """

    anchors: str | None = None

    @property
    def language(self) -> str | None:
        """ISO 639-1 code; ``None`` for texts in an unclear language."""
        return self.languages[0]

    @property
    def texts(self) -> int:
        """Number of texts, whether rated or not."""
        return self.rows

    @property
    def rated(self) -> int:
        """Number of texts with a rating."""
        return self.scored

    @property
    def has_own_anchors(self) -> bool:
        """True if the texts are rated with anchors in this language, or their language is unclear.

        Examples:
            >>> [LanguageTexts(("de",), 2, 2, 0, anchors).has_own_anchors for anchors in ("en", "de-AT")]
            [False, True]
        """
        return self.language is None or (self.anchors or "").partition("-")[0] == self.language

    def record(self, *_names: str) -> dict[str, Any]:
        """Return the counts by name, for JSON."""
        names = ("language", "texts", "rated", "anchors", "unread")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, repr=False, kw_only=True)
class RatingSummary(Summary):
    """Measurements of a table of n rows, or of n texts in memory.

    The three tables share their columns: ``row`` (index in the input, from 0), ``text``, ``status``,
    ``mean``, ``mode``, ``entropy``, ``similarity`` and ``pmf`` (a list).

    Attributes:
        scale: the scale that was used.
        n_windowed: number of texts longer than one window of the model.
        n_distinct: number of distinct texts; ``None`` above 5,000,000, where counting stops, and without
            texts.
        sample: a seeded sample of scored rows, at most 400, in order.
        most_certain: distinct texts with the lowest entropy, at most 8.
        least_certain: distinct texts with the highest entropy, at most 8.
        set_agreement: shape (s, s), correlation of the means under each anchor set; NaN where undefined.
        set_names: the anchor sets, in the order of ``set_agreement``.
        set_variances: variances of texts, anchor sets and the residual; ``None`` with one set, or fewer than
            two texts.
        floor: value below which a text is off topic, as in ``Ratings``; ``None`` for no floor.
        comparison: agreement with human ratings; ``None`` without them.
        text: title of the texts' question, or name of their column; empty for texts in memory.
        by: name of the column that names groups.
        weight: name of the column of weights.
        respondent: name of the column that names respondents.
        possible_codes: rated texts that look like a code for a missing answer, each with its number of texts.
        unseen_codes: codes of ``missing`` that no text has.
        lint: the linter's report on the scale with the same model; ``None`` if not requested.
        other_language: language of most texts, if it differs from the stated ``language``.
        languages: texts by language, the most frequent first.
        fallback_from: requested language, if its anchors have not passed their check and others were used;
            ``None`` otherwise.
        calibration: calibration that was applied to the ratings; ``None`` for none.
        n_unfamiliar: number of rated texts unlike those that the calibration was fitted to.
        decided: comparison with decisions of a chat model about the same texts; ``None`` without decisions.
        undecided: reason for missing decisions of a chat model; ``None`` if not requested, or received.
        discriminant: correlations of the ratings with plain sentiment and with text length.
        expected: correlation with people to expect without labels; ``None`` for few texts, with a
            calibration, or with another model or readout than the defaults.
        show_anyway: true to show means of a scale that probably does not measure its construct.
        group_differences: comparisons of all pairs of groups of a column, by the column's name; only columns
            with 2 to 30 groups of at least 10 rows.
    """

    instrument = "rate"

    scale: Scale
    n_windowed: int
    n_distinct: int | None
    sample: pl.DataFrame
    most_certain: pl.DataFrame
    least_certain: pl.DataFrame
    set_agreement: Floats
    set_names: tuple[str, ...]
    set_variances: CrossedComponents | None = None
    floor: float | None
    comparison: "RatingComparison | None" = None
    text: str = ""
    by: str | None = None
    weight: str | None = None
    respondent: str | None = None
    possible_codes: dict[str, int] = field(default_factory=dict)
    unseen_codes: tuple[str, ...] = ()
    lint: LintReport | None = None
    other_language: UnreadLanguage | None = None
    languages: tuple[LanguageTexts, ...] = ()
    fallback_from: str | None = None
    calibration: "Calibration | None" = None
    n_unfamiliar: int = 0
    decided: "DecidedComparison | None" = None
    undecided: "MissingDecisions | None" = None
    discriminant: DiscriminantCheck
    expected: ExpectedCorrelation | None = None
    show_anyway: bool = False
    group_differences: Mapping[str, tuple[GroupDifference, ...]] = field(default_factory=dict)

    @property
    def without_anchors(self) -> tuple[LanguageTexts, ...]:
        """Languages of rated texts for which requested anchors have not passed their check."""
        if dict(self.signature.fields).get("language", "any").startswith("any"):
            return ()
        return tuple(texts for texts in self.languages if texts.rated and not texts.has_own_anchors)

    @property
    def is_doubtful(self) -> bool:
        """True if the scale probably does not measure its construct, and no labels show that it does."""
        if self.expected is None or not self.expected.is_doubtful:
            return False
        labels = None if self.comparison is None else self.comparison.pearson
        return labels is None or not (labels.value >= DOUBTFUL and labels.low > 0)

    @property
    def withholds_means(self) -> bool:
        """True if means are not shown, because the scale probably does not measure its construct."""
        return self.is_doubtful and not self.show_anyway

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON; no estimates if means are not shown."""
        numbers = super().record()
        if self.withholds_means:
            numbers |= {"estimates": None, "further_groups": {}, "group_differences": {}}
        return numbers

    def instrument_record(self) -> dict[str, Any]:
        """Return the numbers of ratings by name, for JSON."""
        compared, lint, calibration = self.comparison, self.lint, self.calibration
        return {
            "scale": self.scale.name,
            "points": [{"value": point.value, "label": point.label} for point in self.scale.points],
            "other_language": self.other_language,
            "fallback_from": self.fallback_from,
            "without_anchors": [texts.language for texts in self.without_anchors],
            "possible_codes": self.possible_codes,
            "windowed": self.n_windowed,
            "distinct": self.n_distinct,
            "by": self.by,
            "further_groups": self.further_groups,
            "group_differences": self.group_differences,
            "weight": self.weight,
            "respondent": self.respondent,
            "floor": self.floor,
            "calibration": None
            if calibration is None
            else {
                "texts": calibration.labels.n,
                "error": calibration.error.calibrated,
                "uncalibrated_error": calibration.error.uncalibrated,
                "gain_low": calibration.error.gain_low,
                "gain_high": calibration.error.gain_high,
                "is_clear": calibration.error.is_clear,
                "unlike": self.n_unfamiliar,
                "signature": calibration.signature,
            },
            "comparison": None if compared is None else compared.record(),
            "decided": None if self.decided is None else self.decided.record(),
            "undecided": self.undecided,
            "lint": None
            if lint is None
            else {
                "verdict": lint.verdict,
                "reasons": lint.reasons if lint.findings else [],
                "signature": lint.signature,
            },
            "discriminant": self.discriminant,
            "expected": None if self.expected is None else self.expected.record(),
            "withholds_means": self.withholds_means,
            "set_variances": None if self.set_variances is None else self.set_variances.record(),
        }


@dataclass(frozen=True, repr=False)
class RatingSummaries(Presentable):
    """Measurements of several columns of texts of one table.

    Attributes:
        source: name of the input, without folders.
        texts: summary of each column by its name, in the order of the input.
        input_notes: notes on reading the table, such as the rows that a condition left out.
        created: time of the summary.
    """

    source: str
    texts: Mapping[str, RatingSummary]
    input_notes: tuple[str, ...] = ()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        return f"RatingSummaries(source={self.source!r}, texts={list(self.texts)})"

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return {
            "instrument": "rate texts",
            "source": self.source,
            "created": self.created,
            "texts": [{"text": text, **summary.record()} for text, summary in self.texts.items()],
        }


def discriminant_check(moments: Moments) -> DiscriminantCheck:
    """Correlate ratings with plain sentiment and with text length, from ``discriminant_moments``."""
    return DiscriminantCheck(moments.n, *set_correlations(moments)[0, 1:].tolist())


def expected_from_moments(moments: Moments, scale: Scale, signature: Signature) -> ExpectedCorrelation | None:
    """Return the correlation with people to expect, from ``discriminant_moments`` of the ratings."""
    if not has_expectation(signature) or moments.n < 2:
        return None
    variance = moments.outer[0, 0] / moments.n - moments.mean[0] ** 2
    return expected_correlation(float(np.sqrt(max(variance, 0.0)) / np.ptp(scale.values)), moments.n)


def set_moments(set_means: Floats, values: Floats) -> Moments:
    """Sum the means under each anchor set and their products, for correlations in one pass over the rows.

    Args:
        set_means: shape (n, s), scored rows only; a row with NaN is left out, as not all sets rated it.
        values: shape (k,), of the scale's points; their centre is subtracted, so that sums stay precise.
    """
    by_all = set_means[~np.isnan(set_means).any(axis=1)]
    ones = np.ones((len(by_all), 1))
    return Moments.empty(by_all.shape[1]).with_clusters(np.hstack([by_all - values.mean(), ones]))


def set_correlations(moments: Moments) -> Floats:
    """Correlate the means under anchor sets, from their sums.

    Returns:
        Shape (s, s); NaN if a set's means do not vary, or with fewer than two rows.

    Examples:
        >>> set_correlations(set_moments(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([1.0, 2.0]))).tolist()
        [[1.0, -1.0], [-1.0, 1.0]]
    """
    s = len(moments.total) - 1
    if moments.n < 2:
        return np.full((s, s), np.nan)
    mean = moments.mean
    covariance = moments.outer[:s, :s] / moments.n - np.outer(mean, mean)
    variance = np.diag(covariance)
    deviation = np.sqrt(np.where(variance > _LEAST_VARIANCE, variance, np.nan))
    correlations: Floats = np.clip(covariance / np.outer(deviation, deviation), -1, 1)
    # A mean's correlation with itself is exactly 1, which rounding would change.
    np.fill_diagonal(correlations, np.where(np.isnan(deviation), np.nan, 1.0))
    return correlations


class DistinctCount:
    """Counts distinct texts by their 64-bit hashes, as long as there are at most 5,000,000.

    Examples:
        >>> distinct = DistinctCount()
        >>> distinct.add(["good", "bad", "good"])
        >>> distinct.add(["bad"])
        >>> distinct.count
        2
    """

    def __init__(self) -> None:
        self._hashes: npt.NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
        self._pending: list[npt.NDArray[np.uint64]] = []
        self._too_many = False

    def add(self, texts: Sequence[str]) -> None:
        """Add texts."""
        if self._too_many:
            return
        column = pl.Series(list(map(encodable, texts)), dtype=pl.String)
        self._pending.append(column.unique().hash(seed=0).to_numpy())
        # Joined only if as much is pending as stored, so that each hash is sorted a few times at most.
        if sum(map(len, self._pending)) >= len(self._hashes):
            self._join()

    @property
    def count(self) -> int | None:
        """Number of distinct texts; ``None`` above 5,000,000."""
        self._join()
        return None if self._too_many else len(self._hashes)

    def _join(self) -> None:
        self._hashes = np.unique(np.concatenate([self._hashes, *self._pending]))
        self._pending = []
        if len(self._hashes) > MAX_DISTINCT:
            self._too_many, self._hashes = True, np.empty(0, dtype=np.uint64)
