"""Human ratings: mapping to a scale, agreement with ratings, and corrected figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.rating.labelling import HumanRating, check_human_range
from semscale.rating.readouts import reject
from semscale.results.estimates import few_note
from semscale.results.weights import NOBODY, as_weights, in_unit, respondent_numbers
from semscale.signature import Signature
from semscale.stats.correlations import (
    Resampling,
    ks_similarity_estimate,
    pearson_estimate,
    replicates_for,
    spearman_estimate,
    split_half_reliability,
)
from semscale.stats.intervals import FEWEST_CLUSTERS, Estimate, scale_figures
from semscale.stats.prediction_powered import (
    FEWEST_IN_GROUP,
    FEWEST_LABELS,
    CorrectedMean,
    corrected_group_test,
    prediction_powered_mean,
    weighted_prediction_powered_mean,
)
from semscale.stats.sampling import RowSample, SampleDesign, join_designs, labels_hash, validate_inclusion
from semscale.stats.significance import adjust_p_values
from semscale.store.columns import as_list, as_names
from semscale.store.missing_codes import is_missing
from semscale.types import Floats, Integers, Mask

if TYPE_CHECKING:
    from semscale.rating.ratings import Ratings
    from semscale.rating.settings import RatingColumns

_MOST_POINTS = 2000

_FEWEST_SPLITS, _MOST_SPLITS, _SPLIT_TEXTS = 20, 100, 400_000

FEWEST_FOR_KS = 5
COMPARED_ROWS = 20_000
"""Greatest number of compared rows of a table."""

TOO_FEW = f"a corrected mean needs {FEWEST_LABELS} labels or more"

_MOST_TESTED = 200
"""Greatest number of tested groups of a column, as their covariances are a table of groups by groups."""


@dataclass(frozen=True)
class CorrectedGroup:
    """Figures of the texts of a group, corrected by the labels of some of them.

    Attributes:
        group: name of the group; ``None`` for texts without a group.
        n: number of its texts, labelled or not.
        n_labelled: number of its texts with a label.
        figures: figures by name, as in ``GroupEstimate.figures``; empty with fewer than 10 labels. Points are
            corrected one by one, so their shares may not sum to exactly 1.
    """

    group: str | None
    n: int
    n_labelled: int
    figures: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True)
class CorrectedGroups:
    """Corrected figures of all groups of a column, and a test that their means are equal.

    Attributes:
        groups: in order of first appearance.
        tested: names of the tested groups, with at least 10 labels.
        p_value: p-value of the test; NaN if fewer than two groups can be tested, and above 200 groups.
        adjusted: p-value adjusted by Holm over all columns of groups.
    """

    groups: tuple[CorrectedGroup, ...]
    tested: tuple[str | None, ...]
    p_value: float
    adjusted: float


@dataclass(frozen=True)
class RatingComparison:
    """Agreement of ratings with human ratings of the same texts.

    Attributes:
        n: number of compared texts, with a rating, a human rating, and a respondent if these are named.
        n_eligible: number of comparable texts; more than ``n`` if a sample of them was drawn.
        pearson: correlation of the means.
        spearman: correlation of the means' ranks.
        ks_similarity: 1 - max |F_machine - F_human| over the points, 0 to 1, of the two average PMFs;
            ``None`` if human values do not fit the scale.
        human_pmf: shape (k,), the humans' average PMF on the scale's points; NaN if human values do not fit
            the scale.
        machine_pmf: shape (k,), the ratings' average PMF over the same texts.
        ceiling: reliability of the human means (random halves of the raters, Spearman-Brown); ``None`` with a
            single human value per text.
        null_length: baseline: correlation of the texts' length with the human mean; ``None`` without lengths.
        null_ks: baseline: KS similarity of a uniform PMF with the humans' PMF; ``None`` as ``ks_similarity``.
        points: shape (at most 2000, 2), human mean and machine mean of a seeded sample, for a scatter plot.
        interval: nominal coverage of the intervals.
        signature: signature of the ratings and of the comparison.
        n_clusters: number of texts, or of respondents if they are named, behind the intervals.
        notes: warnings as sentences: why there are no distributions, which figures have no interval and why,
            or that intervals come from few texts.
        corrected: mean of all readable texts, corrected by the labels of some; ``None`` if all have a label,
            if human values do not fit the scale, or with fewer than 3 labels outside a calibration.
        corrected_figures: corrected boxes and masses of the same texts, as in ``CorrectedGroup``.
        corrected_groups: corrected figures of groups, by the name of their column; empty without
            ``corrected``, and without groups.
        n_unrated: number of texts without a rating, such as those off topic, in corrected figures. If no such
            text has a label, corrected figures are for rated texts only, and ``notes`` states it.
        n_in_calibration: number of labelled texts that were left out because a calibration was fitted to
        them. uses_inclusion: whether each labelled text is weighted by 1 / its probability of being drawn.
        uses_weights: whether texts are weighted.
        sheet: name of the sheet with the human ratings; ``None`` without a sheet.
    """

    n: int
    n_eligible: int
    pearson: Estimate
    spearman: Estimate
    ks_similarity: Estimate | None
    human_pmf: Floats
    machine_pmf: Floats
    ceiling: Estimate | None
    null_length: Estimate | None
    null_ks: Estimate | None
    points: Floats
    interval: float
    signature: Signature
    n_clusters: int = 0
    notes: tuple[str, ...] = ()
    corrected: CorrectedMean | None = None
    corrected_figures: Mapping[str, Estimate] = field(default_factory=dict)
    corrected_groups: Mapping[str, CorrectedGroups] = field(default_factory=dict)
    n_unrated: int = 0
    n_in_calibration: int = 0
    uses_inclusion: bool = False
    uses_weights: bool = False
    sheet: str | None = None


def compare(  # noqa: PLR0913 - two measurements, and columns beside them
    pmf: Floats,
    human: object,
    *,
    values: Floats,
    lengths: npt.ArrayLike | None = None,
    human_range: tuple[float, float] | None = None,
    respondents: object = None,
    weights: object = None,
    inclusion: object = None,
    by: object = None,
    interval: float = 0.95,
    seed: int = 0,
    signature: Signature | None = None,
    in_calibration: Mask | None = None,
    readable: Mask | None = None,
) -> RatingComparison:
    """Compare ratings with human ratings of the same texts.

    Human values are mapped linearly from ``human_range`` onto the scale's values; the mass of a value between
    two points is divided between them by linear interpolation. Intervals are bootstrapped over texts, or over
    respondents if they are named.

    Args:
        pmf: shape (n, k), ratings; rows of NaN are left out.
        human: shape (n,): for each text a number, a list of numbers (one per rater), or missing.
        values: shape (k,), values of the scale's points.
        lengths: shape (n,), lengths of the texts.
        human_range: lowest and highest possible human value; the scale's range by default. If human values
            are outside that range, no distributions are compared, and ``notes`` states it.
        respondents: shape (n,), author of each text; texts of one author are resampled together, and texts
            without one are left out.
        weights: shape (n,), finite and not negative, for every figure; texts without one, or with 0, are left
            out, as in the estimates.
        inclusion: shape (n,), probability with which each text was drawn for a human rating, above 0 to 1;
            required for texts with one. Texts are then weighted by 1 / probability in every figure.
        by: shape (n,), names of groups, for corrected figures of each group; ``corrected_groups`` uses the
            column's name, or ``group``.
        interval: nominal coverage of the intervals, between 0 and 1.
        seed: seed of all draws.
        signature: signature of the ratings; the settings of the comparison are added to it.
        in_calibration: shape (n,), mask of texts that a calibration was fitted to. Their ratings depend on
            their labels, so they are left out of all figures, and ``notes`` states how many.
        readable: shape (n,), mask of texts that people can rate, with or without a rating, for corrected
            figures. By default those with a rating.

    Returns:
        The comparison; correlations are NaN if they are not defined, and ends of intervals if all resamples
        give the same value.

    Raises:
        InputError: lengths differ, a human value is not a number, lies outside ``human_range`` (rows named),
            a weight or a probability is invalid, or ``interval`` is out of range.

    Examples:
        >>> pmf = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
        >>> compared = compare(pmf, [1.0, [1.0, 2.0], 2.0], values=np.array([1.0, 2.0]))
        >>> compared.n, round(compared.pearson.value, 6), compared.human_pmf.tolist()
        (3, 1.0, [0.5, 0.5])
    """
    table = human_table(human)
    n = len(table)
    if n != len(pmf):
        raise InputError("human", f"must have {len(pmf)} rows, as many as there are ratings, got {n}")
    has_label, new = (
        ~np.isnan(table).all(axis=1),
        np.ones(n, np.bool_) if in_calibration is None else ~in_calibration,
    )
    heavy = None if weights is None else _as_column(in_unit(as_weights(weights)), n, "weights")
    drawn = None if inclusion is None else validate_inclusion(inclusion, np.asarray(has_label))
    people = None if respondents is None else respondent_numbers(respondents, n)
    design = SampleDesign(heavy, drawn, people)
    counted = _mark_usable(design, n)
    is_rated = ~np.isnan(pmf).any(axis=1)
    labelled = is_rated & has_label & counted
    compared = np.flatnonzero(labelled & new)
    population = np.flatnonzero((is_rated if readable is None else is_rated | readable) & counted & new)
    groups = {}
    if by is not None:
        groups[getattr(by, "name", None) or "group"] = _GroupColumn.of(as_names(by, "by"), population, n)
    texts = _ComparedTexts(
        rows=compared,
        pmf=pmf[compared],
        table=table[compared],
        lengths=None if lengths is None else _as_column(lengths, n, "lengths")[compared],
        design=design.some(compared),
        values=values,
        human_range=human_range,
        interval=interval,
        seed=seed,
    )
    return texts.comparison(
        _Population(
            pmf[population],
            table[population],
            design.some(population),
            groups,
        ),
        n_eligible=len(compared),
        n_in_calibration=int((labelled & ~new).sum()),
        signature=signature,
    )


def _mark_usable(design: SampleDesign, n: int) -> Mask:
    """Mark the texts that estimates use: with a weight above 0 and a known respondent."""
    counted = np.ones(n, np.bool_)
    if design.weights is not None:
        counted &= design.weights > 0
    if design.clusters is not None:
        counted &= design.clusters != NOBODY
    return counted


@dataclass(frozen=True)
class _GroupColumn:
    """Groups of m texts: their names, and shape (m,), the number of each text's group."""

    names: tuple[str | None, ...]
    codes: Integers

    @classmethod
    def of(cls, names: Sequence[str | None], rows: Integers, n: int) -> "_GroupColumn":
        """Select the groups of some of n texts."""
        if len(names) != n:
            raise InputError("by", f"must have {n} rows, one per rating, got {len(names)}")
        chosen = [names[row] for row in rows.tolist()]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(chosen))}
        return cls(tuple(numbers), np.array([numbers[name] for name in chosen], dtype=np.int64))


