"""Comparison of a candidate with a baseline and its reruns: the loss of each pair of runs at each item."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from semscale.drift.alignment import (
    PAIRINGS,
    Aligner,
    TextNumbers,
    item_texts,
)
from semscale.drift.copied_runs import CopiedRun, repeats_of_candidate, without_copies
from semscale.drift.metrics import (
    TEXT_METRICS,
    AlignedItem,
    ItemTexts,
    Metric,
    field_metrics,
    mean_loss,
    span_of,
)
from semscale.drift.quality_scores import JudgedRuns, QualityScores, reference_scores, side_by_side_scores
from semscale.drift.runs import ItemMatching, check_rerun, match_runs, number_of, outputs_equal
from semscale.drift.scoring import PairScoring, ScoreCache, StoredScoring, TextReadings, scoring_files_hash
from semscale.drift.settings import Direction, read_directions
from semscale.embedding.cache import StateCache, StateReader
from semscale.errors import InputError, UnknownNameError
from semscale.guards.findings import Finding
from semscale.guards.registry import Guards, Mode
from semscale.history.items import digest_items
from semscale.history.runs import Run, list_names, short_hash, short_id
from semscale.history.stored_comparison import COMMON_ITEMS
from semscale.matching.bertscore import choose_layer, token_encoder
from semscale.matching.calibrated import LAYERS, CalibratedWeights, load_weights_for
from semscale.matching.matcher import guards_for
from semscale.matching.pairs import corpus_hash, with_identifier
from semscale.matching.token_scores import equal_weights
from semscale.matching.words import WordLayers
from semscale.messages import reject_unknown_settings
from semscale.signature import Signature
from semscale.stats.intervals import check_seed
from semscale.types import Floats, Integers, Mask, Progress, Status, Statuses
from semscale.weights.known import DEFAULT_MODEL, languages_read

if TYPE_CHECKING:
    from semscale.embedding import Embedder
    from semscale.embedding.token_states import TokenEncoder

FLOOR_ITEMS = 300
"""Greatest number of items for the estimate of a floor."""

EQUAL_OUTPUTS = "all outputs equal the baseline's: check that the right file was recorded"
"""Caution on a candidate with the baseline's outputs, unless the model always gives the same answer."""

_DECIMALS = 12  # with more, equal runs would differ by rounding
_REPORTED = 16  # items between two reports of progress


