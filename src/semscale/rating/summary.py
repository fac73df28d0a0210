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
from semscale.rating.anchors import language_setting
from semscale.results.estimates import GroupDifference
from semscale.results.languages import LanguageCount, UnreadLanguage
from semscale.results.summary import RowTally, Summary
from semscale.scales import Scale
from semscale.stats.intervals import IntervalPlan, Moments, scale_figures
from semscale.stats.sampling import priorities
from semscale.stats.variance_components import CrossedComponents, crossed_components
from semscale.store.columns import storable
from semscale.store.missing_codes import (
    LONGEST_CODE,
    CodeCount,
    code_key,
    is_missing,
    missing_keys,
    unseen_codes,
)
from semscale.types import Floats, Status

if TYPE_CHECKING:
    from semscale.rating.calibration import Calibration
    from semscale.rating.decided import DecidedComparison, MissingDecisions
    from semscale.rating.human import RatingComparison
    from semscale.rating.lint import LintReport
    from semscale.rating.rater import Rater
    from semscale.rating.ratings import Ratings


_WORDED = [Status.SCORED, Status.OFF_TOPIC, Status.NOT_ABOUT, Status.WEIGHTLESS]

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

SAME_ORDER = 0.9
"""Correlation above which ratings order texts in the same way as another measure."""

_FEWEST_ORDERED = 20
"""Number of texts below which such a correlation may be chance."""


@dataclass(frozen=True)
class DiscriminantCheck:
    """Correlations of ratings with measures that they should differ from.

    Attributes:
        n: number of rated texts.
        sentiment: Pearson's r with the ratings on the shipped scale ``quality``; NaN for that scale itself.
        length: Pearson's r with the number of characters; NaN if the texts are unknown.

    References:
        Campbell, Fiske (1959): Convergent and Discriminant Validation by the Multitrait-Multimethod Matrix.
        Psychological Bulletin 56(2), 81-105. DOI 10.1037/h0046016.
    """

    n: int
    sentiment: float
    length: float

    @property
    def same_as(self) -> dict[str, float]:
        """Measures that order the texts as the ratings do, or in reverse, with their r.

        Examples:
            >>> DiscriminantCheck(100, 0.98, -0.2).same_as
            {'sentiment': 0.98}
        """
        measures = {"sentiment": self.sentiment, "length": self.length}
        if self.n < _FEWEST_ORDERED:
            return {}
        return {name: r for name, r in measures.items() if abs(r) > SAME_ORDER}


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
    by: str | None = None
    weight: str | None = None
    respondent: str | None = None
    possible_codes: dict[str, int] = field(default_factory=dict)
    unseen_codes: tuple[str, ...] = ()
    lint: "LintReport | None" = None
    other_language: UnreadLanguage | None = None
    languages: tuple[LanguageTexts, ...] = ()
    fallback_from: str | None = None
    calibration: "Calibration | None" = None
    n_unfamiliar: int = 0
    decided: "DecidedComparison | None" = None
    undecided: "MissingDecisions | None" = None
    discriminant: DiscriminantCheck
    group_differences: Mapping[str, tuple[GroupDifference, ...]] = field(default_factory=dict)

    @property
    def without_anchors(self) -> tuple[LanguageTexts, ...]:
        """Languages of rated texts for which requested anchors have not passed their check."""
        if dict(self.signature.fields).get("language", "any").startswith("any"):
            return ()
        return tuple(texts for texts in self.languages if texts.rated and not texts.has_own_anchors)

    def own_record(self) -> dict[str, Any]:
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
            "comparison": None
            if compared is None
            else {name: figure for name, figure in vars(compared).items() if name != "points"},
            "decided": self.decided,
            "undecided": self.undecided,
            "lint": None
            if lint is None
            else {
                "verdict": lint.verdict,
                "reasons": lint.reasons if lint.findings else [],
                "signature": lint.signature,
            },
            "discriminant": self.discriminant,
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


