"""The comparison of a candidate with the baseline: its losses, its drifts, and the noise of reruns."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from semscale.drift.measure.measured import MeasuredRun
from semscale.drift.measure.metrics import Metric
from semscale.drift.measure.roles import drifts_of_losses, drifts_of_pairs, reference_variance
from semscale.drift.metrics import mean_loss
from semscale.drift.quality.judged_runs import JudgedRuns
from semscale.drift.runs import ItemMatching
from semscale.history.items import Item, digest_items
from semscale.history.runs import Run
from semscale.history.stored_comparison import COMMON_ITEMS
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask

_DECIMALS = 12  # beyond them runs that are alike would differ by rounding


@dataclass(frozen=True)
class QualityScores:
    """Scores of candidate and baseline themselves, more is better.

    Attributes:
        candidate: shape (n,), 0 to 1; NaN without a score.
        baseline: shape (n,), likewise.
    """

    candidate: Floats
    baseline: Floats


@dataclass(frozen=True)
class Comparison:
    """A candidate measured against the baseline, with reruns of the baseline.

    Attributes:
        baseline: the approved run, with the items that are compared.
        candidate: the run that is compared, with the same items in the baseline's order.
        measured: losses of the candidate against the baseline.
        reruns: losses of each rerun of the baseline's model against the baseline.
        floors: for each metric the mean loss of another item's outputs, that is, of unrelated texts; empty if
            not measured.
        between: for each rerun, losses against it of every later rerun, then of the candidate; empty where
            runs were compared with the baseline alone.
        matching: which of the baseline's items are compared.
        recorded: the candidate with all its items, as a history has it; ``None`` if ``candidate`` is it.
        rerun_items: what each rerun gave for the items, in the baseline's order, for the hard limits; empty
            where that is not known.
        reruns_name: number and hash of the reruns for the signature; ``None`` without one.
        quality: what references and a judge say of the runs themselves, by metric.
        judged: a judge's verdicts on candidate and baseline; ``None`` where none was asked.
        cautions: what weakens the measurement, such as a judge who could not be asked.
    """

    baseline: Run
    candidate: Run
    measured: MeasuredRun
    reruns: tuple[MeasuredRun, ...] = ()
    floors: Mapping[str, float] = field(default_factory=dict)
    between: tuple[tuple[MeasuredRun, ...], ...] = ()
    matching: ItemMatching = field(default_factory=ItemMatching)
    recorded: Run | None = None
    rerun_items: tuple[tuple[Item, ...], ...] = ()
    reruns_name: str | None = None
    quality: Mapping[str, QualityScores] = field(default_factory=dict)
    judged: JudgedRuns | None = None
    cautions: tuple[str, ...] = ()

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The measured metrics by name."""
        return self.measured.metrics

    @property
    def signature(self) -> Signature:
        """The settings of the measurement, the reruns, and the items that were compared if not all were."""
        further = {}
        if self.reruns_name is not None:
            further["reruns"] = self.reruns_name
        if self.matching.n_left_out:
            further[COMMON_ITEMS] = self.baseline.dataset_version
        return self.measured.signature.extended(Signature.of("drift", **further))

    @property
    def places(self) -> Integers:
        """Where the items that are compared stand among all the baseline's, shape (n,)."""
        return np.array(self.matching.positions or range(len(self.baseline.items)), dtype=np.int64)

    @cached_property
    def outputs_digest(self) -> str:
        """Hash of the candidate's items and outputs, as a history has it."""
        return digest_items((self.recorded or self.candidate).items)

    def losses(self, metric: str) -> Floats:
        """Return the candidate's loss against the baseline for each item, shape (n,); NaN without one."""
        return self.measured.losses[metric]

    def mean_losses(self, metric: str) -> Floats:
        """Return the candidate's mean loss against the baseline and its reruns for each item, shape (n,).

        Two runs without any output for an item agree, so that their pair counts 0. NaN for an item for which
        no pair has a value. Where reruns were compared with the baseline alone, it is ``losses``.
        """
        if not self._has_pairs(metric):
            return self.losses(metric)
        return self._mean_of_pairs(metric, self._pairs(metric)[:, 0, 1:])

    def expected(self, metric: str) -> Floats:
        """Return the mean loss of the pairs of baseline and reruns for each item; 0 without reruns.

        A pair without a value counts 0, as neither run has an output for the item. In a signed metric it is
        the mean loss of baseline and reruns against the baseline.

        Returns:
            Shape (n,); NaN for an item for which no pair has a value.
        """
        if self.metrics[metric].is_signed:
            known = np.isfinite(self.losses(metric))
            return np.where(known, self.losses(metric) - self.drifts(metric), np.nan)
        if not self.reruns:
            return np.zeros(len(self.baseline.items))
        return self._mean_of_pairs(metric, self._of_references(metric))

    def drifts(self, metric: str) -> Floats:
        """Return each item's drift, ``mean_losses`` minus ``expected``, shape (n,).

        The drift is NaN if the candidate has no loss. If only the pairs of baseline and reruns have none,
        because none of these runs has an output, the candidate's whole loss is drift.
        """
        return self.drifts_by_role(metric)[:, 0]

    def drifts_by_role(self, metric: str) -> Floats:
        """Return each item's drift if the candidate, or in its place another run, were the candidate.

        Returns:
            Shape (n, k). The first column is the candidate's drift. If all pairs were measured, or if the
            metric is signed, the other columns are those of baseline and reruns; else those of reruns;
            without a rerun there are none. NaN for an item for which the candidate has no loss.
        """
        if self.metrics[metric].is_signed:
            return np.round(drifts_of_losses(self._signed_losses(metric)), _DECIMALS)
        if self._has_pairs(metric):
            pairs = self._pairs(metric)
            unknown = self._unknown(metric, pairs[:, *np.triu_indices(pairs.shape[1], 1)], pairs[:, 0, 1:])
            roles = drifts_of_pairs(np.nan_to_num(pairs, nan=0.0))
        else:
            losses = self._against_baseline(metric)
            unknown = self._unknown(metric, losses, losses[:, :1])
            losses = np.nan_to_num(losses, nan=0.0)
            roles = drifts_of_losses(losses) if self.reruns else losses
        return np.where(unknown[:, None], np.nan, np.round(roles, _DECIMALS))

    def noise(self, metric: str) -> float | None:
        """Return the mean loss between baseline and reruns; ``None`` without a rerun, NaN without a value."""
        if not self.rerun_losses(metric):
            return None
        return mean_loss(self.expected(metric))

    def rerun_losses(self, metric: str) -> tuple[Floats, ...]:
        """Return the items' losses, shape (n,), in each rerun with the metric: a judge compares none."""
        return tuple(rerun.losses[metric] for rerun in self.reruns if metric in rerun.losses)

    def noise_rms(self, metric: str) -> float | None:
        """Return the root mean square of the losses between baseline and reruns; ``None`` without a rerun.

        It grows with the mean of the losses and with their variation over the items. NaN if none has a value.
        """
        if not self.rerun_losses(metric):
            return None
        return math.sqrt(mean_loss(self._of_references(metric).ravel() ** 2))

    def reference_variance(self, metric: str) -> float:
        """Estimate the variance that baseline and reruns alone give an item's drift; 0 without a rerun.

        With one rerun, or where runs were compared with the baseline alone, it is the most that it can be of
        the variance of a drift among all runs: 2 / 3, or ``1 / (r + 1)`` with r reruns.
        """
        r = len(self.reruns)
        if self._has_pairs(metric) and r > 1:
            return reference_variance(np.nan_to_num(self._pairs(metric)[:, 1:, 1:], nan=0.0))
        roles = self.drifts_by_role(metric)
        known = roles[~np.isnan(roles).any(axis=1)]
        if not r or not len(known):
            return 0.0
        share = 2 / 3 if self._has_pairs(metric) else 1 / known.shape[1]
        return float(known.var(axis=1).mean()) * share

    def _unknown(self, metric: str, losses: Floats, candidates: Floats) -> Mask:
        """Tell for each item whether nothing is known of its drift.

        A pair of runs without a value agrees, as neither has an output; but where a missing number is
        unknown, nothing is known of an item that lacks any.
        """
        if self.metrics[metric].may_be_unknown:
            return np.asarray(np.isnan(losses).any(axis=1))
        return np.asarray(np.isnan(candidates).all(axis=1))

    def _mean_of_pairs(self, metric: str, losses: Floats) -> Floats:
        """Return the mean over pairs, shape (n, pairs) to (n,); a pair without a value counts 0."""
        unknown = self._unknown(metric, losses, losses)
        return np.where(unknown, np.nan, np.nan_to_num(losses, nan=0.0).mean(axis=1))

    def pair_losses(self, metric: str) -> Floats | None:
        """Return the losses of all pairs of runs: candidate, baseline, reruns.

        Returns:
            Shape (n, k, k), 0 for a pair without a value; ``None`` where runs count against the baseline
            alone (``losses_of_runs``).
        """
        if self.metrics[metric].is_signed or not self._has_pairs(metric):
            return None
        return np.nan_to_num(self._pairs(metric), nan=0.0)

    def losses_of_runs(self, metric: str) -> Floats:
        """Return the losses of candidate and reruns against the baseline, shape (n, k); 0 for one without.

        Of a signed metric the second column is the baseline's, 0.
        """
        losses = (
            self._signed_losses(metric) if self.metrics[metric].is_signed else self._against_baseline(metric)
        )
        return np.nan_to_num(losses, nan=0.0)

    def _against_baseline(self, metric: str) -> Floats:
        return np.column_stack([run.losses[metric] for run in (self.measured, *self.reruns)])

    def _has_pairs(self, metric: str) -> bool:
        """Tell whether all pairs of runs count: not in a field of which one direction is better."""
        return bool(self.between) and self.metrics[metric].direction == "either"

    def _signed_losses(self, metric: str) -> Floats:
        """Return losses against the baseline, shape (n, k): of the candidate, of the baseline, 0, of reruns.

        An item that a run lacks is NaN in all columns, as its runs cannot be exchanged.
        """
        candidate = self.losses(metric)
        losses = np.column_stack([candidate, np.zeros_like(candidate), *self.rerun_losses(metric)])
        return np.where(np.isnan(losses).any(axis=1, keepdims=True), np.nan, losses)

    def _of_references(self, metric: str) -> Floats:
        """Return the losses of the pairs of baseline and reruns that were measured, shape (n, pairs)."""
        pairs = list(self.rerun_losses(metric))
        if self._has_pairs(metric):
            pairs += [later.losses[metric] for against in self.between for later in against[:-1]]
        return np.column_stack(pairs)

    def _pairs(self, metric: str) -> Floats:
        """Return the losses of all pairs of runs, shape (n, k, k): candidate, baseline, reruns."""
        rows = ((*self.reruns, self.measured), *self.between)
        k = len(rows) + 1
        pairs = np.full((len(self.baseline.items), k, k), np.nan)
        for first, row in enumerate(rows, 1):
            for second, run in zip([*range(first + 1, k), 0], row, strict=True):
                pairs[:, first, second] = pairs[:, second, first] = run.losses[metric]
        return pairs

    def members(self, kind: str) -> dict[str, np.typing.NDArray[np.bool_]]:
        """Return the members of each group of a kind, shape (n,), by name in sorted order."""
        names = np.array([item.groups.get(kind) for item in self.baseline.items], dtype=object)
        return {name: names == name for name in sorted({name for name in names if name is not None})}