@dataclass(frozen=True)
class AlignedPair:
    """Two aligned outputs of an item, or an output without a partner.

    Attributes:
        item: index of the item.
        baseline: index among the baseline's outputs with a text; ``None`` if the candidate's output is extra.
        candidate: index among the candidate's outputs with a text; ``None`` if the candidate lacks one.
        scores: ``match``, ``bertscore_f1``, ``cosine``, ``recall`` and ``precision`` of the pair; empty
            without a partner.
        findings: findings of the guards; the candidate's text is the "prediction".
    """

    item: int
    baseline: int | None
    candidate: int | None
    scores: Mapping[str, float] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Losses of a candidate measured against the baseline and its reruns.

    Runs have indices: 0 is the candidate, 1 the baseline, and the reruns follow.

    Attributes:
        baseline: the approved run, with the n items that are compared.
        candidate: the run that is compared, with the same items in the baseline's order.
        reruns: further runs of the baseline's model, with the same items.
        metrics: the measured metrics by name.
        pair_losses: for each metric, shape (n, k, k), k runs: entry [item, i, j] is the loss of run j
            measured against run i; NaN without a value. The diagonal is ignored.
        status: shape (n,), ``scored``, or ``empty`` if neither baseline nor candidate has a text.
        pairs: aligned outputs of baseline and candidate, item by item.
        windows: shape (n,), greatest number of windows in which a text of the item was read; 0 without a
            text.
        settings: signature of the measurement.
        floors: mean loss of unrelated texts, the outputs of other items, for each metric; empty if not
            measured.
        matching: the items in common, and those of only one run.
        recorded: the candidate with all its items, as stored in a history; ``None`` if ``candidate`` has all
            items.
        quality: shape (k, n) for each metric of quality, scores of the runs; NaN without a score.
        judged: verdicts of a judge on candidate and baseline; ``None`` without a judge.
        copies: runs that repeat another one and are left out of the reruns.
        cautions: sentences that qualify the measurement.
    """

    baseline: Run
    candidate: Run
    reruns: tuple[Run, ...]
    metrics: Mapping[str, Metric]
    pair_losses: Mapping[str, Floats]
    status: Statuses
    pairs: tuple[AlignedPair, ...]
    windows: Integers
    settings: Signature
    floors: Mapping[str, float] = field(default_factory=dict)
    matching: ItemMatching = field(default_factory=ItemMatching)
    recorded: Run | None = None
    quality: Mapping[str, Floats] = field(default_factory=dict)
    judged: JudgedRuns | None = None
    copies: tuple[CopiedRun, ...] = ()
    cautions: tuple[str, ...] = ()

    @property
    def signature(self) -> Signature:
        """Signature of the measurement, the reruns, and the compared items if not all were compared."""
        further = {}
        if self.reruns:
            outputs = short_hash(sorted(digest_items(rerun.items) for rerun in self.reruns))
            further["reruns"] = f"{len(self.reruns)}#{outputs}"
        if self.matching.n_left_out:
            further[COMMON_ITEMS] = self.baseline.dataset_version
        return self.settings.plus(Signature.of("drift", **further))

    @property
    def runs(self) -> tuple[Run, ...]:
        """Candidate, baseline and reruns, in the order of the losses."""
        return (self.candidate, self.baseline, *self.reruns)

    @property
    def positions(self) -> Integers:
        """Indices of the compared items among all items of the baseline, shape (n,)."""
        return np.array(self.matching.positions or range(len(self.baseline.items)), dtype=np.int64)

    @property
    def n_left_out(self) -> int:
        """Number of items without a value because neither run has a text."""
        return sum(status is not Status.SCORED for status in self.status)

    @property
    def n_windowed(self) -> int:
        """Number of items with a text that was read in windows, as it exceeds the model's input length."""
        return int((self.windows > 1).sum())

    @cached_property
    def outputs_digest(self) -> str:
        """Hash of the candidate's items and outputs, as stored in a history."""
        return digest_items((self.recorded or self.candidate).items)

    def members(self, kind: str) -> dict[str, Mask]:
        """Return the items of each group of a kind, shape (n,), by name in sorted order."""
        names = np.array([item.groups.get(kind) for item in self.baseline.items], dtype=object)
        return {name: names == name for name in sorted({name for name in names if name is not None})}

    def losses(self, metric: str) -> Floats:
        """Return the candidate's loss against the baseline at each item, shape (n,); NaN without one."""
        return np.asarray(self.pair_losses[metric][:, 1, 0])

    def mean_losses(self, metric: str) -> Floats:
        """Return the candidate's mean loss against baseline and reruns at each item, shape (n,).

        NaN if the candidate has no loss at an item.
        """
        losses, unknown = self._fill_losses(metric)
        return np.where(unknown, np.nan, run_losses(losses)[:, 0])

    def noise_losses(self, metric: str) -> Floats:
        """Return the mean loss between baseline and reruns at each item, shape (n,); 0 without a rerun."""
        losses, unknown = self._fill_losses(metric)
        noise = run_losses(losses[:, 1:, 1:]).mean(axis=1) if self.reruns else np.zeros(len(losses))
        return np.where(unknown, np.nan, noise)

    def drifts(self, metric: str) -> Floats:
        """Return the drift of each item, shape (n,); see ``run_drifts``."""
        return np.asarray(self.drifts_by_run(metric)[:, 0])

    def drifts_by_run(self, metric: str) -> Floats:
        """Return the drift of each item with each run in the role of the candidate.

        Returns:
            Shape (n, k): candidate, baseline, reruns. NaN for an item at which the candidate has no loss.
        """
        losses, unknown = self._fill_losses(metric)
        drifts = run_drifts(losses, self.metrics[metric].power)
        return np.where(unknown[:, None], np.nan, np.round(drifts, _DECIMALS))

    def noise(self, metric: str, power: int = 1) -> float | None:
        """Return the mean of loss^power over items and pairs of baseline and reruns.

        ``None`` without a rerun.
        """
        if not self.reruns:
            return None
        losses, unknown = self._fill_losses(metric)
        scores = run_losses(losses[:, 1:, 1:] ** power).mean(axis=1)
        return mean_loss(np.where(unknown, np.nan, scores))

    def _fill_losses(self, metric: str) -> tuple[Floats, Mask]:
        """Return the losses of all pairs of runs with 0 for NaN, and a mask of items without any loss."""
        losses = self.pair_losses[metric]
        unknown = ~np.isfinite(losses[:, 1:, 0]).any(axis=1)
        if self.metrics[metric].may_be_unknown:
            off_diagonal = ~np.eye(losses.shape[1], dtype=bool)
            unknown = np.isnan(losses[:, off_diagonal]).any(axis=1)
        return np.nan_to_num(losses, nan=0.0), np.asarray(unknown)

    def with_quality(self, quality: QualityScores) -> Self:
        """Add a metric of quality; the loss of a run is the other run's score minus its score."""
        metric, scores = quality.metric, quality.scores
        losses = scores.T[:, :, None] - scores.T[:, None, :]
        fields = {f"{metric.name}_{name}": value for name, value in quality.settings.items()}
        return replace(
            self,
            metrics={**self.metrics, metric.name: metric},
            pair_losses={**self.pair_losses, metric.name: losses},
            quality={**self.quality, metric.name: scores},
            settings=self.settings.plus(Signature.of("quality", **fields)),
            cautions=(*self.cautions, *quality.cautions),
        )

    def with_judge(self, judged: JudgedRuns) -> Self:
        """Add the verdicts of a judge on candidate and baseline as the metric ``side_by_side``."""
        scores = side_by_side_scores(self.baseline, self.candidate, judged)
        return replace(self.with_quality(scores), judged=judged)


