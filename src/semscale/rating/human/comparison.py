"""Agreement of ratings with human ratings: ranking, distribution, a ceiling and null baselines together."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.rating.human.comparison_notes import interval_notes, ks_gap, notes_of_seen
from semscale.rating.human.corrected_mean import corrected_mean
from semscale.rating.human.values import human_table, laid_on, off_the_scale
from semscale.results.respondents import NOBODY, numbered
from semscale.results.weights import as_weights, in_unit
from semscale.signature import Signature
from semscale.stats.agreement.correlations import ks_similarity_estimate, pearson_estimate, spearman_estimate
from semscale.stats.agreement.reliability import split_half_reliability
from semscale.stats.calibration.labels_hash import labels_hash
from semscale.stats.calibration.prediction_powered import FEWEST_LABELS, CorrectedMean
from semscale.stats.calibration.sample_design import SampleDesign, checked_inclusion
from semscale.stats.intervals.coefficients import Resampling, replicates_for
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.resampling import FEWEST_CLUSTERS
from semscale.store.columns import as_list
from semscale.types import Floats, Mask

_MOST_POINTS = 2000
_FEWEST_SPLITS, _MOST_SPLITS, _SPLIT_TEXTS = 20, 100, 400_000


@dataclass(frozen=True)
class RatingComparison:
    """How far ratings agree with human ratings of the same texts.

    Attributes:
        n: texts that were compared: they have a rating and a human rating, and a respondent where these are
            named.
        n_eligible: texts that could have been compared; more than ``n`` where a sample of them was drawn.
        pearson: correlation of the means.
        spearman: correlation of the means' ranks.
        ks_similarity: 1 - max |F_machine - F_human| over the points, 0 to 1, of the two average PMFs;
            ``None`` where human values could not be laid on the scale.
        human_pmf: shape (k,), the humans' average PMF on the scale's points; NaN likewise.
        machine_pmf: shape (k,), the ratings' average PMF over the same texts.
        ceiling: reliability of the human means (random halves of the raters, Spearman-Brown); ``None`` with a
            single human value per text.
        null_length: correlation of the texts' length with the human mean, which a useful rating must beat;
            ``None`` where no lengths were given.
        null_ks: KS similarity of equal shares on all points with the humans' PMF, which a useful rating must
            beat, as equal shares read nothing; ``None`` as ``ks_similarity``.
        points: shape (at most 2000, 2), human mean and machine mean of a seeded sample, for a scatter.
        interval: coverage that the intervals aim at.
        signature: the ratings', and how they were compared.
        n_clusters: texts, or respondents where they are named, that the intervals are made from.
        notes: sentences that a reader should know of: why there are no distributions, which figures have no
            interval and why, or that intervals come from few texts.
        corrected: mean of all rated texts, corrected by the labels of those that have one; ``None`` where all
            have one, as ``ks_similarity``, or where fewer than 3 labels are left without those that a
            calibration was fitted to.
        n_seen: labelled texts that were left out because a calibration was fitted to them.
        uses_inclusion: whether labelled texts count with 1 / the probability with which they were drawn.
        uses_weights: whether texts count with weights.
        sheet: name of the sheet that the human ratings were read from; ``None`` where there was none.
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
    n_seen: int = 0
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
    interval: float = 0.95,
    seed: int = 0,
    signature: Signature | None = None,
    seen: Mask | None = None,
) -> RatingComparison:
    """Compare ratings with human ratings of the same texts.

    Human values are mapped linearly from ``human_range`` onto the scale's values; a value between two points
    gives each of them a part of its mass, more to the nearer. Intervals are bootstrapped over texts, or
    over respondents where they are named.

    Args:
        pmf: shape (n, k); rows without a rating are NaN and set aside.
        human: shape (n,): for each text a number, a list of numbers (one per rater), or missing.
        values: shape (k,), values of the scale's points.
        lengths: shape (n,), lengths of the texts.
        human_range: lowest and highest value that humans could give; the scale's own unless given, and no
            distributions are compared if human values then lie outside, which ``notes`` then says.
        respondents: shape (n,), who wrote each text; one person's texts are resampled together, and texts
            without a name are left out.
        weights: shape (n,), finite and not negative, for every figure; texts without one, or with 0, are left
            out, as they are from the estimates.
        inclusion: shape (n,), probability with which each text was drawn for a human rating, above 0 to 1;
            needed where there is one. Texts then count with 1 / probability in every figure, which is that of
            all rated texts.
        interval: coverage that the intervals aim at, between 0 and 1.
        seed: seed of all draws.
        signature: of the ratings, which the comparison's settings are added to.
        seen: shape (n,), texts that a calibration was fitted to. Its ratings of them know their labels, so
            they are left out here and from the corrected mean, and ``notes`` says how many.

    Returns:
        The comparison; correlations are NaN where they are not defined, and ends of intervals where all
        resamples give the same value.

    Raises:
        InputError: lengths differ, a human value is not a number, lies outside ``human_range`` (rows
            named), a weight or a probability is none, or ``interval`` is out of range.

    Example:
        >>> pmf = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
        >>> compared = compare(pmf, [1.0, [1.0, 2.0], 2.0], values=np.array([1.0, 2.0]))
        >>> compared.n, round(compared.pearson.value, 6), compared.human_pmf.tolist()
        (3, 1.0, [0.5, 0.5])
    """
    whole = table = human_table(human)
    if len(table) != len(pmf):
        raise InputError(f"human must have {len(pmf)} rows, as many as there are ratings, got {len(table)}")
    human_masses = laid_on(table, values, human_range)
    new = np.ones(len(pmf), dtype=np.bool_) if seen is None else ~seen
    design, counted = _design(table, respondents, weights, inclusion)
    labelled = ~np.isnan(pmf).any(axis=1) & ~np.isnan(table).all(axis=1) & counted
    both = labelled & new
    compared = design.some(both)
    clusters, heavy = compared.clusters, compared.expanded
    how = Resampling(clusters=clusters, weights=heavy, interval=interval, seed=seed)
    table, machine, n = table[both], pmf[both], int(both.sum())
    n_clusters = n if clusters is None else len(np.unique(clusters))
    human_means, machine_means = np.nanmean(table, axis=1) if n else np.empty(0), machine @ values
    kept_masses = None if human_masses is None else human_masses[both]
    ks, null_ks = _distributions(machine, kept_masses, how)
    known = None if lengths is None else _as_column(lengths, len(pmf), "lengths")[both]
    r = pearson_estimate(human_means, machine_means, **how)
    rho = spearman_estimate(human_means, machine_means, **how)
    both_means = (human_means, machine_means)
    correlations = [("Pearson's r", r, both_means), ("Spearman's rho", rho, both_means)]
    distributions = [("KS similarity", ks, ()), ("KS similarity of equal shares", null_ks, ())]
    gap = ks_gap(kept_masses, how)
    figures = correlations if gap else [*correlations, *distributions]
    off_scale = off_the_scale(table, values) if human_masses is None else ""
    population = new & counted
    n_seen = int((labelled & ~new).sum())
    seen_notes = notes_of_seen(n_seen, n)
    return RatingComparison(
        n=n,
        n_eligible=n,
        pearson=r,
        spearman=rho,
        ks_similarity=ks,
        human_pmf=_average(kept_masses, len(values), heavy),
        machine_pmf=_average(machine, len(values), heavy),
        ceiling=_ceiling(table, how) if table.shape[1] > 1 else None,
        null_length=None if known is None else _null_baseline(known, human_means, how),
        null_ks=null_ks,
        points=_sampled(np.column_stack([human_means, machine_means]), seed),
        interval=interval,
        signature=_signed(signature, human_range, how, n_clusters, n, design).extended(
            Signature.of("compare", labels=labels_hash(np.flatnonzero(both), table, compared.inclusion))
        ),
        n_clusters=n_clusters,
        notes=(*seen_notes, *interval_notes(off_scale, figures, how), *([gap] if gap else [])),
        corrected=None
        if seen_notes and n < FEWEST_LABELS
        else corrected_mean(
            (pmf @ values)[population],
            whole[population],
            values,
            design=design.some(population),
            human_range=human_range,
            interval=interval,
        ),
        n_seen=n_seen,
        uses_inclusion=inclusion is not None,
        uses_weights=weights is not None,
    )