@dataclass(frozen=True)
class _Corrections:
    """Corrected figures, as in ``RatingComparison``."""

    mean: CorrectedMean
    figures: Mapping[str, Estimate]
    groups: Mapping[str, CorrectedGroups]
    n_unrated: int
    note: str


@dataclass(frozen=True)
class _Population:
    """The m texts of corrected figures.

    Attributes:
        pmf: shape (m, k), ratings; NaN for readable texts without a rating.
        table: shape (m, raters), human ratings; NaN where missing.
        design: weights, probabilities of a label and respondents.
        groups: groups by the name of their column.
    """

    pmf: Floats
    table: Floats
    design: SampleDesign
    groups: Mapping[str, _GroupColumn]

    @cached_property
    def is_rated(self) -> Mask:
        """Mark texts with a rating, shape (m,)."""
        return np.asarray(~np.isnan(self.pmf).any(axis=1))

    @cached_property
    def is_labelled(self) -> Mask:
        """Mark texts with a human rating, shape (m,)."""
        return np.asarray(~np.isnan(self.table).all(axis=1))

    def some(self, rows: Mask) -> "_Population":
        """Select some of the texts."""
        groups = {name: replace(column, codes=column.codes[rows]) for name, column in self.groups.items()}
        return _Population(self.pmf[rows], self.table[rows], self.design.some(rows), groups)

    def fill_ratings(self) -> Floats:
        """Return the ratings, with the mean rating for missing ones.

        Any value is valid for a missing rating, as labels correct it; the mean rating keeps the overall mean
        if people rate none of these texts.
        """
        weights = None if self.design.weights is None else self.design.weights[self.is_rated]
        pmf: Floats = self.pmf.copy()
        pmf[~self.is_rated] = np.average(self.pmf[self.is_rated], axis=0, weights=weights)
        return pmf

    def corrections(
        self, values: Floats, human_range: tuple[float, float] | None, interval: float
    ) -> _Corrections | None:
        """Correct all figures; ``None`` if all or no texts have labels, or these do not fit the scale."""
        unrated = ~self.is_rated
        if unrated.any() and not (unrated & self.is_labelled).any():
            corrected = self.some(self.is_rated).corrections(values, human_range, interval)
            n = int(unrated.sum())
            have = "text that can be read has" if n == 1 else "texts that can be read have"
            note = f"{n:,} {have} no rating and no label: corrected figures are about rated texts"
            return None if corrected is None else replace(corrected, note=note)
        masses = human_pmfs(self.table[self.is_labelled], values, human_range)
        if masses is None or not (self.is_rated & self.is_labelled).any():
            return None
        pmf, labels = self.fill_ratings(), np.full_like(self.pmf, np.nan)
        labels[self.is_labelled] = masses
        mean = correct_mean(
            pmf @ values, self.table, values, design=self.design, human_range=human_range, interval=interval
        )
        if mean is None:
            return None
        estimated = _FigureCorrection(pmf, labels, values, self.design, interval)
        everything = estimated.of(None, np.arange(len(pmf)))
        columns = {name: estimated.of_groups(column) for name, column in self.groups.items()}
        p_values = adjust_p_values(np.array([column.p_value for column in columns.values()]), "holm").tolist()
        groups = {
            name: replace(column, adjusted=p_value)
            for (name, column), p_value in zip(columns.items(), p_values, strict=True)
        }
        figures = {name: figure for name, figure in everything.figures.items() if name != "mean"}
        return _Corrections(mean, figures, groups, int(unrated.sum()), "")