def run_losses(losses: Floats) -> Floats:
    """Return each run's mean loss, measured against each of the other runs.

    Args:
        losses: shape (n, k, k), k >= 1: entry [item, i, j] is the loss of run j measured against run i; the
            diagonal is ignored.

    Returns:
        Shape (n, k); 0 for a single run.

    Examples:
        >>> run_losses(np.array([[[0.0, 0.5, 0.7], [0.5, 0.0, 0.2], [0.7, 0.2, 0.0]]])).round(3).tolist()
        [[0.6, 0.35, 0.45]]
    """
    k = losses.shape[1]
    return np.asarray(np.where(np.eye(k, dtype=bool), 0.0, losses).sum(axis=1) / max(k - 1, 1))


def run_drifts(losses: Floats, power: int = 1) -> Floats:
    """Return the drift of each item with each run in the role of the candidate.

    A run's drift is its mean loss^power against the other runs, minus the mean loss^power among these:

        mean of loss(i, run)^power over i  -  mean of loss(i, j)^power over i, j,    i, j and run differ

    Both means estimate the same quantity from any number of runs, as the power is applied to the loss of each
    pair. So the expected drift, and the meaning of a margin, do not depend on the number of reruns. With two
    runs nothing can be subtracted, and the drift is loss^power: its greatest possible value.

    Power 2 gives an entirely different item more weight than several slightly different items, as a different
    wording always causes small losses. If all runs are from one model, each of them is equally likely to have
    any of an item's drifts.

    Args:
        losses: shape (n, k, k), k >= 2, as for ``run_losses``.
        power: 1 or 2; 1 for losses that can be negative.

    Returns:
        Shape (n, k).

    Examples:
        >>> losses = np.array([[[0.0, 0.5, 0.7], [0.5, 0.0, 0.2], [0.7, 0.2, 0.0]]])
        >>> run_drifts(losses).round(3).tolist()  # (.5 + .7) / 2 - .2 for the first run
        [[0.4, -0.35, -0.05]]
        >>> run_drifts(losses, power=2).round(3).tolist()  # (.25 + .49) / 2 - .04 for the first run
        [[0.33, -0.345, 0.015]]

    References:
        Hoeffding (1948), Annals of Mathematical Statistics 19(3), 293-325, doi 10.1214/aoms/1177730196: means
        over all pairs (U-statistics) are unbiased for any sample size.
    """
    k = losses.shape[1]
    scores = np.where(np.eye(k, dtype=bool), 0.0, losses) ** power
    of_run = scores.sum(axis=1)
    among_others = scores.sum(axis=(1, 2))[:, None] - of_run - scores.sum(axis=2)
    noise = among_others / ((k - 1) * (k - 2)) if k > 2 else np.zeros_like(of_run)
    return np.asarray(of_run / (k - 1) - noise)


