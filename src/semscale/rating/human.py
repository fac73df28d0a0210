"""Human ratings: mapping to a scale, agreement with ratings, and corrected figures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.rating.label_progress import LabelProgress, progress_from
from semscale.rating.labelling import HumanRating, RatedTexts
from semscale.rating.readouts import reject
from semscale.rating.settings import check_human_range
from semscale.results.estimates import few_note
from semscale.results.weights import NOBODY, as_weights, in_unit, respondent_numbers
from semscale.signature import Signature
from semscale.spelling import hint, notes_from
from semscale.stats.correlations import (
    Resampling,
    ks_similarity_estimate,
    pearson_estimate,
    replicates_for,
    spearman_estimate,
    split_half_reliability,
)
from semscale.stats.further_labels import ExpectedWidth
from semscale.stats.intervals import FEWEST_CLUSTERS, Estimate, scale_figures
from semscale.stats.prediction_powered import (
    FEWEST_IN_GROUP,
    FEWEST_LABELS,
    CorrectedMean,
    corrected_group_test,
    estimate_corrected_mean,
)
from semscale.stats.sampling import RowSample, SampleDesign, join_designs, labels_hash, validate_inclusion
from semscale.stats.significance import adjust_p_values
from semscale.store.columns import as_list, as_names
from semscale.store.missing_codes import is_missing
from semscale.types import Floats, Integers, Mask

if TYPE_CHECKING:
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
class CorrectedFigure:
    """A figure of all texts or of a group, corrected by the labels of some of them.

    Attributes:
        figure: its name, as in ``GroupEstimate.figures``. Points are corrected one by one, so their shares
            may not sum to exactly 1.
        n: number of texts, labelled or not.
        n_labelled: number of these with a label.
        value: the figure; NaN with too few labels.
        low: lower end of its interval.
        high: upper end.
        by: name of the column of groups; ``None`` for all texts.
        group: name of the group; ``None`` for all texts, and for texts without a group.
        p_value: p-value of the test that the means of the tested groups of the column are equal. It is at the
            mean of each of these groups, which have at least 10 labels. NaN at other figures, if fewer than
            two groups can be tested, and above 200 groups.
        adjusted: p-value adjusted by Holm over all columns of groups.
    """

    figure: str
    n: int
    n_labelled: int
    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    by: str | None = None
    group: str | None = None
    p_value: float = np.nan
    adjusted: float = np.nan


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
        corrected_figures: corrected figures of the same texts, then those of each group, in order of first
            appearance; empty without ``corrected``. With fewer than 10 labels there is only the mean, without
            a value in a group.
        progress: whether r and the corrected mean are precise enough, and how many more labels would make
            them so; ``None`` without ``corrected``.
        n_unrated: number of texts without a rating, such as those off topic, in corrected figures. If no such
            text has a label, corrected figures are for rated texts only, and ``notes`` states it.
        n_in_calibration: number of labelled texts that were left out because a calibration was fitted to
            them.
        uses_inclusion: whether each labelled text is weighted by 1 / its probability of being drawn.
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
    corrected_figures: tuple[CorrectedFigure, ...] = ()
    progress: LabelProgress | None = None
    n_unrated: int = 0
    n_in_calibration: int = 0
    uses_inclusion: bool = False
    uses_weights: bool = False
    sheet: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", notes_from(self.notes))

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON, without the points of the scatter plot."""
        numbers = {name: figure for name, figure in vars(self).items() if name != "points"}
        return numbers | {"progress": None if self.progress is None else self.progress.record()}

    def figures_by(self, by: str | None) -> dict[tuple[str | None, str], CorrectedFigure]:
        """Return corrected figures by group and name: of a column's groups, or of all texts."""
        return {(row.group, row.figure): row for row in self.corrected_figures if row.by == by}


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
        by: shape (n,), names of groups, for corrected figures of each group; these state the column's name,
            or ``group``.
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
    has_label = np.asarray(~np.isnan(table).all(axis=1))
    everything = _Texts(
        rows=np.arange(n),
        pmf=pmf,
        table=table,
        lengths=None if lengths is None else _as_column(lengths, n, "lengths"),
        design=SampleDesign(
            weights=None if weights is None else _as_column(in_unit(as_weights(weights)), n, "weights"),
            inclusion=None if inclusion is None else validate_inclusion(inclusion, has_label),
            clusters=None if respondents is None else respondent_numbers(respondents, n),
        ),
        groups={},
        values=values,
        human_range=human_range,
        interval=interval,
        seed=seed,
    )
    counted = _mark_usable(everything.design, n)
    new = np.ones(n, np.bool_) if in_calibration is None else ~in_calibration
    is_rated = everything.is_rated
    population = np.flatnonzero((is_rated if readable is None else is_rated | readable) & counted & new)
    texts = everything.some(population)
    if by is not None:
        texts = replace(
            texts, groups={getattr(by, "name", None) or "group": _number_groups(by, population, n)}
        )
    return _compare_texts(
        texts,
        n_eligible=int((texts.is_rated & texts.is_labelled).sum()),
        n_in_calibration=int((is_rated & has_label & counted & ~new).sum()),
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


_Groups = tuple[tuple[str | None, ...], Integers]
"""Names of groups, and shape (m,), the number of each text's group."""


def _number_groups(by: object, rows: Integers, n: int) -> _Groups:
    """Number the groups of some of n texts in order of first appearance."""
    names = as_names(by, "by")
    if len(names) != n:
        raise InputError("by", f"must have {n} rows, one per rating, got {len(names)}")
    chosen = [names[row] for row in rows.tolist()]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(chosen))}
    return tuple(numbers), np.array([numbers[name] for name in chosen], dtype=np.int64)