@dataclass(frozen=True)
class _FigureCorrection:
    """Corrects the figures of m texts, and of parts of them.

    Attributes:
        pmf: shape (m, k), ratings.
        labels: shape (m, k), human ratings on the points; NaN where missing.
        values: shape (k,), values of the points.
        design: design of the texts.
        interval: nominal coverage.
    """

    pmf: Floats
    labels: Floats
    values: Floats
    design: SampleDesign
    interval: float

    def of(self, group: str | None, rows: Integers) -> CorrectedGroup:
        """Correct the figures of some texts, by their rows."""
        labels = self.labels[rows]
        n_labelled = int((~np.isnan(labels[:, 0])).sum())
        if n_labelled < FEWEST_IN_GROUP:
            return CorrectedGroup(group, len(rows), n_labelled)
        figures = scale_figures(self.values)
        scores, labels = self.pmf[rows] @ figures.matrix.T, labels @ figures.matrix.T
        design = self.design.some(rows)
        estimates = {}
        for column, (name, low, high) in enumerate(zip(figures.names, *figures.bounds, strict=True)):
            bounds = (float(low), float(high))
            label = np.clip(labels[:, column], *bounds)  # rounding can leave the bounds
            corrected = _prediction_powered(scores[:, column], label, bounds, design, self.interval)
            estimates[name] = Estimate(corrected.value, corrected.low, corrected.high)
        return CorrectedGroup(group, len(rows), n_labelled, estimates)

    def of_groups(self, column: _GroupColumn) -> CorrectedGroups:
        """Correct the figures of all groups of a column, and test whether their means are equal."""
        order = np.argsort(column.codes, kind="stable")
        parts = np.split(order, np.searchsorted(column.codes[order], np.arange(1, len(column.names))))
        groups = tuple(self.of(name, rows) for name, rows in zip(column.names, parts, strict=True))
        large = [number for number, group in enumerate(groups) if group.figures]
        nan = float("nan")
        if not 2 <= len(large) <= _MOST_TESTED:  # noqa: PLR2004
            return CorrectedGroups(groups, (), nan, nan)
        test = corrected_group_test(
            self.pmf @ self.values,
            np.clip(self.labels @ self.values, self.values[0], self.values[-1]),
            [column.codes == number for number in large],
            bounds=(float(self.values[0]), float(self.values[-1])),
            design=self.design,
        )
        names = tuple(column.names[large[number]] for number in test.tested)
        return CorrectedGroups(groups, names, test.p_value, test.p_value)