def compare(
    baseline: Run,
    candidate: Run,
    *,
    reruns: Sequence[Run] = (),
    deterministic: bool = False,
    meter: "DriftMeter | None" = None,
    floors: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """Compare a candidate with the baseline and its reruns, and these with each other, on common items.

    If items have references, the metric ``reference_match`` measures whether runs are better or worse.

    Args:
        baseline: the approved run.
        candidate: a run of the same items; it can lack some and have others (see ``match_runs``).
        reruns: further runs of the baseline's model and prompt. One that repeats another run is left out, and
            named in a caution (see ``without_copies``).
        deterministic: true if the baseline's model always gives the same answer, so that equal reruns count.
        meter: measures the losses; ``DriftMeter()`` by default.
        floors: true to measure also the losses of unrelated outputs.
        progress: called while items are compared.

    Raises:
        InputError: a run cannot be compared with the baseline (see ``match_runs`` and ``check_rerun``), or
            the candidate is one of the reruns.

    Examples:
        >>> from semscale.history.items import Item, Output
        >>> def run(model, *texts):
        ...     return Run("greetings", model, (Item("1", tuple(Output(text) for text in texts)),))
        >>> comparison = compare(run("old", "Good morning.", "Bye."), run("new", "Bye.", "Good morning."))
        >>> comparison.losses("match").tolist(), comparison.losses("output_count").tolist()
        ([0.0], [0.0])
    """
    meter = meter or DriftMeter()
    if candidate.id in {rerun.id for rerun in reruns}:
        raise InputError(
            "reruns", f"must not include the candidate, {short_id(candidate.id)}: leave it out of them"
        )
    before, after, matching = match_runs(baseline, candidate)
    matched = (match_runs(before, check_rerun(baseline, rerun)) for rerun in reruns)
    again, copies, cautions = _independent_reruns(
        before, after, [rerun for _, rerun, _ in matched], deterministic=deterministic
    )
    measured = meter.measure(before, after, again, whole=baseline, floors=floors, progress=progress)
    comparison = replace(measured, matching=matching, recorded=candidate, copies=copies, cautions=cautions)
    if deterministic and again:
        settings = comparison.settings.plus(Signature.of("drift", deterministic=True))
        comparison = replace(comparison, settings=settings)
    scores = reference_scores(
        comparison.runs, meter.encoder, guards=meter.guards, seed=meter.seed, progress=progress
    )
    return comparison if scores is None else comparison.with_quality(scores)


def _independent_reruns(
    baseline: Run, candidate: Run, reruns: Sequence[Run], *, deterministic: bool
) -> tuple[tuple[Run, ...], tuple[CopiedRun, ...], tuple[str, ...]]:
    """Leave out reruns that repeat another run or the candidate.

    Returns:
        The other reruns; the runs that repeat another one; and cautions on these, and on a candidate that
        repeats the baseline.
    """
    independent, copies = without_copies(baseline, reruns, deterministic=deterministic)
    may_repeat = deterministic and not without_copies(baseline, independent)[0]
    of_candidate = repeats_of_candidate(candidate, baseline, independent)
    cautions = []
    if outputs_equal(baseline, candidate) and not may_repeat:
        cautions.append(EQUAL_OUTPUTS)
    elif of_baseline := [copy for copy in of_candidate if copy.run == baseline.id]:
        n_equal, n = of_baseline[0].n_equal, of_baseline[0].n
        cautions.append(
            f"{n_equal} of {n} items repeat the baseline's outputs, far more than its reruns do: check that "
            "the right file was recorded"
        )
    copies += [copy for copy in of_candidate if copy.run != baseline.id]
    left_out = {copy.run for copy in copies}
    return (
        tuple(rerun for rerun in independent if rerun.id not in left_out),
        tuple(copies),
        (*cautions, *(copy.sentence for copy in copies)),
    )


@dataclass(frozen=True)
class IndexedRuns:
    """Runs with numbered texts.

    Attributes:
        runs: each run's texts for each item.
        fields: names of the baseline's f numeric fields.
        spans: shape (f,), greatest counted difference of each field.
        metrics: the metrics of texts, then those of fields.
        texts: distinct texts of all runs by number: first those of the baseline, then those of its reruns.
        n_baseline: number of the baseline's texts.
        n_stored: number of texts of the baseline and its reruns, which every comparison needs.
    """

    runs: Sequence[Sequence[ItemTexts]]
    fields: tuple[str, ...]
    spans: Floats
    metrics: Mapping[str, Metric]
    texts: Sequence[str]
    n_baseline: int
    n_stored: int

    @property
    def spans_name(self) -> str | None:
        """Number and hash of fields and spans for the signature; ``None`` without fields."""
        spans = dict(zip(self.fields, self.spans.tolist(), strict=True))
        return f"{len(spans)}#{short_hash(sorted(spans.items()))}" if spans else None


def baseline_metrics(
    baseline: Run, directions: Mapping[str, Direction] | None = None
) -> tuple[dict[str, Metric], tuple[str, ...], Floats]:
    """Return the metrics for a baseline, its numeric fields, and their ranges.

    Args:
        baseline: the approved run.
        directions: better direction by field; by default from ``usual_direction``.
    """
    numbers = {name: _numbers(baseline, name) for name in baseline.fields}
    fields = tuple(name for name, values in numbers.items() if values)
    spans = np.array([span_of(numbers[name]) for name in fields], np.float64)
    known = directions or {}
    numeric = [
        metric
        for position, (name, span) in enumerate(zip(fields, spans.tolist(), strict=True))
        for metric in field_metrics(name, span, position, known.get(name))
    ]
    return {**TEXT_METRICS, **{metric.name: metric for metric in numeric}}, fields, spans


def _numbers(run: Run, field: str) -> list[float]:
    values = (number_of(output, field) for item in run.items for output in item.outputs)
    return [value for value in values if not np.isnan(value)]


@dataclass(frozen=True)
class RunPool:
    """Runs with the losses of many pairs, from which comparisons are drawn.

    Attributes:
        runs: k runs of the same n items; the first is the baseline, from which word weights are estimated.
        metrics: the measured metrics by name.
        losses: for each metric, shape (n, k, k), as in ``Comparison.pair_losses``; NaN for a pair that was
            not measured.
        settings: signature of the measurement.
    """

    runs: Sequence[Run]
    metrics: Mapping[str, Metric]
    losses: Mapping[str, Floats]
    settings: Signature

    def comparison(self, items: Integers, roles: Sequence[Integers]) -> Comparison:
        """Return a comparison of selected items.

        Args:
            items: shape (m,), indices of items.
            roles: indices of the runs in each role, each of shape (m,): candidate, baseline, then each rerun.
                A run with two roles has no loss between them.
        """
        numbers = np.array(roles).T
        same = numbers[:, :, None] == numbers[:, None, :]
        rows = items[:, None, None], numbers[:, :, None], numbers[:, None, :]
        losses = {name: np.where(same, 0.0, values[rows]) for name, values in self.losses.items()}
        candidate, baseline, *reruns = (
            replace(
                self.runs[0],
                items=tuple(
                    self.runs[run].items[item] for run, item in zip(role, items.tolist(), strict=True)
                ),
            )
            for role in (np.asarray(role).tolist() for role in roles)
        )
        both = zip(baseline.items, candidate.items, strict=True)
        status = [
            Status.SCORED if before.outputs_with_text or after.outputs_with_text else Status.EMPTY
            for before, after in both
        ]
        return Comparison(
            baseline,
            candidate,
            tuple(reruns),
            self.metrics,
            losses,
            np.array(status, object),
            (),
            np.ones(len(items), np.int64),
            self.settings,
        )


class DriftMeter:
    """Measures runs against a baseline; each distinct text is read once.

    An item's outputs are aligned to maximise the sum of the cosines of their vectors; all metrics use these
    pairs. Word weights and floors of the calibrated match are estimated from the baseline's outputs, so that
    all runs are scored equally against one baseline.

    Args:
        embedder: a known model, a folder, ``organisation/model`` on the Hugging Face hub, an embedder with
            token states (engines ``openvino`` and ``torch``), or an encoder from ``load_token_encoder``.
        precision: ``exact`` (float32) or ``fast`` (bfloat16 if the processor supports it), for a named model.
        seed: seed of the draw of unrelated texts for the floors.
        pairing: ``assignment``, or ``position``, like Athena.
        layer: layer for BERTScore; optional if it is published or calibrated for the model.
        guards: ``off``, ``warn`` or ``weigh`` by name of the guard; by default ``weigh``.
        fields: better direction by numeric field, ``lower``, ``higher`` or ``either``; by default from
            ``usual_direction``.
        cache: true, or a folder, to store the token states of the baseline and its reruns, and the scores of
            their pairs, for the next comparison; results do not depend on it.

    Raises:
        InputError: a setting is invalid.
        UnknownNameError: ``pairing`` is not one of ``PAIRINGS``.

    References:
        Zhang et al. 2020, BERTScore: Evaluating Text Generation with BERT, arXiv 1904.09675.
    """

    @reject_unknown_settings
    def __init__(
        self,
        embedder: "str | Path | Embedder | TokenEncoder" = DEFAULT_MODEL,
        *,
        precision: str = "exact",
        seed: int = 0,
        pairing: str = "assignment",
        layer: int | None = None,
        guards: "Mapping[str, str] | None" = None,
        fields: "Mapping[str, Direction] | None" = None,
        cache: bool | Path = True,
    ) -> None:
        if pairing not in PAIRINGS:
            raise UnknownNameError("pairing", f"must be one of {', '.join(PAIRINGS)}, got {pairing!r}")
        check_seed(seed)
        self.seed = seed
        self.pairing = pairing
        self.fields = read_directions(fields or {})
        self.guards: Guards = guards_for("calibrated", guards)
        self._embedder, self._precision, self._layer = embedder, precision, layer
        folder = None if cache is True or cache is False else cache
        self._cache = None if cache is False else StateCache(folder)
        self._scores = None if cache is False else ScoreCache(folder)

    @cached_property
    def encoder(self) -> "TokenEncoder":
        """The model, loaded on first use."""
        return token_encoder(self._embedder, self._precision, None)

    def anew(self) -> Self:
        """Return a meter with the same model and settings, without fields and cache."""
        self.encoder  # noqa: B018 - loaded once, for both
        fresh = copy(self)
        vars(fresh).pop("_words", None)
        fresh.fields, fresh._cache, fresh._scores = {}, None, None
        return fresh

    @cached_property
    def layer(self) -> int:
        """Layer with the states that BERTScore compares."""
        return choose_layer(self._layer, self.encoder, None)

    @cached_property
    def _calibration(self) -> CalibratedWeights:
        return load_weights_for(self.encoder.signature)

    @cached_property
    def _words(self) -> WordLayers:
        read = StateReader(self.encoder, self.encoder.layers, self._cache).read
        return WordLayers(self.encoder, self._calibration.subject_weights, read=read)

    def measure(
        self,
        baseline: Run,
        candidate: Run,
        reruns: Sequence[Run] = (),
        *,
        whole: Run | None = None,
        floors: bool = False,
        progress: Progress | None = None,
    ) -> Comparison:
        """Measure a candidate against a baseline and its reruns.

        Args:
            baseline: a run of n items.
            candidate: a run of the same items in the same order.
            reruns: runs of the baseline's model, likewise.
            whole: the baseline with all its items, for estimates of word weights, floors and ranges of
                fields, if ``baseline`` has only some of the items.
            floors: true to measure also the losses of unrelated outputs.
            progress: called while items are compared.

        Raises:
            InputError: a run has other items, or the items in another order.
            ModelError: the model's files cannot be pulled or run.
        """
        for other in (candidate, *reruns):
            _check_items(baseline, other)
        indexed = self._index_runs(baseline, candidate, reruns, whole)
        order = [(1, later) for later in (*range(2, len(indexed.runs)), 0)]
        order += combinations([*range(2, len(indexed.runs)), 0], 2)
        aligned, read, signature = self._score_pairs(indexed, order)
        losses, pairs = _collect_losses(indexed, order, aligned, progress)
        status, windows = self._item_statuses(indexed, read)
        return Comparison(
            baseline,
            candidate,
            tuple(reruns),
            metrics=indexed.metrics,
            pair_losses=losses,
            status=status,
            pairs=pairs,
            windows=windows,
            settings=signature,
            floors=self.floors(baseline, progress=progress) if floors else {},
        )

    def measure_pool(
        self,
        runs: Sequence[Run],
        order: Sequence[tuple[int, int]],
        *,
        n_reruns: int = 0,
        progress: Progress | None = None,
    ) -> RunPool:
        """Measure chosen pairs of many runs of the same items.

        Args:
            runs: the baseline, its reruns, then other runs.
            order: indices of the runs of each pair: the reference, then the measured run.
            n_reruns: number of reruns; their scores are stored with the baseline's.
            progress: called while items are compared.
        """
        for other in runs[1:]:
            _check_items(runs[0], other)
        metrics, fields, spans = baseline_metrics(runs[0], self.fields)
        numbers, counts, texts = TextNumbers(), [], []
        for run in runs:
            texts.append(item_texts(run.items, fields, numbers, sort=self.pairing == "assignment"))
            counts.append(len(numbers))
        indexed = IndexedRuns(texts, fields, spans, metrics, numbers.texts, counts[0], counts[n_reruns])
        aligned, _, signature = self._score_pairs(indexed, order)
        losses, _ = _collect_losses(indexed, order, aligned, progress)
        return RunPool(runs, metrics, losses, signature)

    def floors(self, baseline: Run, *, progress: Progress | None = None) -> dict[str, float]:
        """Measure the losses of unrelated outputs, from other items of the baseline.

        Args:
            baseline: the run; outputs are exchanged between at most ``FLOOR_ITEMS`` of its items.
            progress: called while items are compared.

        Returns:
            Mean loss by metric; NaN if fewer than two items have a text.
        """
        metrics, _, _ = baseline_metrics(baseline, self.fields)
        speaking = [index for index, item in enumerate(baseline.items) if item.outputs_with_text]
        if len(speaking) < 2:
            return dict.fromkeys(metrics, math.nan)
        ring = np.random.default_rng(self.seed).permutation(speaking)[:FLOOR_ITEMS]
        items = [baseline.items[index] for index in ring]
        exchanged = [
            replace(item, outputs=baseline.items[index].outputs)
            for item, index in zip(items, np.roll(ring, 1), strict=True)
        ]
        ordered, other = (replace(baseline, items=tuple(some)) for some in (items, exchanged))
        found = self.measure(ordered, other, whole=baseline, progress=progress)
        return {name: mean_loss(found.losses(name)) for name in metrics}

    def _index_runs(
        self, baseline: Run, candidate: Run, reruns: Sequence[Run], whole: Run | None
    ) -> IndexedRuns:
        whole = whole or baseline
        metrics, fields, spans = baseline_metrics(whole, self.fields)
        numbers, sort = TextNumbers(), self.pairing == "assignment"
        texts = item_texts(whole.items, fields, numbers, sort=sort)
        of_items = dict(zip((item.id for item in whole.items), texts, strict=True))
        own, n_baseline = [of_items[item.id] for item in baseline.items], len(numbers)
        again = [item_texts(rerun.items, fields, numbers, sort=sort) for rerun in reruns]
        n_stored = len(numbers)
        runs = [item_texts(candidate.items, fields, numbers, sort=sort), own, *again]
        return IndexedRuns(runs, fields, spans, metrics, numbers.texts, n_baseline, n_stored)

    def align(
        self, indexed: IndexedRuns, order: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, int, AlignedItem]]:
        """Align and score the outputs of pairs of runs, item by item.

        Args:
            indexed: the runs; the baseline's texts come first.
            order: indices of the runs of each pair: the reference, then the measured run.

        Yields:
            Number of the item, number of the pair of runs, and the aligned outputs.
        """
        return self._score_pairs(indexed, order)[0]

    def _score_pairs(
        self, indexed: IndexedRuns, order: Sequence[tuple[int, int]]
    ) -> tuple[Iterator[tuple[int, int, AlignedItem]], TextReadings, Signature]:
        layers = sorted({self.layer, self.encoder.layers})
        read = TextReadings(self.encoder, layers, indexed.texts, cache=self._cache, keep=indexed.n_stored)
        scoring = PairScoring(
            read,
            self._words,
            token_weights=equal_weights(self.encoder.reader),
            guards=self.guards,
            calibration=self._calibration,
            languages=languages_read(self.encoder.signature),
        )
        scoring.learn(np.arange(indexed.n_baseline), self.seed)
        signature = self._signature(indexed, scoring.floors)
        stored = self._scoring_store(scoring, indexed, signature)
        aligner = Aligner(
            read,
            stored or scoring,
            spans=indexed.spans,
            pairing=self.pairing,
            pooling=self.encoder.pooling,
        )

        def align_pairs() -> Iterator[tuple[int, int, AlignedItem]]:
            yield from aligner.align([(indexed.runs[first], indexed.runs[second]) for first, second in order])
            if stored:
                stored.flush()

        return align_pairs(), read, signature

    def _item_statuses(self, indexed: IndexedRuns, read: TextReadings) -> tuple[Statuses, Integers]:
        """Return the status of each item, and the greatest number of windows of its texts."""
        windows = self.encoder.windows(read.spelled.tokens)
        both = list(zip(indexed.runs[0], indexed.runs[1], strict=True))
        status = [Status.SCORED if any(texts) else Status.EMPTY for texts in both]
        most = [
            windows[np.array([*left.texts, *right.texts], np.int64)].max(initial=0) for left, right in both
        ]
        return np.array(status, object), np.array(most, np.int64)

    def _scoring_store(
        self, scoring: PairScoring, indexed: IndexedRuns, signature: Signature
    ) -> StoredScoring | None:
        if self._scores is None:
            return None
        made_by = f"{signature}|{scoring_files_hash()}"
        return StoredScoring(scoring, self._scores, indexed.texts, keep=indexed.n_stored, signature=made_by)

    @property
    def signature(self) -> Signature:
        """Signature of the settings; a result's signature also has the baseline's estimates and fields."""
        return self._build_signature("baseline", "estimated", "baseline", self.fields)

    def _signature(self, indexed: IndexedRuns, floors: Mapping[str, float]) -> Signature:
        shown = "/".join(f"{floors[name]:.3f}" for name in LAYERS)
        better = self.fields | {
            metric.unit: metric.direction for metric in indexed.metrics.values() if metric.unit
        }
        corpus = corpus_hash(indexed.texts[: indexed.n_baseline])
        return self._build_signature(corpus, shown, indexed.spans_name, better)

    def _build_signature(
        self, corpus: str, floors: str, spans: str | None, better: Mapping[str, Direction]
    ) -> Signature:
        looking = [f"{name}={mode}" for name, mode in self.guards.modes.items() if mode is not Mode.OFF]
        settings = Signature.of(
            "drift",
            pairing="position" if self.pairing == "position" else "assignment/cosine",
            match=f"calibrated/{self._calibration.label}",
            guards="+".join(looking) or None,
            corpus=corpus,
            floors=floors,
            seed=self.seed,
            layer=self.layer,
            pooling=self.encoder.pooling,
            spans=spans,
            states="int16",
        )
        ways = [f"{name}={way}" for name, way in sorted(better.items()) if way != "either"]
        if ways:
            settings = settings.plus(Signature.of("fields", better=short_hash(ways)))
        signed = settings.plus(self.encoder.signature)
        decide = looking or len(languages_read(signed)) > 1
        return with_identifier(signed) if decide else signed