class RatingTally:
    """Adds up rated rows, added in order and in parts of any size.

    It is used for files and for ratings in memory, so the same rows give the same report. Its memory does not
    grow with the rows, except 8 bytes for each of up to 5,000,000 distinct texts.

    Args:
        rated: rater or ratings, for scale, signature, floor and calibration.
        by: names of the columns of groups.
        missing: codes for a missing answer, as the user wrote them, to report those that no cell has.
        seed: seed of the sample.
    """

    def __init__(
        self,
        rated: "Rater | Ratings",
        *,
        by: Sequence[str] = (),
        missing: Sequence[str] = (),
        seed: int = 0,
    ) -> None:
        self._scale, self._floor, self._calibration = rated.scale, rated.floor, rated.calibration
        self._own_anchors = rated.own_anchors
        self._rows = RowTally(
            [scale_figures(rated.scale.values)],
            rated.signature,
            by=by,
            n_labels=None if rated.calibration is None else rated.calibration.labels.n,
        )
        self._n_windowed = self._n_unfamiliar = 0
        self._distinct = DistinctCount()
        self._codes = CodeCount()
        self._missing, self._seen_codes = tuple(missing), set[str]()
        self._has_texts = True
        self._sets = Moments.empty(len(rated.scale.anchor_sets))
        self._measures = Moments.empty(3)  # means, sentiment, length
        self._examples = Examples(seed)

    @property
    def n(self) -> int:
        """Number of rows so far."""
        return self._rows.n

    @property
    def set_agreement(self) -> Floats:
        """Correlations of the means under each anchor set, shape (s, s)."""
        return set_correlations(self._sets)

    def add(
        self,
        ratings: "Ratings",
        cells: list[object] | None,
        *,
        groups: Mapping[str, Sequence[str | None]] | None = None,
        weights: object = None,
        respondents: object = None,
    ) -> None:
        """Add the next part.

        Args:
            ratings: ratings of n rows.
            cells: the n rated cells; ``None`` if unknown.
            groups: n names of groups for each column of ``by``.
            weights: shape (n,).
            respondents: shape (n,).
        """
        self._n_windowed += ratings.n_windowed
        self._rows.languages.add(([code] for code in ratings.language), ratings.status)
        self._n_unfamiliar += 0 if ratings.unfamiliar is None else int(ratings.unfamiliar.sum())
        if cells is None:
            self._has_texts = False
        else:
            self._count_texts(ratings, cells)
            if self._missing:
                keys = {code_key(cell) for cell in cells if isinstance(cell, str)}
                self._seen_codes |= keys & missing_keys(self._missing)
        set_means = ratings.set_means[ratings.scored]
        self._sets = self._sets.plus(set_moments(set_means, self._scale.values))
        self._measures = self._measures.plus(discriminant_moments(ratings, cells))
        self._examples.add(ratings, cells, self.n)
        self._rows.add(
            ratings.pmf,
            ratings.status,
            groups=groups,
            weights=weights,
            respondents=respondents,
            refits=ratings.refits,
            shown=None if cells is None else lambda row: _cell_text(cells[row]),
        )

    def summary(self, plan: IntervalPlan, source: str, **content: Any) -> RatingSummary:
        """Summarize all added parts.

        Args:
            plan: how intervals are made.
            source: source of the texts, such as the name of a file.
            content: further fields of the summary: names of columns, ``comparison``, ``lint``.
        """
        common = self._rows.common(plan, source)
        signature = common["signature"]
        stated, fields = language_setting(signature), dict(signature.fields)
        sampled = self._rows.language_sample
        return RatingSummary(
            **{**common, "languages": tuple(map(self._with_anchors, common["languages"]))},
            scale=self._scale,
            n_windowed=self._n_windowed,
            n_distinct=self._distinct.count if self._has_texts else None,
            sample=self._examples.sample,
            most_certain=self._examples.most_certain,
            least_certain=self._examples.least_certain,
            set_agreement=self.set_agreement,
            set_names=tuple(self._scale.anchor_sets),
            discriminant=discriminant_check(self._measures),
            set_variances=crossed_components(self._sets, len(self._scale.anchor_sets), plan.interval),
            floor=self._floor,
            possible_codes=self._codes.counts,
            unseen_codes=unseen_codes(self._missing, self._seen_codes),
            other_language=None if stated is None else sampled.other_language(stated, signature),
            fallback_from=fields["language"] if "anchor_language" in fields else None,
            calibration=self._calibration,
            n_unfamiliar=self._n_unfamiliar,
            group_differences=self._rows.differences(plan.interval),
            **content,
        )

    def _with_anchors(self, count: LanguageCount) -> LanguageTexts:
        (code,) = count.languages
        anchors = code if code in self._own_anchors else self._scale.language
        return LanguageTexts(**vars(count), anchors=anchors if count.scored else None)

    def _count_texts(self, ratings: "Ratings", cells: list[object]) -> None:
        worded = np.isin(ratings.status, _WORDED)
        self._rows.language_sample.add(np.flatnonzero(worded), cells.__getitem__, self.n)
        read = [
            (str(cell), status == Status.SCORED)
            for cell, status in zip(cells, ratings.status, strict=True)
            if status not in {Status.MISSING, Status.NOT_TEXT}
        ]
        self._distinct.add([text for text, _ in read])
        rated = (text.strip() for text, is_rated in read if is_rated)
        self._codes.add(text for text in rated if len(text) <= LONGEST_CODE)