@dataclass(frozen=True)
class _Texts:
    """Texts with ratings and human ratings, and settings of their comparison.

    Attributes:
        rows: shape (m,), their positions among all rows.
        pmf: shape (m, k), ratings; NaN for readable texts without a rating.
        table: shape (m, raters), human ratings; NaN where missing.
        lengths: shape (m,), lengths of the texts; ``None`` if unknown.
        design: their weights, probabilities of a label and respondents.
        groups: groups by the name of their column.
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
    groups: Mapping[str, _Groups]
    values: Floats
    human_range: tuple[float, float] | None
    interval: float
    seed: int

    def some(self, rows: Mask | Integers) -> "_Texts":
        """Select some of the texts."""
        return replace(
            self,
            rows=self.rows[rows],
            pmf=self.pmf[rows],
            table=self.table[rows],
            lengths=None if self.lengths is None else self.lengths[rows],
            design=self.design.some(rows),
            groups={by: (names, codes[rows]) for by, (names, codes) in self.groups.items()},
        )

    @cached_property
    def is_rated(self) -> Mask:
        """Mark texts with a rating, shape (m,)."""
        return np.asarray(~np.isnan(self.pmf).any(axis=1))

    @cached_property
    def is_labelled(self) -> Mask:
        """Mark texts with a human rating, shape (m,)."""
        return np.asarray(~np.isnan(self.table).all(axis=1))

    @cached_property
    def masses(self) -> Floats | None:
        """Human ratings on the scale's points, shape (m, k); ``None`` if they do not fit."""
        return human_pmfs(self.table, self.values, self.human_range)

    @cached_property
    def means(self) -> tuple[Floats, Floats]:
        """Means of the human ratings and of the ratings, shape (m,) each."""
        human = np.nanmean(self.table, axis=1) if len(self.rows) else np.empty(0)
        return human, self.pmf @ self.values

    @cached_property
    def clusters(self) -> Integers:
        """Cluster numbers for resampling, shape (m,): texts, or respondents if they are named."""
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

    def average(self, masses: Floats | None) -> Floats:
        """Average masses, shape (m, k), over the texts; NaN without any."""
        if masses is None or not len(masses):
            return np.full(len(self.values), np.nan)
        average: Floats = np.average(masses, axis=0, weights=self.design.expanded)
        return average

    def fill_ratings(self) -> "_Texts":
        """Give texts without a rating the mean rating.

        Any value is valid for a missing rating, as labels correct it; the mean rating keeps the overall mean
        if people rate none of these texts.
        """
        weights = None if self.design.weights is None else self.design.weights[self.is_rated]
        pmf: Floats = self.pmf.copy()
        pmf[~self.is_rated] = np.average(self.pmf[self.is_rated], axis=0, weights=weights)
        return replace(self, pmf=pmf)

    def build_signature(self, base: Signature | None) -> Signature:
        """Build the signature of a comparison of these texts, which all have both ratings."""
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


