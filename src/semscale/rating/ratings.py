"""Ratings of texts: a probability mass function (PMF) for each text, with means, modes and entropies."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Self, Unpack

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.json_reading import encodable
from semscale.rating.anchors import language_setting
from semscale.rating.calibration import Calibration
from semscale.rating.readouts import modes, sum_in_order
from semscale.rating.summary import (
    EXAMPLE_SCHEMA,
    MOST_EXAMPLES,
    SAMPLE_SIZE,
    DistinctCount,
    LanguageTexts,
    RatingSummary,
    discriminant_check,
    expected_from_moments,
    set_correlations,
    set_moments,
)
from semscale.results.estimates import (
    Estimates,
    EstimateSettings,
    Grouping,
    IntervalSettings,
    Tallies,
    estimate_rows,
)
from semscale.results.languages import LanguageCount
from semscale.results.result import (
    COUNTS,
    FLAGS,
    FLOATS,
    STATUSES,
    TEXTS,
    VECTORS,
    Result,
    ResultColumn,
    result_columns,
)
from semscale.results.summary import ForemostRows, RowTally
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan, Moments, mass_names, scale_figures
from semscale.stats.sampling import RowSample, priorities
from semscale.stats.variance_components import crossed_components
from semscale.store.columns import as_list, as_names, floats_in_columns, storable
from semscale.store.missing_codes import (
    LONGEST_CODE,
    CodeCount,
    code_key,
    is_missing,
    missing_keys,
    unseen_codes,
)
from semscale.store.writing import PREFIX
from semscale.types import Floats, Integers, Mask, ObjectArray, Refits, Status, Statuses

if TYPE_CHECKING:
    from semscale.rating.human import RatingComparison
    from semscale.rating.lint import LintReport

READABLE = (
    Status.SCORED,
    Status.OFF_TOPIC,
    Status.NOT_ABOUT,
    Status.WEIGHTLESS,
    Status.OTHER_LANGUAGE,
)
"""Statuses of texts that people can read and rate."""

_MASSES = ResultColumn(
    lambda masses, name: [
        pl.Series(f"{name} {point}", column, nan_to_null=True)
        for point, column in enumerate(map(np.ascontiguousarray, masses.T))
    ],
    floats_in_columns,
)
UNLIKE = ResultColumn(
    lambda marks, _: [pl.Series("unlike_labels", marks, pl.Boolean)], lambda columns: columns[0].to_numpy()
)
REFITS = ResultColumn(
    lambda masses, name: [pl.Series(name, masses.reshape(len(masses), math.prod(masses.shape[1:])))],
    lambda columns: columns[0].to_numpy(),
    is_private=True,
)


_WORDED = [Status.SCORED, Status.OFF_TOPIC, Status.NOT_ABOUT, Status.WEIGHTLESS]


@dataclass(frozen=True, repr=False)
class Ratings(Result):
    """Ratings of n texts, in the order of the texts; arrays are read-only.

    Attributes:
        scale: the scale, with the anchor sets that were used.
        pmf: shape (n, k), rows sum to 1; NaN without a rating.
        similarity: shape (n,), cosine with the most similar of the scale's own anchors; NaN without a vector.
        set_means: shape (n, s), mean under each anchor set alone, before the temperature; NaN without a
            rating, and under a set without anchors in the text's language.
        status: shape (n,), reason why each text has a rating or none.
        windows: shape (n,), number of windows of each text; 0 if it was not read.
        language: shape (n,), ISO 639-1 code of each text's language, identified or stated; ``None`` if it is
            not clear, or without a text.
        signature: the applied settings.
        floor: value below which a text is off topic. It applies to ``similarity``, or for the floor ``auto``
            to the cosine with the most similar anchor of each set, mean over the sets, minus the mean cosine
            with the three nearest unrelated sentences; ``None`` for no floor.
        possible_codes: rated texts that look like a code for a missing answer ("NA", "-99"), each with its
            number of texts; pass real codes as ``missing``. Empty for a part of other ratings.
        own_anchors: languages whose texts were rated with anchors in that language; all others with the
            scale's.
        calibration: calibration that was applied to the masses; ``None`` for none.
        unfamiliar: shape (n,), mask of texts unlike those that the calibration was fitted to; ``None``
            without one.
        in_calibration: shape (n,), mask of texts that the calibration was fitted to, which ``compare`` leaves
            out; ``None`` without one.
        refits: shape (n, b, k), the masses under each refit of the calibration without a part of its labels,
            from which ``estimate`` adds its error; ``None`` without one.
        sentiment: shape (n,), mean of each text on the shipped scale ``quality``, which ``summarize``
            compares with the ratings; NaN without a rating, and for ``quality`` itself.

    Raises:
        InputError: arrays whose lengths do not agree.
    """

    scale: Scale
    pmf: Annotated[Floats, _MASSES]
    similarity: Annotated[Floats, FLOATS]
    set_means: Annotated[Floats, VECTORS.private]
    status: Annotated[Statuses, STATUSES]
    windows: Annotated[Integers, COUNTS]
    language: Annotated[ObjectArray, TEXTS]
    signature: Signature
    floor: float | None = None
    possible_codes: dict[str, int] = field(default_factory=dict)
    own_anchors: tuple[str, ...] = ()
    calibration: Calibration | None = None
    unfamiliar: Annotated[Mask | None, UNLIKE] = None
    in_calibration: Annotated[Mask | None, FLAGS.private] = None
    refits: Annotated[Refits | None, REFITS] = None
    sentiment: Annotated[Floats | None, FLOATS.private] = None

    def __post_init__(self) -> None:
        n = len(self.status)
        for name in result_columns(type(self)):
            array = getattr(self, name)
            if array is None:
                continue
            if len(array) != n:
                raise InputError(name, f"must have {n} rows as status has, got {len(array)}")
            shape = (n, -1, self.scale.n_points) if name == "refits" and n else array.shape
            view = array.reshape(shape)  # a part stores the refits of a row one after another
            view.flags.writeable = False
            object.__setattr__(self, name, view)
        if self.pmf.shape != (n, self.scale.n_points):
            raise InputError("pmf", f"must have shape {(n, self.scale.n_points)}, got {self.pmf.shape}")

    @property
    def mean(self) -> Floats:
        """Expected value on the scale, shape (n,); NaN without a rating."""
        return sum_in_order(self.pmf.T * self.scale.values[:, None])

    @property
    def mode(self) -> Floats:
        """Value of the point with the largest mass, shape (n,); the lowest of several equal within 1e-6."""
        return modes(self.pmf, self.scale.values)

    @property
    def entropy(self) -> Floats:
        """Entropy of each PMF in nats, shape (n,): 0 for all on one point, ln k for uniform."""
        logs = np.log(np.where(self.pmf > 0, self.pmf, 1.0))
        entropy: Floats = np.maximum(-sum_in_order((self.pmf * logs).T), 0.0)
        return entropy

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate mean, boxes, net, NPS and PMF of all texts and of each group, with intervals.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and settings of the intervals; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight (rows named), or weights that sum to 0.
        """
        n_labels = None if self.calibration is None else self.calibration.labels.n
        tallies = Tallies([scale_figures(self.scale.values)], self.signature, n_labels=n_labels)
        return estimate_rows(tallies, self.pmf, self.status, refits=self.refits, **settings)

    @property
    def readable(self) -> Mask:
        """Mask of the texts that people can read and rate, with a rating or without, shape (n,)."""
        return np.isin(self.status, READABLE)

    def _with_rows(self, rows: Mask) -> Self:
        # Which texts look like codes is not known for single rows.
        return replace(super()._with_rows(rows), possible_codes={})

    def with_rows(self, others: "Iterable[tuple[Ratings, Integers]]") -> Self:
        """Return a copy in which some rows are those of other ratings by the same rater.

        Args:
            others: ratings, and the position among them of each of the n rows; -1 for rows that stay.
        """
        columns = {name: getattr(self, name) for name in result_columns(type(self))}
        columns = {name: column.copy() for name, column in columns.items() if column is not None}
        for ratings, positions in others:
            rows = np.flatnonzero(positions >= 0)
            for name, column in columns.items():
                column[rows] = getattr(ratings, name)[positions[rows]]
        return replace(self, **columns)

    def compare(  # noqa: PLR0913 - columns beside the ratings
        self,
        human: object,
        *,
        texts: object = None,
        human_range: tuple[float, float] | None = None,
        respondents: object = None,
        weights: object = None,
        inclusion: object = None,
        by: object = None,
        interval: float = 0.95,
        seed: int = 0,
    ) -> "RatingComparison":
        """Compare with human ratings of the same texts; see ``semscale.rating.human.compare``.

        Args:
            human: shape (n,): for each text a number, a list of numbers (one per rater), or missing.
            texts: shape (n,), the texts, for the correlation of their length with the human ratings.
            human_range: lowest and highest value that humans could give; the scale's own by default.
            respondents: as for ``estimate``; rows that it leaves out are left out here too.
            weights: as for ``estimate``, for every figure.
            inclusion: shape (n,), probability with which each text was drawn for a human rating, above 0 to
                1; required for texts with one.
            by: as for ``estimate``, for corrected figures of each group.
            interval: nominal coverage of the intervals.
            seed: seed of all draws.
        """
        from semscale.rating.human import compare, text_lengths

        lengths = None if texts is None else text_lengths(texts)
        if lengths is not None and len(lengths) != len(self):
            raise InputError(
                "texts", f"must have {len(self)} rows, as many as there are ratings, got {len(lengths)}"
            )
        return compare(
            self.pmf,
            human,
            values=self.scale.values,
            lengths=lengths,
            human_range=human_range,
            respondents=respondents,
            weights=weights,
            inclusion=inclusion,
            by=by,
            interval=interval,
            seed=seed,
            signature=self.signature,
            in_calibration=self.in_calibration,
            readable=self.readable,
        )

    def summarize(
        self,
        texts: object = None,
        *,
        comparison: "RatingComparison | None" = None,
        lint: "LintReport | None" = None,
        source: str = "texts in memory",
        show_anyway: bool = False,
        **settings: Unpack[EstimateSettings],
    ) -> RatingSummary:
        """Summarize the ratings for reports, documents and JSON.

        Args:
            texts: shape (n,), the rated cells; without them, no text is shown.
            comparison: comparison with human ratings, from ``compare``.
            lint: report of ``semscale.lint`` on the scale with the same model.
            source: source of the texts, such as the name of a file.
            show_anyway: true to show means of a scale that probably does not measure its construct.
            settings: settings of the estimates: ``by``, ``weights``, ``respondents``, ``interval``, ``seed``
                and others; see ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """
        cells = None if texts is None else as_list(texts, "texts")
        if cells is not None and len(cells) != len(self):
            raise InputError(
                "texts", f"must have {len(self)} rows, as many as there are ratings, got {len(cells)}"
            )
        by, weights, respondents = (settings.get(name) for name in ("by", "weights", "respondents"))
        title = _column_name(by, "group")
        ways = {name: value for name, value in settings.items() if name in IntervalSettings.__annotations__}
        plan = IntervalPlan(**ways)  # type: ignore[arg-type]
        tally = RatingTally(self, by=() if title is None else (Grouping(title),), seed=plan.seed)
        groups = None if title is None else {title: as_names(by, "by")}
        tally.add(self, cells, groups=groups, weights=weights, respondents=respondents)
        summary = tally.summary(
            plan,
            source,
            by=title,
            weight=_column_name(weights, "weight"),
            respondent=_column_name(respondents, "respondent"),
            comparison=comparison,
            lint=lint,
            show_anyway=show_anyway,
        )
        return summary if cells is not None else replace(summary, possible_codes=self.possible_codes)

    def to_frame(self) -> pl.DataFrame:
        """Return the ratings as a table, one row per text; missing values are null.

        Returns:
            Columns ``status``, ``mean``, ``mode``, ``entropy`` (nats), ``similarity``, ``windows``,
            ``language``, and the mass of each point as ``p_<value>``; with a calibration
            ``unlike_labels`` as well.
        """
        return super().to_frame().rename(self._mass_titles()).select(self._titles())

    def to_part(self) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the ratings in the format of a run's parts, with columns in the order of ``to_frame``."""
        frame, header = super().to_part()
        masses, titles = self._mass_titles(PREFIX), [PREFIX + title for title in self._titles()]
        header["columns"]["pmf"] = list(masses.values())
        return frame.rename(masses).select(*titles, pl.exclude(titles)), header

    def extra_columns(self) -> list[pl.Series]:
        """Return mean, mode and entropy."""
        numbers = {"mean": self.mean, "mode": self.mode, "entropy": self.entropy}
        return [pl.Series(name, values, nan_to_null=True) for name, values in numbers.items()]

    def _mass_titles(self, prefix: str = "") -> dict[str, str]:
        """Name the columns of masses, which a field numbers, by the points of the scale."""
        names = enumerate(mass_names(self.scale.values))
        return {f"{prefix}pmf {point}": prefix + name for point, name in names}

    def _titles(self) -> list[str]:
        titles = ["status", "mean", "mode", "entropy", "similarity", "windows", "language"]
        titles += mass_names(self.scale.values)
        return titles if self.unfamiliar is None else [*titles, "unlike_labels"]

    def _short_summary(self) -> RatingSummary:
        return self.summarize()