def _cell_text(cell: object) -> object:
    """Return a cell as text; ``None`` if it is missing, and JSON if it is not text."""
    if is_missing(cell):
        return None
    text = encodable(cell) if isinstance(cell, str) else cell
    return storable(pl.DataFrame([pl.Series("text", [text], dtype=pl.Object)]))["text"][0]


def discriminant_moments(ratings: "Ratings", cells: Sequence[object] | None) -> Moments:
    """Sum the means, the sentiment and the lengths of scored texts for ``discriminant_check``.

    Args:
        ratings: ratings of n texts.
        cells: shape (n,), the texts; ``None`` if unknown. Unknown values are 0 for all texts, so that their
            correlation is not defined.
    """
    few, rows = ratings[ratings.scored], np.flatnonzero(ratings.scored).tolist()
    measures = np.zeros((len(rows), 4))
    measures[:, 0] = few.mean - ratings.scale.values.mean()
    if few.sentiment is not None:
        measures[:, 1] = np.nan_to_num(few.sentiment)
    if cells is not None:
        measures[:, 2] = [len(str(cells[row])) for row in rows]
    measures[:, 3] = 1
    return Moments.empty(3).with_clusters(measures)


def discriminant_check(moments: Moments) -> DiscriminantCheck:
    """Correlate ratings with plain sentiment and with text length, from ``discriminant_moments``."""
    return DiscriminantCheck(moments.n, *set_correlations(moments)[0, 1:].tolist())


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


class Examples:
    """Selects example rows of rated rows, added in order and in parts of any size.

    Args:
        seed: seed of the sample.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.most_certain = self.least_certain = pl.DataFrame(schema=EXAMPLE_SCHEMA)
        self._sample = self.most_certain.with_columns(priority=pl.Series([], dtype=pl.UInt64))

    @property
    def sample(self) -> pl.DataFrame:
        """At most 400 scored rows, in their order."""
        return self._sample.drop("priority").sort("row")

    def add(self, ratings: "Ratings", cells: list[object] | None, first_row: int) -> None:
        """Add the next part, whose first row has the index ``first_row`` in the whole."""
        rows = _example_rows(ratings, cells, first_row)
        self.most_certain = _first_distinct(pl.concat([self.most_certain, rows]), pl.col("entropy"))
        self.least_certain = _first_distinct(pl.concat([self.least_certain, rows]), -pl.col("entropy"))
        drawn = rows.with_columns(
            priority=pl.Series(priorities(rows["row"].to_numpy(), self._seed), dtype=pl.UInt64)
        )
        self._sample = pl.concat([self._sample, drawn]).sort("priority", "row").head(SAMPLE_SIZE)


def _example_rows(ratings: "Ratings", cells: list[object] | None, first_row: int) -> pl.DataFrame:
    """Return the scored rows with the columns of ``EXAMPLE_SCHEMA``; only texts are scored."""
    scored = np.flatnonzero(ratings.scored)
    few = ratings[ratings.scored]
    texts = [None] * len(few) if cells is None else [encodable(str(cells[row])) for row in scored.tolist()]
    return pl.DataFrame(
        {
            "row": first_row + scored,
            "text": texts,
            "status": [str(status) for status in few.status],
            "mean": few.mean,
            "mode": few.mode,
            "entropy": few.entropy,
            "similarity": few.similarity,
            "pmf": few.pmf.tolist(),
        },
        schema=EXAMPLE_SCHEMA,
    )


def _first_distinct(rows: pl.DataFrame, certainty: pl.Expr) -> pl.DataFrame:
    ordered = rows.sort(certainty, "row")
    return ordered.unique("text", keep="first", maintain_order=True).head(MOST_EXAMPLES)


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