def _design(
    table: Floats, respondents: object, weights: object, inclusion: object
) -> tuple[SampleDesign, Mask]:
    """Take what stands beside the ratings, and tell which texts it counts."""
    n, has_label = len(table), np.asarray(~np.isnan(table).all(axis=1), dtype=np.bool_)
    heavy = None if weights is None else _as_column(in_unit(as_weights(weights)), n, "weights")
    drawn = None if inclusion is None else checked_inclusion(inclusion, has_label)
    people = None if respondents is None else numbered(respondents, n)
    counted = np.ones(n, dtype=np.bool_)
    if heavy is not None:
        counted &= heavy > 0
    if people is not None:
        counted &= people != NOBODY
    return SampleDesign(heavy, drawn, people), counted


def text_lengths(texts: object) -> Floats:
    """Lengths of texts in characters, shape (n,); NaN for what is no text.

    Example:
        >>> text_lengths(["good", None]).tolist()
        [4.0, nan]
    """
    cells = as_list(texts, "texts")
    return np.array([len(cell) if isinstance(cell, str) else np.nan for cell in cells], dtype=np.float64)


def _as_column(numbers: npt.ArrayLike, n: int, name: str) -> Floats:
    try:
        column = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be a list of numbers: {error}") from error
    if column.shape != (n,):
        raise InputError(f"{name} must have shape ({n},), one per rating, got {column.shape}")
    return column