def _check_items(baseline: Run, other: Run) -> None:
    left, right = ([item.id for item in run.items] for run in (baseline, other))
    if left != right:
        apart = sorted(set(left) ^ set(right))
        detail = f"{list_names(apart)} in one of them only" if apart else "another order"
        raise InputError("runs", f"must have the baseline's items in its order, got {detail}")


def _collect_losses(
    indexed: IndexedRuns,
    order: Sequence[tuple[int, int]],
    aligned: Iterable[tuple[int, int, AlignedItem]],
    progress: Progress | None,
) -> tuple[dict[str, Floats], tuple[AlignedPair, ...]]:
    """Return the losses of all pairs of runs, and the aligned pairs of baseline and candidate."""
    n, k = len(indexed.runs[0]), len(indexed.runs)
    losses = {name: np.full((n, k, k), np.nan) for name in indexed.metrics}
    pairs: list[list[AlignedPair]] = [[] for _ in range(n)]
    total = n * len(order)
    for done, (item, number, outputs) in enumerate(aligned, 1):
        first, second = order[number]
        for name, metric in indexed.metrics.items():
            losses[name][item, first, second], losses[name][item, second, first] = metric.losses(outputs)
        if (first, second) == (1, 0):
            pairs[item] = list(_pairs_of(item, outputs))
        if progress and (done % _REPORTED == 0 or done == total):
            progress("comparing items", done, total)
    return losses, tuple(pair for of_item in pairs for pair in of_item)


def _pairs_of(item: int, outputs: AlignedItem) -> Iterator[AlignedPair]:
    """Return aligned outputs, then outputs that the candidate lacks, then its extra outputs."""
    left, right = outputs.baseline.positions, outputs.candidate.positions
    for (row, column), scored in zip(outputs.pairs.tolist(), outputs.scores, strict=True):
        yield AlignedPair(item, left[row], right[column], scored.scores, scored.findings)
    aligned = outputs.pairs.tolist()
    for row in sorted(set(range(len(left))) - {first for first, _ in aligned}):
        yield AlignedPair(item, left[row], None)
    for column in sorted(set(range(len(right))) - {second for _, second in aligned}):
        yield AlignedPair(item, None, right[column])