def _compare_texts(
    everything: _Texts, *, n_eligible: int, n_in_calibration: int, signature: Signature | None
) -> RatingComparison:
    """Compare the texts that have both ratings, and correct the figures of all texts.

    Args:
        everything: texts that people can rate.
        n_eligible: number of comparable texts.
        n_in_calibration: number of labelled texts that a calibration was fitted to.
        signature: of the ratings.
    """
    texts = everything.some(everything.is_rated & everything.is_labelled)
    n, how, gap = len(texts.rows), texts.resampling(texts.design), _ks_gap(texts)
    r, rho = pearson_estimate(*texts.means, **how), spearman_estimate(*texts.means, **how)
    ks, null_ks = _ks_similarities(texts, has_interval=not gap)
    figures: list[tuple[str, Estimate | None, tuple[Floats, ...]]] = [
        ("Pearson's r", r, texts.means),
        ("Spearman's rho", rho, texts.means),
    ]
    if not gap:
        figures += [("KS similarity", ks, ()), ("KS similarity of equal shares", null_ks, ())]
    population, about = _population(everything)
    can_correct = n >= FEWEST_LABELS or not n_in_calibration
    correction = _correct(population, r) if can_correct else None
    points = np.column_stack(texts.means)
    if n > _MOST_POINTS:
        chosen = np.random.default_rng(texts.seed).choice(n, _MOST_POINTS, replace=False)
        points = points[np.sort(chosen)]
    notes = (
        *notes_on_calibration(n_in_calibration, n),
        *_interval_notes(texts, figures),
        gap,
        "" if correction is None else about,
    )
    return RatingComparison(
        n=n,
        n_eligible=n_eligible,
        pearson=r,
        spearman=rho,
        ks_similarity=ks,
        human_pmf=texts.average(texts.masses),
        machine_pmf=texts.average(texts.pmf),
        ceiling=_ceiling(texts) if texts.table.shape[1] > 1 else None,
        null_length=None if texts.lengths is None else _null_baseline(texts, texts.lengths),
        null_ks=null_ks,
        points=points,
        interval=texts.interval,
        signature=texts.build_signature(signature),
        n_clusters=texts.n_clusters,
        notes=tuple(note for note in notes if note),
        corrected=None if correction is None else correction.mean,
        corrected_figures=() if correction is None else correction.figures,
        progress=None if correction is None else correction.progress,
        n_unrated=0 if correction is None else int((~population.is_rated).sum()),
        n_in_calibration=n_in_calibration,
        uses_inclusion=texts.design.inclusion is not None,
        uses_weights=texts.design.weights is not None,
    )


def _ks_gap(texts: _Texts) -> str:
    """Explain why the KS similarities have no interval; empty if they may have one."""
    m, human = texts.n_clusters, texts.masses
    if human is None or m < 2:
        return ""
    if m < FEWEST_FOR_KS:
        return f"no interval of KS similarities: it takes {FEWEST_FOR_KS} {texts.unit}s, and there are {m}"
    if np.ptp(human, axis=0).any():
        return ""
    return "no interval of KS similarities: all labels are equal, which does not show how others differ"


def _ks_similarities(texts: _Texts, *, has_interval: bool) -> tuple[Estimate | None, Estimate | None]:
    """KS similarity with the humans' masses, of the ratings and of a uniform PMF."""
    human = texts.masses
    if human is None:
        return None, None
    equal = np.full_like(texts.pmf, 1 / texts.pmf.shape[1])
    how = texts.resampling(texts.design)
    ks, null_ks = (ks_similarity_estimate(pmf, human, **how) for pmf in (texts.pmf, equal))
    if has_interval:
        return ks, null_ks
    return Estimate(ks.value, np.nan, np.nan), Estimate(null_ks.value, np.nan, np.nan)


