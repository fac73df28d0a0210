"""Ratings of texts: a probability mass function (PMF) for each text, with means, modes and entropies."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Self, Unpack

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.rating.calibration import Calibration
from semscale.rating.readouts import modes, sum_in_order
from semscale.rating.summary import RatingSummary, RatingTally
from semscale.results.estimates import Estimates, EstimateSettings, IntervalSettings, Tallies, estimate_rows
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
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan, mass_names, scale_figures
from semscale.store.columns import as_list, as_names, floats_in
from semscale.store.writing import PREFIX
from semscale.types import Floats, Integers, Mask, ObjectArray, Refits, Status, Statuses

if TYPE_CHECKING:
    from semscale.rating.human import RatingComparison
    from semscale.rating.lint import LintReport

_READABLE = [
    Status.SCORED,
    Status.OFF_TOPIC,
    Status.NOT_ABOUT,
    Status.WEIGHTLESS,
    Status.OTHER_LANGUAGE,
]

_MASSES = ResultColumn(
    lambda masses, name: [
        pl.Series(f"{name} {point}", column, nan_to_null=True)
        for point, column in enumerate(map(np.ascontiguousarray, masses.T))
    ],
    lambda columns: np.column_stack([floats_in(column) for column in columns]),
)
UNLIKE = ResultColumn(
    lambda marks, _: [pl.Series("unlike_labels", marks, pl.Boolean)], lambda columns: columns[0].to_numpy()
)
REFITS = ResultColumn(
    lambda masses, name: [pl.Series(name, masses.reshape(len(masses), math.prod(masses.shape[1:])))],
    lambda columns: columns[0].to_numpy(),
    is_private=True,
)


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
        return np.isin(self.status, _READABLE)

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
        **settings: Unpack[EstimateSettings],
    ) -> RatingSummary:
        """Summarize the ratings for reports, documents and JSON.

        Args:
            texts: shape (n,), the rated cells; without them, no text is shown.
            comparison: comparison with human ratings, from ``compare``.
            lint: report of ``semscale.lint`` on the scale with the same model.
            source: source of the texts, such as the name of a file.
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
        tally = RatingTally(self, by=() if title is None else (title,), seed=plan.seed)
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