def _column_name(column: object, otherwise: str) -> str | None:
    """Return the name of a column: its own name if it has one, as series do."""
    name = getattr(column, "name", None)
    return None if column is None else name if isinstance(name, str) and name else otherwise


class RatingOrigin(Protocol):
    """Origin of ratings, a rater or the ratings themselves, as far as a summary names it."""

    @property
    def scale(self) -> Scale:
        """The scale with the anchor sets."""
        ...

    @property
    def signature(self) -> Signature:
        """All settings that affect a rating."""
        ...

    @property
    def floor(self) -> float | None:
        """Similarity below which a text is off topic; ``None`` for no floor."""
        ...

    @property
    def calibration(self) -> Calibration | None:
        """The calibration; ``None`` without one."""
        ...

    @property
    def own_anchors(self) -> Collection[str]:
        """Languages whose texts were rated with anchors in their language."""
        ...


class RatingTally:
    """Adds up rated rows, added in order and in parts of any size.

    It is used for files and for ratings in memory, so the same rows give the same report. Its memory does not
    grow with the rows, except 8 bytes for each of up to 5,000,000 distinct texts.

    Args:
        rated: rater or ratings, for scale, signature, floor and calibration.
        by: the columns of groups.
        missing: codes for a missing answer, as the user wrote them, to report those that no cell has.
        seed: seed of the sample.
    """

    def __init__(
        self,
        rated: RatingOrigin,
        *,
        by: Sequence[Grouping] = (),
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
        ratings: Ratings,
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
        common = self._rows.summary_fields(plan, source)
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
            expected=expected_from_moments(self._measures, self._scale, signature),
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

    def _count_texts(self, ratings: Ratings, cells: list[object]) -> None:
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


def discriminant_moments(ratings: Ratings, cells: Sequence[object] | None) -> Moments:
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


class Examples:
    """Selects example rows of rated rows, added in order and in parts of any size.

    Args:
        seed: seed of the sample.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._sample = RowSample[ExampleRow](SAMPLE_SIZE, seed)
        self._most_certain, self._least_certain = (
            ForemostRows[ExampleRow](MOST_EXAMPLES, text=lambda row: str(row["text"])) for _ in range(2)
        )

    @property
    def sample(self) -> pl.DataFrame:
        """At most 400 scored rows, in their order."""
        return _example_table(self._sample.items)

    @property
    def most_certain(self) -> pl.DataFrame:
        """The rows with the lowest entropy, each with another text, at most 8."""
        return _example_table(self._most_certain.items)

    @property
    def least_certain(self) -> pl.DataFrame:
        """The rows with the highest entropy, each with another text, at most 8."""
        return _example_table(self._least_certain.items)

    def add(self, ratings: Ratings, cells: list[object] | None, first_row: int) -> None:
        """Add the next part, whose first row has the index ``first_row`` in the whole."""
        entropy, mean, mode = ratings.entropy, ratings.mean, ratings.mode
        entropy[~ratings.scored] = np.nan

        def example(row: int) -> ExampleRow:
            return {
                "row": first_row + row,
                "text": None if cells is None else encodable(str(cells[row])),
                "status": str(ratings.status[row]),
                "mean": mean[row],
                "mode": mode[row],
                "entropy": entropy[row],
                "similarity": ratings.similarity[row],
                "pmf": ratings.pmf[row].tolist(),
            }

        self._most_certain.add(entropy, first_row, example)
        self._least_certain.add(-entropy, first_row, example)
        rows = np.flatnonzero(ratings.scored)
        order = np.argsort(priorities(first_row + rows, self._seed), kind="stable")
        self._sample.add((first_row + row, example(row)) for row in rows[order[:SAMPLE_SIZE]].tolist())


ExampleRow = dict[str, object]
"""A scored row, with the columns of ``EXAMPLE_SCHEMA``; only texts are scored."""


def _example_table(rows: Sequence[ExampleRow]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=EXAMPLE_SCHEMA)