def _ceiling(texts: _Texts) -> Estimate:
    """Reliability from 100 random splits, or fewer above 4,000 texts."""
    splits = max(_FEWEST_SPLITS, min(_MOST_SPLITS, _SPLIT_TEXTS // max(len(texts.table), 1)))
    return split_half_reliability(texts.table, splits=splits, **texts.resampling(texts.design))


def _null_baseline(texts: _Texts, lengths: Floats) -> Estimate:
    """Correlation of the human means with the texts' lengths."""
    known = np.asarray(~np.isnan(lengths))
    how = texts.resampling(texts.design.some(known))
    return pearson_estimate(lengths[known], texts.means[0][known], **how)


def _interval_notes(
    texts: _Texts, figures: Sequence[tuple[str, Estimate | None, tuple[Floats, ...]]]
) -> tuple[str, ...]:
    """Explain why there are no distributions, and which intervals are wide or missing.

    Args:
        texts: the compared texts.
        figures: names, estimates, and the columns of texts that must vary for them.
    """
    off_scale = off_the_scale(texts.table, texts.values) if texts.masses is None else ""
    m, unit, is_few = texts.n_clusters, texts.unit, texts.n_clusters < FEWEST_CLUSTERS
    if m < 2:
        return (off_scale, few_note(m, unit) if m else "")
    known = [
        (name, figure, columns)
        for name, figure, columns in figures
        if figure is not None and not np.isnan(figure.value)
    ]
    without = [(name, columns) for name, figure, columns in known if np.isnan(figure.low)]
    undefined = [name for name, columns in without if is_few and _rests_on_a_cluster(texts, columns)]
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


def _rests_on_a_cluster(texts: _Texts, columns: tuple[Floats, ...]) -> bool:
    """Check whether a column no longer varies without one of the clusters."""
    remaining = [texts.clusters != left_out for left_out in np.unique(texts.clusters)]
    return any(np.ptp(column[rows]) == 0 for column in columns for rows in remaining)


def _population(texts: _Texts) -> tuple[_Texts, str]:
    """Return the texts that corrected figures are about, and why texts without a rating are not among them.

    Labels on some of the unrated texts show what people would give to the others.
    """
    n_unrated = int((~texts.is_rated).sum())
    if not n_unrated or (~texts.is_rated & texts.is_labelled).any():
        return texts, ""
    have = "text that can be read has" if n_unrated == 1 else "texts that can be read have"
    note = f"{n_unrated:,} {have} no rating and no label: corrected figures are about rated texts"
    return texts.some(texts.is_rated), note


def correct_readable_mean(
    pmf: Floats,
    human: object,
    *,
    values: Floats,
    readable: Mask,
    inclusion: Floats | None = None,
    weights: Floats | None = None,
    interval: float = 0.95,
) -> CorrectedMean | None:
    """Correct the mean of all readable texts by the labels of some, as ``compare`` does, and nothing else.

    Args:
        pmf: shape (n, k), ratings; NaN without a rating.
        human: shape (n,): for each text a number, a list of numbers (one per rater), or missing.
        values: shape (k,), values of the scale's points.
        readable: shape (n,), mask of texts that people can rate.
        inclusion: shape (n,), probability with which each text was drawn for a label.
        weights: shape (n,), weights of the texts; equal by default.
        interval: nominal coverage, between 0 and 1.

    Returns:
        The corrected mean; ``None`` if all or no texts have labels, or these do not fit the scale.

    Examples:
        >>> pmf = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.2, 0.8]])
        >>> labels, everything = [1.0, 2.0, 2.0, None], np.ones(4, dtype=bool)
        >>> correct_readable_mean(pmf, labels, values=np.array([1.0, 2.0]), readable=everything).n_labelled
        3
    """
    table = human_table(human)
    labelled = np.asarray(~np.isnan(table).all(axis=1))
    texts = _Texts(
        rows=np.arange(len(table)),
        pmf=pmf,
        table=table,
        lengths=None,
        design=SampleDesign(
            weights=None if weights is None else in_unit(weights),
            inclusion=None if inclusion is None else validate_inclusion(inclusion, labelled),
        ),
        groups={},
        values=values,
        human_range=None,
        interval=interval,
        seed=0,
    )
    population, _ = _population(texts.some(np.flatnonzero(texts.is_rated | readable)))
    return _correct_mean(population)


def _correct_mean(texts: _Texts) -> CorrectedMean | None:
    """Correct the mean; ``None`` if all or no texts have labels, or these do not fit."""
    if not (texts.is_rated & texts.is_labelled).any():
        return None
    texts = texts.fill_ratings()
    return correct_mean(
        texts.pmf @ texts.values,
        texts.table,
        texts.values,
        design=texts.design,
        human_range=texts.human_range,
        interval=texts.interval,
    )


class _Correction(NamedTuple):
    """Figures of all texts that are corrected by labels, and whether these are enough."""

    mean: CorrectedMean
    figures: tuple[CorrectedFigure, ...]
    progress: LabelProgress


def _correct(texts: _Texts, r: Estimate) -> _Correction | None:
    """Correct the mean and all figures; ``None`` if all or no texts have labels, or these do not fit.

    Args:
        texts: all texts, labelled or not.
        r: correlation of ratings and labels.
    """
    mean, masses = _correct_mean(texts), human_pmfs(texts.table, texts.values, texts.human_range)
    if mean is None or masses is None:
        return None
    labels = np.where(texts.is_labelled[:, None], masses, np.nan)
    texts = texts.fill_ratings()
    scores, bounds = texts.pmf @ texts.values, (float(texts.values[0]), float(texts.values[-1]))
    overall, *others = _correct_figures(texts, labels, np.arange(len(labels)))
    overall = replace(overall, value=mean.value, low=mean.low, high=mean.high)
    width = ExpectedWidth.from_labels(
        scores,
        np.clip(labels @ texts.values, *bounds),  # rounding can leave the bounds
        bounds=bounds,
        design=texts.design,
        interval=texts.interval,
    )
    progress = progress_from(mean.n_labelled, r, width, bounds[1] - bounds[0])
    return _Correction(mean, (overall, *others, *_correct_groups(texts, labels)), progress)


def _correct_figures(texts: _Texts, labels: Floats, rows: Integers) -> list[CorrectedFigure]:
    """Correct the figures of some texts, the mean first.

    Args:
        texts: all texts, each with a rating.
        labels: shape (m, k), human ratings on the points; NaN where missing.
        rows: rows of the chosen texts.
    """
    labels, n = labels[rows], len(rows)
    n_labelled = int((~np.isnan(labels[:, 0])).sum())
    if n_labelled < FEWEST_IN_GROUP:
        return [CorrectedFigure("mean", n, n_labelled)]
    figures = scale_figures(texts.values)
    scores, labels = texts.pmf[rows] @ figures.matrix.T, labels @ figures.matrix.T
    design = texts.design.some(rows)
    corrected = []
    for column, (name, low, high) in enumerate(zip(figures.names, *figures.bounds, strict=True)):
        bounds = (float(low), float(high))
        label = np.clip(labels[:, column], *bounds)  # rounding can leave the bounds
        figure = estimate_corrected_mean(
            scores[:, column], label, bounds=bounds, design=design, interval=texts.interval
        )
        corrected.append(CorrectedFigure(name, n, n_labelled, figure.value, figure.low, figure.high))
    return corrected


def _correct_groups(texts: _Texts, labels: Floats) -> Iterator[CorrectedFigure]:
    """Correct the figures of the groups of each column, and test whether its means are equal."""
    tests = [_test_groups(texts, labels, column) for column in texts.groups.values()]
    adjusted = adjust_p_values(np.array([p_value for _, p_value in tests]), "holm").tolist()
    for (by, (names, codes)), (tested, p_value), holm in zip(
        texts.groups.items(), tests, adjusted, strict=True
    ):
        order = np.argsort(codes, kind="stable")
        parts = np.split(order, np.searchsorted(codes[order], np.arange(1, len(names))))
        for number, (group, rows) in enumerate(zip(names, parts, strict=True)):
            mean, *others = _correct_figures(texts, labels, rows)
            if number in tested:
                mean = replace(mean, p_value=p_value, adjusted=holm)
            yield from (replace(figure, by=by, group=group) for figure in (mean, *others))


def _test_groups(texts: _Texts, labels: Floats, groups: _Groups) -> tuple[set[int], float]:
    """Test whether the means of a column's groups are equal: the tested groups, and the p-value."""
    names, codes = groups
    n_labelled = np.bincount(codes[texts.is_labelled], minlength=len(names))
    if not 2 <= (n_labelled >= FEWEST_IN_GROUP).sum() <= _MOST_TESTED:
        return set(), np.nan
    low, high = float(texts.values[0]), float(texts.values[-1])
    test = corrected_group_test(
        texts.pmf @ texts.values,
        np.clip(labels @ texts.values, low, high),
        codes,
        bounds=(low, high),
        design=texts.design,
    )
    return set(test.tested), test.p_value


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
    mean = estimate_corrected_mean(means, labels, bounds=bounds, design=design, interval=interval)
    return mean if mean.n_labelled >= FEWEST_LABELS else replace(mean, value=np.nan, note=TOO_FEW)


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
    if isinstance(human, np.ndarray) and human.ndim == 2:
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
        "choose" + hint(" (`human_range`)")
    )


class _LabelledRow(NamedTuple):
    """A row with a human rating, with its positions in the file and among the stored ratings."""

    row: int
    position: int
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
        self._rows = RowSample[_LabelledRow](COMPARED_ROWS, seed)
        self._pmf: list[Floats] = []
        self._designs: list[SampleDesign] = []
        self._names: dict[str, dict[str | None, int]] = {}
        self._codes: dict[str, list[Integers]] = {}
        self._n = self._n_eligible = self._n_in_calibration = 0

    def add(
        self,
        first_row: int,
        ratings: RatedTexts,
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
            (first_row + row, _LabelledRow(first_row + row, int(positions[row]), human, lengths[row]))
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
        if not self._n_eligible and not self._n_in_calibration:
            needed = {
                " and whose respondent is known": columns.respondent,
                " and that has a weight above 0": columns.weight,
            }
            raise InputError(
                f"{self._source} has no rating for any text that was scored"
                f"{''.join(condition for condition, column in needed.items() if column)}; "
                "name another, or leave it out"
            )
        return _compare_texts(
            self._texts(columns.human_range, interval),
            n_eligible=self._n_eligible,
            n_in_calibration=self._n_in_calibration,
            signature=self._signature.plus(Signature.of("compare", eligible=self._n_eligible)),
        )

    def _texts(self, human_range: tuple[float, float] | None, interval: float) -> _Texts:
        """Join the parts; rows outside of the sample have no human rating."""
        labelled, design = self._rows.items, join_designs(self._designs)
        if design.weights is not None:
            design = replace(design, weights=in_unit(design.weights))
        humans = human_table([row.human for row in labelled])
        positions = np.array([row.position for row in labelled], dtype=np.int64)
        table = np.full((self._n, humans.shape[1]), np.nan)
        table[positions] = humans
        rows, lengths = np.full(self._n, -1), np.full(self._n, np.nan)
        rows[positions] = [row.row for row in labelled]
        lengths[positions] = [row.length for row in labelled]
        return _Texts(
            rows=rows,
            pmf=np.concatenate(self._pmf),
            table=table,
            lengths=lengths,
            design=design,
            groups={by: (tuple(self._names[by]), np.concatenate(codes)) for by, codes in self._codes.items()},
            values=self._values,
            human_range=human_range,
            interval=interval,
            seed=self._seed,
        )