@dataclass(frozen=True)
class _ComparedTexts:
    """Texts with a rating and a human rating, in their order, and settings of their comparison.

    Attributes:
        rows: shape (n,), their positions among all rows.
        pmf: shape (n, k), ratings.
        table: shape (n, raters), human ratings.
        lengths: shape (n,), lengths of the texts; ``None`` if unknown.
        design: their weights, probabilities and respondents.
        values: shape (k,), of the scale's points.
        human_range: lowest and highest possible human value; the scale's range by default.
        interval: nominal coverage of the intervals.
        seed: seed of all draws.
    """

    rows: Integers
    pmf: Floats
    table: Floats
    lengths: Floats | None
    design: SampleDesign
    values: Floats
    human_range: tuple[float, float] | None
    interval: float
    seed: int

    @cached_property
    def masses(self) -> Floats | None:
        """Human ratings on the scale's points, shape (n, k); ``None`` if they do not fit."""
        return human_pmfs(self.table, self.values, self.human_range)

    @cached_property
    def means(self) -> tuple[Floats, Floats]:
        """Means of the human ratings and of the ratings, shape (n,) each."""
        human = np.nanmean(self.table, axis=1) if len(self.rows) else np.empty(0)
        return human, self.pmf @ self.values

    @cached_property
    def clusters(self) -> Integers:
        """Cluster numbers for resampling, shape (n,): texts, or respondents if they are named."""
        return np.arange(len(self.rows)) if self.design.clusters is None else self.design.clusters

    @cached_property
    def n_clusters(self) -> int:
        """Number of texts, or of respondents."""
        return len(np.unique(self.clusters))

    @property
    def unit(self) -> str:
        """Name of the resampled unit."""
        return "text" if self.design.clusters is None else "respondent"

    def resampling(self, design: SampleDesign) -> Resampling:
        """Return the settings of resampling for a design."""
        return Resampling(
            clusters=design.clusters, weights=design.expanded, interval=self.interval, seed=self.seed
        )

    def comparison(
        self,
        population: _Population,
        *,
        n_eligible: int,
        n_in_calibration: int,
        signature: Signature | None,
    ) -> RatingComparison:
        """Compare the texts, and correct the figures of the population.

        Args:
            population: texts of the corrected figures.
            n_eligible: number of comparable texts.
            n_in_calibration: number of labelled texts that a calibration was fitted to.
            signature: of the ratings.
        """
        n, how, gap = len(self.rows), self.resampling(self.design), self._ks_gap()
        r, rho = pearson_estimate(*self.means, **how), spearman_estimate(*self.means, **how)
        ks, null_ks = self._ks_similarities(has_interval=not gap)
        figures: list[tuple[str, Estimate | None, tuple[Floats, ...]]] = [
            ("Pearson's r", r, self.means),
            ("Spearman's rho", rho, self.means),
        ]
        if not gap:
            figures += [("KS similarity", ks, ()), ("KS similarity of equal shares", null_ks, ())]
        corrections = None
        if not (n_in_calibration and n < FEWEST_LABELS):
            corrections = population.corrections(self.values, self.human_range, self.interval)
        points = np.column_stack(self.means)
        if n > _MOST_POINTS:
            chosen = np.random.default_rng(self.seed).choice(n, _MOST_POINTS, replace=False)
            points = points[np.sort(chosen)]
        about = "" if corrections is None else corrections.note
        notes = (*notes_on_calibration(n_in_calibration, n), *self._interval_notes(figures), gap, about)
        return RatingComparison(
            n=n,
            n_eligible=n_eligible,
            pearson=r,
            spearman=rho,
            ks_similarity=ks,
            human_pmf=self._average(self.masses),
            machine_pmf=self._average(self.pmf),
            ceiling=self._ceiling() if self.table.shape[1] > 1 else None,
            null_length=None if self.lengths is None else self._null_baseline(self.lengths),
            null_ks=null_ks,
            points=points,
            interval=self.interval,
            signature=self._build_signature(signature),
            n_clusters=self.n_clusters,
            notes=tuple(note for note in notes if note),
            corrected=None if corrections is None else corrections.mean,
            corrected_figures={} if corrections is None else corrections.figures,
            corrected_groups={} if corrections is None else corrections.groups,
            n_unrated=0 if corrections is None else corrections.n_unrated,
            n_in_calibration=n_in_calibration,
            uses_inclusion=self.design.inclusion is not None,
            uses_weights=self.design.weights is not None,
        )

    def _ks_similarities(self, *, has_interval: bool) -> tuple[Estimate | None, Estimate | None]:
        """KS similarity with the humans' masses, of the ratings and of a uniform PMF."""
        human = self.masses
        if human is None:
            return None, None
        equal = np.full_like(self.pmf, 1 / self.pmf.shape[1])
        how = self.resampling(self.design)
        ks, null_ks = (ks_similarity_estimate(pmf, human, **how) for pmf in (self.pmf, equal))
        if has_interval:
            return ks, null_ks
        return Estimate(ks.value, np.nan, np.nan), Estimate(null_ks.value, np.nan, np.nan)

    def _ceiling(self) -> Estimate:
        """Reliability from 100 random splits, or fewer above 4,000 texts."""
        splits = max(_FEWEST_SPLITS, min(_MOST_SPLITS, _SPLIT_TEXTS // max(len(self.table), 1)))
        return split_half_reliability(self.table, splits=splits, **self.resampling(self.design))

    def _null_baseline(self, lengths: Floats) -> Estimate:
        """Correlation of the human means with the texts' lengths."""
        known = np.asarray(~np.isnan(lengths))
        how = self.resampling(self.design.some(known))
        return pearson_estimate(lengths[known], self.means[0][known], **how)

    def _average(self, masses: Floats | None) -> Floats:
        if masses is None or not len(masses):
            return np.full(len(self.values), np.nan)
        average: Floats = np.average(masses, axis=0, weights=self.design.expanded)
        return average

    def _build_signature(self, base: Signature | None) -> Signature:
        n, design, ends = len(self.rows), self.design, self.human_range
        inclusion = {} if design.inclusion is None else {"inclusion": True}
        settings = Signature.of(
            "compare",
            human_range="scale" if ends is None else "{:.12g} to {:.12g}".format(*ends),
            interval=self.interval,
            replicates=replicates_for(n) if self.n_clusters >= FEWEST_CLUSTERS else None,
            seed=self.seed,
            clusters=f"{self.unit}s",
            weights=design.weights is not None,
            texts=n,
            **inclusion,
            labels=labels_hash(self.rows, self.table, design.inclusion),
        )
        return settings if base is None else base.plus(settings)

    def _ks_gap(self) -> str:
        """Explain why the KS similarities have no interval; empty if they may have one."""
        m, human = self.n_clusters, self.masses
        if human is None or m < 2:  # noqa: PLR2004 - no figure has an interval, which another note says
            return ""
        if m < FEWEST_FOR_KS:
            return f"no interval of KS similarities: it takes {FEWEST_FOR_KS} {self.unit}s, and there are {m}"
        if np.ptp(human, axis=0).any():
            return ""
        return "no interval of KS similarities: all labels are equal, which does not show how others differ"

    def _interval_notes(
        self, figures: Sequence[tuple[str, Estimate | None, tuple[Floats, ...]]]
    ) -> tuple[str, ...]:
        """Explain why there are no distributions, and which intervals are wide or missing.

        Args:
            figures: names, estimates, and the columns of texts that must vary for them.
        """
        off_scale = off_the_scale(self.table, self.values) if self.masses is None else ""
        m, unit, is_few = self.n_clusters, self.unit, self.n_clusters < FEWEST_CLUSTERS
        if m < 2:  # noqa: PLR2004
            return (off_scale, few_note(m, unit) if m else "")
        known = [
            (name, figure, columns)
            for name, figure, columns in figures
            if figure is not None and not np.isnan(figure.value)
        ]
        without = [(name, columns) for name, figure, columns in known if np.isnan(figure.low)]
        undefined = [name for name, columns in without if is_few and self._rests_on_a_cluster(columns)]
        fixed = [name for name, _ in without if name not in undefined]
        notes = [off_scale]
        if is_few and len(without) < len(known):
            few = f"as there are only {m} {unit}s"
            notes.append(f"agreement with people: wide intervals by a jackknife, {few}")
        if fixed:
            notes.append(f"no interval of {', '.join(fixed)}: every resample of the {unit}s gives the same")
        if undefined:
            notes.append(f"no interval of {', '.join(undefined)}: not defined without one of the {m} {unit}s")
        return tuple(notes)

    def _rests_on_a_cluster(self, columns: tuple[Floats, ...]) -> bool:
        """Check whether a column no longer varies without one of the clusters."""
        remaining = [self.clusters != left_out for left_out in np.unique(self.clusters)]
        return any(np.ptp(column[rows]) == 0 for column in columns for rows in remaining)


def text_lengths(texts: object) -> Floats:
    """Return the lengths of texts in characters, shape (n,); NaN for other cells.

    Examples:
        >>> text_lengths(["good", None]).tolist()
        [4.0, nan]
    """
    cells = as_list(texts, "texts")
    return np.array([len(cell) if isinstance(cell, str) else np.nan for cell in cells], dtype=np.float64)


def _as_column(numbers: npt.ArrayLike, n: int, name: str) -> Floats:
    try:
        column = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(name, f"must be a list of numbers: {error}") from error
    if column.shape != (n,):
        raise InputError(name, f"must have shape ({n},), one per rating, got {column.shape}")
    return column


def notes_on_calibration(n_in_calibration: int, n: int) -> tuple[str, ...]:
    """State how many labelled texts were left out because a calibration was fitted to them."""
    if not n_in_calibration:
        return ()
    if not n:
        return (
            f"the calibration was fitted to all {n_in_calibration:,} texts with human ratings, so nothing is "
            "left to compare it with: label other texts (semscale label with another seed)",
        )
    left_out = (
        f"{n_in_calibration:,} of {n_in_calibration + n:,} texts with human ratings were left out of the "
        "agreement with people: the calibration was fitted to them"
    )
    if n >= FEWEST_LABELS:
        return (left_out,)
    return (f"{left_out}, and {n} are too few for a corrected mean: label other texts",)


def correct_mean(
    means: Floats,
    table: Floats,
    values: Floats,
    *,
    design: SampleDesign | None = None,
    human_range: tuple[float, float] | None = None,
    interval: float = 0.95,
) -> CorrectedMean | None:
    """Correct the mean of the ratings by human ratings; ``None`` if all or no rated texts have a label.

    Args:
        means: shape (n,), means of the ratings; NaN where missing.
        table: shape (n, raters), human ratings; NaN where missing. Texts with one must be a random sample of
            those with a rating, drawn with the probabilities of ``design``.
        values: shape (k,), of the scale's points.
        design: weights, probabilities of a label and respondents, each of shape (n,); by default equal
            weights and no respondents.
        human_range: lowest and highest possible human value; the scale's range by default.
        interval: nominal coverage, between 0 and 1.

    Returns:
        The corrected mean in the scale's units, NaN with fewer than 3 labels; ``None`` also if human values
        do not fit the scale.

    References:
        Angelopoulos et al. (2023), doi 10.1126/science.adi6000.

    Examples:
        >>> means = np.array([2.0, 3.0, 4.0, 3.0, 2.0, 4.0])
        >>> table = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan], [np.nan]])
        >>> round(correct_mean(means, table, np.arange(1.0, 6.0)).value, 6)
        2.0
    """
    masses = human_pmfs(table, values, human_range)
    if masses is None:
        return None
    labelled, is_rated = ~np.isnan(table).all(axis=1), ~np.isnan(means)
    if not (is_rated & labelled).any() or not (is_rated & ~labelled).any():
        return None
    bounds = (float(values[0]), float(values[-1]))
    labels = np.where(labelled, np.clip(masses @ values, *bounds), np.nan)
    mean = _prediction_powered(means, labels, bounds, design or SampleDesign(), interval)
    return mean if mean.n_labelled >= FEWEST_LABELS else replace(mean, value=np.nan, note=TOO_FEW)


def _prediction_powered(
    scores: Floats, labels: Floats, bounds: tuple[float, float], design: SampleDesign, interval: float
) -> CorrectedMean:
    if design.is_plain:
        return prediction_powered_mean(scores, labels, bounds=bounds, interval=interval)
    return weighted_prediction_powered_mean(scores, labels, bounds=bounds, design=design, interval=interval)


def human_table(human: object) -> Floats:
    """Convert human ratings to a table, shape (n, raters), NaN where missing.

    Args:
        human: for each text a number, a list of numbers, or missing.

    Raises:
        InputError: a value that is neither; the rows are named.

    Examples:
        >>> human_table([1, [2, 3], None]).tolist()
        [[1.0, nan], [2.0, 3.0], [nan, nan]]
    """
    if isinstance(human, np.ndarray) and human.ndim == 2:  # noqa: PLR2004
        human = list(human)
    rows: list[list[object]] = []
    for cell in as_list(human, "human"):
        is_list = isinstance(cell, Sequence | np.ndarray) and not isinstance(cell, str)
        rows.append([number for number in (cell if is_list else [cell]) if not is_missing(number)])
    wrong = [
        not all(isinstance(number, int | float | np.number) and np.isfinite(number) for number in row)
        for row in rows
    ]
    reject(np.array(wrong, dtype=bool), "human ratings must be finite numbers: invalid in")
    table = np.full((len(rows), max(map(len, rows), default=0) or 1), np.nan)
    for row, numbers in enumerate(rows):
        table[row, : len(numbers)] = numbers
    return table


def human_pmfs(table: Floats, values: Floats, human_range: tuple[float, float] | None) -> Floats | None:
    """Return PMFs (n, k) of human ratings, averaged over each text's raters; ``None`` if they do not fit.

    Args:
        table: shape (n, raters), NaN where missing.
        values: shape (k,), values of the scale's points.
        human_range: lowest and highest possible human value; the scale's range by default.

    Raises:
        InputError: a wrong range, or values outside ``human_range`` (rows named).
    """
    check_human_range(human_range)
    low, high = (values[0], values[-1]) if human_range is None else human_range
    outside = ((table < low) | (table > high)).any(axis=1)
    if human_range is None and outside.any():
        return None
    reject(outside, f"`human_range` must contain all human ratings, got {low:g} to {high:g}: exceeded in")
    mapped = values[0] + (np.nan_to_num(table, nan=low) - low) / (high - low) * (values[-1] - values[0])
    below = np.clip(np.searchsorted(values, mapped, side="right") - 1, 0, len(values) - 2)
    share = (mapped - values[below]) / (values[below + 1] - values[below])
    is_known = ~np.isnan(table)
    masses = np.zeros((len(table), len(values)))
    rows = np.broadcast_to(np.arange(len(table))[:, None], table.shape)
    np.add.at(masses, (rows[is_known], below[is_known]), 1 - share[is_known])
    np.add.at(masses, (rows[is_known], below[is_known] + 1), share[is_known])
    masses /= np.maximum(is_known.sum(axis=1, keepdims=True), 1)
    return masses


def off_the_scale(table: Floats, values: Floats) -> str:
    """State how many human values are outside the scale's range, with the remedy; empty if none is."""
    known = table[~np.isnan(table)]
    outside = int(((known < values[0]) | (known > values[-1])).sum())
    if not outside:
        return ""
    return (
        f"{outside:,} of {known.size:,} human values lie outside the scale's {values[0]:g} to {values[-1]:g} "
        f"(they range from {known.min():g} to {known.max():g}), so distributions were not compared, and "
        "the mean of all texts was not corrected: give the lowest and the highest value that people could "
        "choose (`human_range`)"
    )


class _Row(NamedTuple):
    """A row with a human rating, with its positions in the file and in the population."""

    row: int
    position: int
    pmf: Floats
    human: HumanRating
    length: int


class HumanSample:
    """A seeded sample of at most 20,000 rows of a table with a human rating, regardless of the parts.

    Args:
        seed: seed of the choice, and of the comparison.
        values: shape (k,), values of the scale's points. The ratings of all texts are stored for corrected
            figures, with 8 bytes for each point, for a weight, for a respondent, and for each column of
            groups.
        signature: of the ratings.
        source: source of the human ratings, for messages.
    """

    def __init__(self, seed: int, values: Floats, signature: Signature, source: str = "human") -> None:
        self._seed, self._values, self._signature, self._source = seed, values, signature, source
        self._rows = RowSample[_Row](COMPARED_ROWS, seed)
        self._pmf: list[Floats] = []
        self._designs: list[SampleDesign] = []
        self._names: dict[str, dict[str | None, int]] = {}
        self._codes: dict[str, list[Integers]] = {}
        self._n = self._n_eligible = self._n_in_calibration = 0

    def add(  # noqa: PLR0913 - a part's columns
        self,
        first_row: int,
        ratings: "Ratings",
        humans: Sequence[HumanRating | None],
        *,
        lengths: Sequence[int],
        respondents: Sequence[str | None] | None,
        groups: Mapping[str, Sequence[str | None]] | None = None,
        weights: Floats | None = None,
        inclusion: Floats | None = None,
    ) -> None:
        """Add the next part.

        Unreadable texts are ignored, and so are those that the estimates leave out: without a known
        respondent, or with no weight or a weight of 0. Texts that a calibration was fitted to are only
        counted.
        """
        n, pmf = len(humans), ratings.pmf
        people = None if respondents is None else respondent_numbers(respondents, n)
        design = SampleDesign(weights, inclusion, people)
        counted, is_rated = ratings.readable & _mark_usable(design, n), ~np.isnan(pmf[:, 0])
        has_label = np.array([human is not None for human in humans], dtype=np.bool_)
        if ratings.in_calibration is not None:
            self._n_in_calibration += int((counted & is_rated & has_label & ratings.in_calibration).sum())
            counted &= ~ratings.in_calibration
        self._n_eligible += int((counted & is_rated & has_label).sum())
        positions = self._n + np.cumsum(counted) - 1
        self._rows.add(
            (
                first_row + row,
                # A view of a row would keep the array of its part.
                _Row(first_row + row, int(positions[row]), pmf[row].copy(), human, lengths[row]),
            )
            for row, human in enumerate(humans)
            if human is not None and counted[row]
        )
        self._n += int(counted.sum())
        self._pmf.append(pmf[counted])
        self._designs.append(design.some(counted))
        for column, names in (groups or {}).items():
            known = self._names.setdefault(column, {})
            chosen = [known.setdefault(names[row], len(known)) for row in np.flatnonzero(counted).tolist()]
            self._codes.setdefault(column, []).append(np.array(chosen, dtype=np.int64))

    def compare(self, columns: "RatingColumns", *, interval: float) -> RatingComparison:
        """Compare the sampled rows that have a rating, and correct figures by all of them.

        Args:
            columns: names of the columns, and the range of the human ratings.
            interval: nominal coverage of the intervals, between 0 and 1.

        Raises:
            InputError: no row can be compared.
        """
        labelled = self._rows.items
        rows = [row for row in labelled if not np.isnan(row.pmf[0])]
        if not rows and not self._n_in_calibration:
            needed = {
                " and whose respondent is known": columns.respondent,
                " and that has a weight above 0": columns.weight,
            }
            raise InputError(
                f"{self._source} has no rating for any text that was scored"
                f"{''.join(condition for condition, column in needed.items() if column)}; "
                "name another, or leave it out"
            )
        design = join_designs(self._designs)
        if design.weights is not None:
            design = replace(design, weights=in_unit(design.weights))
        table = human_table([row.human for row in labelled])
        everybody = np.full((self._n, table.shape[1]), np.nan)
        everybody[np.array([row.position for row in labelled], dtype=np.int64)] = table
        is_rated = np.array([not np.isnan(row.pmf[0]) for row in labelled], dtype=np.bool_)
        texts = _ComparedTexts(
            rows=np.array([row.row for row in rows], dtype=np.int64),
            pmf=np.array([row.pmf for row in rows]).reshape(-1, len(self._values)),
            table=table[is_rated],
            lengths=np.array([row.length for row in rows], dtype=np.float64),
            design=design.some(np.array([row.position for row in rows], dtype=np.int64)),
            values=self._values,
            human_range=columns.human_range,
            interval=interval,
            seed=self._seed,
        )
        groups = {
            column: _GroupColumn(tuple(self._names[column]), np.concatenate(codes))
            for column, codes in self._codes.items()
        }
        return texts.comparison(
            _Population(np.concatenate(self._pmf), everybody, design, groups),
            n_eligible=self._n_eligible,
            n_in_calibration=self._n_in_calibration,
            signature=self._signature.plus(Signature.of("compare", eligible=self._n_eligible)),
        )