def _distributions(
    machine: Floats, human: Floats | None, how: Resampling
) -> tuple[Estimate | None, Estimate | None]:
    """KS similarity with the humans' masses: that of the ratings, and that of equal shares on all points."""
    if human is None:
        return None, None
    equal = np.full_like(machine, 1 / machine.shape[1])
    found = (ks_similarity_estimate(pmf, human, **how) for pmf in (machine, equal))
    if ks_gap(human, how):
        found = (Estimate(estimate.value, np.nan, np.nan) for estimate in found)
    ks, null_ks = found
    return ks, null_ks


def _ceiling(table: Floats, how: Resampling) -> Estimate:
    """Reliability from 100 splits, or fewer above 4,000 texts, where one split more hardly moves it."""
    splits = max(_FEWEST_SPLITS, min(_MOST_SPLITS, _SPLIT_TEXTS // max(len(table), 1)))
    return split_half_reliability(table, splits=splits, **how)


def _null_baseline(lengths: Floats, human_means: Floats, how: Resampling) -> Estimate:
    known = ~np.isnan(lengths)
    together = None if how["clusters"] is None else how["clusters"][known]
    weights = None if how["weights"] is None else how["weights"][known]
    kept = Resampling(clusters=together, weights=weights, interval=how["interval"], seed=how["seed"])
    return pearson_estimate(lengths[known], human_means[known], **kept)


def _signed(
    base: Signature | None,
    human_range: tuple[float, float] | None,
    how: Resampling,
    n_clusters: int,
    n: int,
    design: SampleDesign,
) -> Signature:
    settings = Signature.of(
        "compare",
        human_range="scale" if human_range is None else "{:.12g} to {:.12g}".format(*human_range),
        interval=how["interval"],
        replicates=replicates_for(n) if n_clusters >= FEWEST_CLUSTERS else None,
        seed=how["seed"],
        clusters="texts" if how["clusters"] is None else "respondents",
        weights=design.weights is not None,
        texts=n,
    )
    if design.inclusion is not None:
        settings = settings.extended(Signature.of("compare", inclusion=True))
    return settings if base is None else base.extended(settings)


def _average(masses: Floats | None, k: int, weights: Floats | None) -> Floats:
    if masses is None or not len(masses):
        return np.full(k, np.nan)
    average: Floats = np.average(masses, axis=0, weights=weights)
    return average


def _sampled(points: Floats, seed: int) -> Floats:
    if len(points) <= _MOST_POINTS:
        return points
    chosen = np.random.default_rng(seed).choice(len(points), _MOST_POINTS, replace=False)
    return points[np.sort(chosen)]
