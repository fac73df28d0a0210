"""Summary of ratings, in memory or in files of any size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypedDict, Unpack

import numpy as np
import polars as pl

from semscale.embedding.languages.unread_language import LanguageSample, UnreadLanguage
from semscale.presentable import Presentable
from semscale.rating.calibration.calibration import Calibration
from semscale.rating.decided.decided_comparison import DecidedComparison, MissingDecisions
from semscale.rating.distinct_texts import DistinctCount
from semscale.rating.examples import Examples
from semscale.rating.human.comparison import RatingComparison
from semscale.rating.languages.anchor_languages import said_language
from semscale.rating.languages.language_tally import LanguageTally, LanguageTexts
from semscale.rating.lint.report import LintReport
from semscale.rating.rated_rows import RatedRows
from semscale.rating.set_agreement import set_correlations, set_moments
from semscale.results.estimates import Estimates, summary_in_words
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.intervals.moments import Moments
from semscale.stats.variance_components.crossed_means import CrossedComponents, crossed_components
from semscale.store.missing_codes import LONGEST_CODE, CodeCount
from semscale.types import Floats, Status

_NOT_READ = (Status.MISSING, Status.NOT_TEXT)
_WORDED = [Status.SCORED, Status.OFF_TOPIC, Status.WEIGHTLESS]


@dataclass(frozen=True, repr=False)
class RatingSummary(Presentable):
    """What was measured in a table of n rows, or in n texts in memory.

    The four tables share their columns: ``row`` (place in the input, from 0), ``text``, ``status``, ``mean``,
    ``mode``, ``entropy``, ``similarity`` and ``pmf`` (a list).

    Attributes:
        scale: the scale that was used.
        signature: the settings that were applied, those of the estimates included.
        estimates: figures with intervals, overall and by group.
        n: rows of the input.
        counts: rows by status.
        n_windowed: texts that were longer than the model reads at once.
        n_distinct: distinct texts; ``None`` above 5,000,000, where counting stops, and without texts.
        sample: a seeded sample of scored rows, at most 400, in order.
        most_certain: distinct texts with the lowest entropy, at most 8.
        least_certain: distinct texts with the highest entropy, at most 8.
        left_out: a few rows of each status that has no rating.
        set_agreement: shape (s, s), correlation of the means under each anchor set; NaN where undefined.
        set_names: the anchor sets, in the order of ``set_agreement``.
        floor: similarity below which a text was called off topic; ``None`` for no floor.
        comparison: agreement with human ratings, if there were any.
        source: name of the input, without folders.
        by: name of the column that names groups.
        weight: name of the column of weights.
        respondent: name of the column that names respondents.
        created: when the summary was made.
        possible_codes: rated texts that look like a code for a missing answer, each with how often it occurs.
        lint: the linter's report on the scale with the model that rated; ``None`` where it was not asked.
        unread_language: the language of most texts that were read, if the model does not read it.
        other_language: the language of most texts, if the user says another one (``language``).
        languages: texts by language, the most frequent first.
        fell_back: the language that was asked for, where its anchors have not passed their check and others
            served; ``None`` otherwise.
        calibration: what was applied to the ratings; ``None`` for none.
        n_unlike: rated texts that are unlike those that the calibration was fitted to.
        decided: ratings of the same texts by decisions, beside these; ``None`` where nobody was asked, and
            where no decision came.
        undecided: why no decision came, though a chat model was to decide; ``None`` otherwise.
        further_groups: figures by each further column of groups, by the column's name.
        input_notes: how the table was read, such as the rows that a condition left out.
        set_variances: variances of texts, anchor sets and the rest; ``None`` with one set, or fewer than two
            texts.
    """

    scale: Scale
    signature: Signature
    estimates: Estimates
    n: int
    counts: dict[str, int]
    n_windowed: int
    n_distinct: int | None
    sample: pl.DataFrame
    most_certain: pl.DataFrame
    least_certain: pl.DataFrame
    left_out: pl.DataFrame
    set_agreement: Floats
    set_names: tuple[str, ...]
    floor: float | None
    comparison: RatingComparison | None
    source: str
    by: str | None
    weight: str | None
    respondent: str | None
    created: datetime
    possible_codes: dict[str, int] = field(default_factory=dict)
    lint: LintReport | None = None
    unread_language: UnreadLanguage | None = None
    other_language: UnreadLanguage | None = None
    languages: tuple[LanguageTexts, ...] = ()
    fell_back: str | None = None
    calibration: Calibration | None = None
    n_unlike: int = 0
    decided: DecidedComparison | None = None
    further_groups: Mapping[str, Estimates] = field(default_factory=dict)
    input_notes: tuple[str, ...] = ()
    undecided: MissingDecisions | None = None
    set_variances: CrossedComponents | None = None

    def __repr__(self) -> str:
        scored = self.counts.get("scored", 0)
        return summary_in_words("RatingSummary", self.source, self.n, scored, self.estimates)

    @property
    def without_anchors(self) -> tuple[LanguageTexts, ...]:
        """Languages whose rated texts were to have their own anchors, where none have passed the check."""
        if dict(self.signature.fields).get("language", "any").startswith("any"):
            return ()
        return tuple(found for found in self.languages if found.rated and not found.has_own_anchors)

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        compared, lint = self.comparison, self.lint
        return {
            "instrument": "rate",
            "source": self.source,
            "scale": self.scale.name,
            "points": [{"value": point.value, "label": point.label} for point in self.scale.points],
            "rows": self.n,
            "counts": self.counts,
            "unread_language": self.unread_language,
            "other_language": self.other_language,
            "languages": self.languages,
            "fell_back": self.fell_back,
            "without_anchors": [found.language for found in self.without_anchors],
            "possible_codes": self.possible_codes,
            "windowed": self.n_windowed,
            "distinct": self.n_distinct,
            "estimates": self.estimates,
            "by": self.by,
            "further_groups": self.further_groups,
            "weight": self.weight,
            "respondent": self.respondent,
            "floor": self.floor,
            "calibration": None
            if self.calibration is None
            else {
                "method": self.calibration.method,
                "texts": self.calibration.labels.n,
                "error": self.calibration.error.calibrated,
                "uncalibrated_error": self.calibration.error.uncalibrated,
                "gain_low": self.calibration.error.gain_low,
                "gain_high": self.calibration.error.gain_high,
                "is_clear": self.calibration.error.is_clear,
                "unlike": self.n_unlike,
                "signature": self.calibration.signature,
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
            "set_variances": None if self.set_variances is None else self.set_variances.record(),
            "signature": self.signature,
            "created": self.created,
        }


class SummarySettings(TypedDict):
    """Settings of a summary beside the rated rows.

    Attributes:
        comparison: with human ratings.
        lint: the linter's report on the scale.
        source: where the texts come from, such as the name of a file.
        by: name of the column of groups.
        weight: name of the column of weights.
        respondent: name of the column of respondents.
    """

    comparison: RatingComparison | None
    lint: LintReport | None
    source: str
    by: str | None
    weight: str | None
    respondent: str | None


class RunningSummary:
    """Takes rated rows in order, in parts of any size, and keeps the numbers and texts that a report shows.

    Files and ratings in memory both go through it, so the same rows give the same report. Its memory does
    not grow with the rows, but for 8 bytes for each of up to 5,000,000 distinct texts.

    Args:
        scale: the scale that was used.
        floor: similarity below which a text was called off topic.
        own_anchors: languages whose texts were rated with anchors of their own.
        seed: seed of the sample.
        calibration: what was applied to the ratings.
    """

    def __init__(
        self,
        scale: Scale,
        floor: float | None,
        *,
        own_anchors: Sequence[str] = (),
        seed: int = 0,
        calibration: Calibration | None = None,
    ) -> None:
        self.n = 0
        self._scale = scale
        self._floor = floor
        self._counts = dict.fromkeys(Status, 0)
        self._n_windowed = 0
        self._distinct = DistinctCount()
        self._codes = CodeCount()
        self._has_texts = True
        self._sets = Moments.empty(len(scale.anchor_sets))
        self._examples = Examples(seed)
        self._sampled_texts = LanguageSample()
        self._languages = LanguageTally(scale.language, own_anchors)
        self._calibration = calibration
        self._n_unlike = 0

    def add(self, ratings: RatedRows, cells: list[object] | None) -> None:
        """Add the next part.

        Args:
            ratings: ratings of n rows.
            cells: the n cells that were rated; ``None`` if they are not known.
        """
        for status, count in ratings.counts.items():
            self._counts[status] += count
        self._n_windowed += int((ratings.windows > 1).sum())
        self._languages.add(ratings.language, ratings.status)
        self._n_unlike += 0 if ratings.unlike is None else int(ratings.unlike.sum())
        if cells is None:
            self._has_texts, cells = False, [None] * len(ratings)
        else:
            self._count_texts(ratings, cells)
        set_means = ratings.set_means[ratings.scored]
        self._sets = self._sets.merged(set_moments(set_means, self._scale.values))
        self._examples.add(ratings, cells, self.n)
        self.n += len(ratings)

    def summary(self, estimates: Estimates, **settings: Unpack[SummarySettings]) -> RatingSummary:
        """Sum up everything that was added.

        Args:
            estimates: made from the same rows.
            settings: further content of the summary.
        """
        return RatingSummary(
            scale=self._scale,
            signature=estimates.signature,
            estimates=estimates,
            n=self.n,
            counts={str(status): count for status, count in self._counts.items() if count},
            n_windowed=self._n_windowed,
            n_distinct=self._distinct.count if self._has_texts else None,
            sample=self._examples.sample,
            most_certain=self._examples.most_certain,
            least_certain=self._examples.least_certain,
            left_out=self._examples.left_out,
            set_agreement=set_correlations(self._sets),
            set_names=tuple(self._scale.anchor_sets),
            set_variances=crossed_components(self._sets, len(self._scale.anchor_sets), estimates.interval),
            floor=self._floor,
            created=datetime.now(UTC),
            possible_codes=self._codes.counts,
            unread_language=self._sampled_texts.unread_language(estimates.signature),
            other_language=self._other_language(estimates.signature),
            languages=self._languages.counts,
            fell_back=_fell_back(estimates.signature),
            calibration=self._calibration,
            n_unlike=self._n_unlike,
            **settings,
        )

    def _other_language(self, signature: Signature) -> UnreadLanguage | None:
        said = said_language(signature)
        return None if said is None else self._sampled_texts.other_language(said, signature)

    def _count_texts(self, ratings: RatedRows, cells: list[object]) -> None:
        worded = np.isin(ratings.status, _WORDED)
        self._sampled_texts.add(np.flatnonzero(worded), cells.__getitem__, self.n)
        read = [
            (str(cell), status == Status.SCORED)
            for cell, status in zip(cells, ratings.status, strict=True)
            if status not in _NOT_READ
        ]
        self._distinct.add([text for text, _ in read])
        rated = (text.strip() for text, is_rated in read if is_rated)
        self._codes.add(text for text in rated if len(text) <= LONGEST_CODE)


def _fell_back(signature: Signature) -> str | None:
    """The language that was asked for, where anchors in another one served."""
    fields = dict(signature.fields)
    return fields["language"] if "anchor_language" in fields else None
