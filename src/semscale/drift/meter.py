"""The instrument: says how far runs lie from an approved baseline, item by item, in every metric."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from semscale.drift.aligning import Aligner
from semscale.drift.alignment import PAIRINGS
from semscale.drift.item_losses import losses_of, pairs_of
from semscale.drift.losses import span_of
from semscale.drift.measured import AlignedPair, Measured
from semscale.drift.metrics import TEXT_METRICS, Metric, field_metric
from semscale.drift.pair_scores import PairScoring
from semscale.drift.spoken import Spoken, TextNumbers, number_of, spoken_of
from semscale.drift.text_readings import TextReadings
from semscale.errors import InputError, UnknownNameError
from semscale.guards.registry import Guards, Mode
from semscale.history.runs import Run, hashed, named
from semscale.matching.calibrated import LAYERS, load_calibration
from semscale.matching.methods import guards_for
from semscale.matching.unrelated import corpus_hash
from semscale.signature import Signature
from semscale.stats.resampling import check_seed
from semscale.types import Floats, Progress, Status
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from semscale.embedding.token_states import TokenEncoder

FLOOR_ITEMS = 300
"""Items that a floor is the mean of, at most."""


@dataclass(frozen=True)
class _Baseline:
    """A baseline, ready to be compared with."""

    said: list[Spoken]
    fields: tuple[str, ...]
    spans: Floats
    metrics: dict[str, Metric]
    n_texts: int


class DriftMeter:
    """Measures runs against a baseline; every distinct text is read by the model once.

    The outputs of an item are aligned so that the sum of the cosines of their vectors is the greatest; on the
    pairs that come of it all is measured. Word weights and floors of the calibrated match are estimated from
    the baseline's outputs, so that all runs against one baseline are scored alike.

    Args:
        model: a known model, a folder, ``organisation/model`` on the Hugging Face hub, or an encoder that
            ``load_token_encoder`` gave.
        precision: ``exact`` (float32) or ``fast`` (bfloat16 where the processor has it), for a named model.
        seed: of what is drawn: unrelated texts for the floors.
        pairing: ``assignment``, or ``position`` as Athena pairs outputs.
        layer: of BERTScore; where it is published or calibrated for the model it need not be given.
        guards: ``off``, ``warn`` or ``weigh`` for guards by name; all weigh unless given.

    Raises:
        InputError: a setting that cannot be used.
        UnknownNameError: ``pairing`` is none of ``PAIRINGS``.

    References:
        Zhang et al. 2020, BERTScore: Evaluating Text Generation with BERT, arXiv 1904.09675.
    """

    def __init__(  # noqa: PLR0913 - each is a setting that the signature records
        self,
        model: "str | Path | TokenEncoder" = DEFAULT_MODEL,
        *,
        precision: str = "exact",
        seed: int = 0,
        pairing: str = "assignment",
        layer: int | None = None,
        guards: "Mapping[str, str] | None" = None,
    ) -> None:
        if pairing not in PAIRINGS:
            raise UnknownNameError(f"pairing must be one of {', '.join(PAIRINGS)}, got {pairing!r}")
        check_seed(seed)
        self.seed = seed
        self.pairing = pairing
        self.guards: Guards = guards_for("calibrated", guards)
        self._model, self._precision, self._layer = model, precision, layer

    @cached_property
    def encoder(self) -> "TokenEncoder":
        """The model; loaded when it is first needed."""
        from semscale.matching.bert_choices import token_encoder

        return token_encoder(self._model, self._precision, None)

    @cached_property
    def layer(self) -> int:
        """Whose states BERTScore compares."""
        from semscale.matching.bert_choices import chosen_layer

        return chosen_layer(self._layer, self.encoder, None)

    def measure(
        self, baseline: Run, others: Sequence[Run], *, progress: Progress | None = None
    ) -> list[Measured]:
        """Measure runs against a baseline.

        Args:
            baseline: of n items.
            others: runs of the same items in the same order.
            progress: called while items are compared.

        Returns:
            What was measured of each of ``others``.

        Raises:
            InputError: a run has other items, or has them in another order.
            ModelError: the model's files cannot be had or run.
        """
        for other in others:
            _check_items(baseline, other)
        numbers = TextNumbers()
        prepared = self._prepared(baseline, numbers)
        said = [self._said(other, prepared.fields, numbers) for other in others]
        return self._measured(prepared, prepared.said, said, numbers.texts, progress)

    def floors(self, baseline: Run, *, progress: Progress | None = None) -> dict[str, float]:
        """Say what outputs lose that have nothing to do with the item: those of another item.

        Args:
            baseline: whose outputs are exchanged among at most ``FLOOR_ITEMS`` of its items.
            progress: called while items are compared.

        Returns:
            The mean loss in every metric; NaN where fewer than two items say something.
        """
        numbers = TextNumbers()
        prepared = self._prepared(baseline, numbers)
        speaking = [item for item, said in enumerate(prepared.said) if said]
        if len(speaking) < 2:  # noqa: PLR2004 - nothing to exchange
            return dict.fromkeys(prepared.metrics, float("nan"))
        # Everyone gets the outputs of the next one in a random ring, so nobody its own.
        ring = np.random.default_rng(self.seed).permutation(speaking)[:FLOOR_ITEMS]
        own = [prepared.said[item] for item in ring]
        exchanged = [prepared.said[item] for item in np.roll(ring, 1)]
        (found,) = self._measured(prepared, own, [exchanged], numbers.texts, progress)
        return {name: _mean(losses) for name, losses in found.losses.items()}

    def _said(self, run: Run, fields: Sequence[str], numbers: TextNumbers) -> list[Spoken]:
        return spoken_of(run.items, fields, numbers, sort=self.pairing == "assignment")

    def _prepared(self, baseline: Run, numbers: TextNumbers) -> _Baseline:
        fields = tuple(field for field in baseline.fields if _numbers(baseline, field))
        spans = [span_of(_numbers(baseline, field)) for field in fields]
        numeric = [field_metric(*each) for each in zip(fields, spans, strict=True)]
        return _Baseline(
            said=self._said(baseline, fields, numbers),
            fields=fields,
            spans=np.array(spans, np.float64),
            metrics={**TEXT_METRICS, **{metric.name: metric for metric in numeric}},
            n_texts=len(numbers.texts),
        )

    def _measured(
        self,
        prepared: _Baseline,
        baseline: Sequence[Spoken],
        others: Sequence[Sequence[Spoken]],
        texts: Sequence[str],
        progress: Progress | None,
    ) -> list[Measured]:
        read = TextReadings(self.encoder, sorted({self.layer, self.encoder.layers}), texts)
        scoring = self._scoring(read, prepared.n_texts)
        aligner = Aligner(
            read, scoring, spans=prepared.spans, pairing=self.pairing, pooling=self.encoder.pooling
        )
        metrics = prepared.metrics
        losses = [{name: np.full(len(baseline), np.nan) for name in metrics} for _ in others]
        pairs: list[list[list[AlignedPair]]] = [[[] for _ in baseline] for _ in others]
        total = len(baseline) * len(others)
        for done, (item, run, aligned) in enumerate(aligner.align(baseline, others), 1):
            for name, loss in losses_of(aligned, metrics, prepared.spans).items():
                losses[run][name][item] = loss
            pairs[run][item] = pairs_of(item, aligned)
            if progress and (done % _REPORTED == 0 or done == total):
                progress("comparing items", done, total)
        signature = self._signature(texts[: prepared.n_texts], scoring.floors, prepared)
        return [
            Measured(
                metrics,
                losses[run],
                np.array([_status(*each) for each in zip(baseline, said, strict=True)], object),
                tuple(pair for each in pairs[run] for pair in each),
                signature,
            )
            for run, said in enumerate(others)
        ]

    def _scoring(self, read: TextReadings, n_texts: int) -> PairScoring:
        from semscale.matching.token_weights import equal_weights

        scoring = PairScoring(
            self.encoder,
            read,
            token_weights=equal_weights(self.encoder.reader),
            guards=self.guards,
            calibration=load_calibration(),
        )
        scoring.learn(np.arange(n_texts), self.seed)
        return scoring

    def _signature(
        self, corpus: Sequence[str], floors: "Mapping[str, float]", prepared: _Baseline
    ) -> Signature:
        calibration = load_calibration()
        looking = [f"{name}={mode}" for name, mode in self.guards.modes.items() if mode is not Mode.OFF]
        spans = dict(zip(prepared.fields, prepared.spans.tolist(), strict=True))
        settings = Signature.of(
            "drift",
            pairing=self.pairing if self.pairing == "position" else "assignment/cosine",
            match=f"calibrated#{calibration.sha256[:12]}",
            guards="+".join(looking) or None,
            corpus=corpus_hash(corpus),
            floors="/".join(f"{floors[name]:.3f}" for name in LAYERS),
            seed=self.seed,
            layer=self.layer,
            pooling=self.encoder.pooling,
            spans=f"{len(spans)}#{hashed(sorted(spans.items()))}" if spans else None,
            states="half",
        )
        return settings.extended(self.encoder.signature)


_REPORTED = 16  # items between two reports of progress


def _check_items(baseline: Run, other: Run) -> None:
    ours, theirs = ([item.id for item in run.items] for run in (baseline, other))
    if ours != theirs:
        apart = sorted(set(ours) ^ set(theirs))
        what = f"{named(apart)} in one of them only" if apart else "another order"
        raise InputError(f"others must have the baseline's items in its order, got {what}")


def _status(baseline: Spoken, candidate: Spoken) -> Status:
    return Status.SCORED if baseline or candidate else Status.EMPTY


def _numbers(run: Run, field: str) -> list[float]:
    values = (number_of(output, field) for item in run.items for output in item.outputs)
    return [value for value in values if not np.isnan(value)]


def _mean(losses: Floats) -> float:
    there = losses[~np.isnan(losses)]
    return float(there.mean()) if len(there) else float("nan")
