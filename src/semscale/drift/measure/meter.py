"""The drift meter: measures the losses of runs against an approved baseline, by item and metric."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from semscale.drift.alignment import PAIRINGS, Aligner
from semscale.drift.directions import read_directions
from semscale.drift.measure.indexed_baseline import IndexedBaseline, ItemPairing, exchanged
from semscale.drift.measure.measured import MeasuredRun
from semscale.drift.measure.measured_losses import collect, mean_losses
from semscale.drift.scoring import PairScoring, ScoreCache, StoredScoring, TextReadings, scoring_files_hash
from semscale.embedding.cache import StateCache, StateReader
from semscale.errors import InputError, UnknownNameError
from semscale.guards.registry import Guards, Mode
from semscale.history.runs import Run, hashed, named
from semscale.matching.bertscore import chosen_layer, token_encoder
from semscale.matching.calibrated import LAYERS, CalibratedWeights, calibrated_weights_for
from semscale.matching.matcher import guards_for
from semscale.matching.pairs import corpus_hash, with_identifier
from semscale.matching.token_scores import equal_weights
from semscale.matching.words import WordLayers
from semscale.messages import known_settings
from semscale.signature import Signature
from semscale.stats.intervals import check_seed
from semscale.types import Progress
from semscale.weights.known import DEFAULT_MODEL, languages_read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from semscale.drift.directions import Direction
    from semscale.embedding import Embedder
    from semscale.embedding.token_states import TokenEncoder

FLOOR_ITEMS = 300
"""The most items over which a floor is averaged."""


class DriftMeter:
    """Measures runs against a baseline; the model reads every distinct text once.

    An item's outputs are aligned so that the sum of the cosines of their vectors is greatest; all metrics use
    these pairs. Word weights and floors of the calibrated match are estimated from the baseline's outputs, so
    that all runs against one baseline are scored alike.

    Args:
        embedder: a known model, a folder, ``organisation/model`` on the Hugging Face hub, an embedder whose
            engine gives token states (``openvino``, ``torch``), or an encoder from ``load_token_encoder``.
        precision: ``exact`` (float32) or ``fast`` (bfloat16 if the processor supports it), for a named model.
        seed: seed of the draw of unrelated texts for the floors.
        pairing: ``assignment``, or ``position``, like Athena.
        layer: BERTScore's layer; not needed if it is published or calibrated for the model.
        guards: ``off``, ``warn`` or ``weigh`` for guards by name; by default all weigh.
        fields: which numbers of a numeric field are better, ``lower``, ``higher`` or ``either``, by field;
            where one is, only changes for the worse are losses. ``usual_direction`` has those that are not
            given.
        cache: whether the token states of the baseline and its reruns, and the scores of their pairs, are
            stored on disk for the next comparison, or the folder for them; results do not depend on it.

    Raises:
        InputError: a setting is invalid.
        UnknownNameError: ``pairing`` is none of ``PAIRINGS``.

    References:
        Zhang et al. 2020, BERTScore: Evaluating Text Generation with BERT, arXiv 1904.09675.
    """

    @known_settings
    def __init__(  # noqa: PLR0913 - each is a setting that the signature records
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
            raise UnknownNameError(f"pairing must be one of {', '.join(PAIRINGS)}, got {pairing!r}")
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
        """The model, loaded when it is first needed."""
        return token_encoder(self._embedder, self._precision, None)

    def anew(self) -> Self:
        """The same model and settings, without fields, and without anything that was read before."""
        self.encoder  # noqa: B018 - loaded once, for both
        fresh = copy(self)
        vars(fresh).pop("_words", None)
        fresh.fields, fresh._cache, fresh._scores = {}, None, None
        return fresh

    @cached_property
    def layer(self) -> int:
        """The layer whose states BERTScore compares."""
        return chosen_layer(self._layer, self.encoder, None)

    @cached_property
    def _calibration(self) -> CalibratedWeights:
        return calibrated_weights_for(self.encoder.signature)

    @cached_property
    def _words(self) -> WordLayers:
        read = StateReader(self.encoder, self.encoder.layers, self._cache).read
        return WordLayers(self.encoder, self._calibration.subject_weights, read=read)

    def measure(
        self, baseline: Run, others: Sequence[Run], *, progress: Progress | None = None
    ) -> list[MeasuredRun]:
        """Measure runs against a baseline.

        Args:
            baseline: a run of n items.
            others: runs of the same items in the same order.
            progress: called while items are compared.

        Returns:
            The losses of each of ``others``.

        Raises:
            InputError: a run has other items, or another order of them.
            ModelError: the model's files cannot be pulled or run.
        """
        return self.measure_pairs(baseline, others, (), progress=progress)

    def measure_pairs(
        self,
        baseline: Run,
        others: Sequence[Run],
        further: Sequence[tuple[int, int]],
        *,
        whole: Run | None = None,
        progress: Progress | None = None,
    ) -> list[MeasuredRun]:
        """Measure runs against a baseline, and some of them against each other.

        Word weights, floors and ranges of fields are the baseline's in all of them.

        Args:
            baseline: a run of n items.
            others: runs of the same items in the same order.
            further: pairs of positions in ``others``: the second is also measured against the first.
            whole: the baseline with all its items, whose weights, floors and ranges count, if ``baseline``
                has only some of them.
            progress: called while items are compared.

        Returns:
            The losses of each of ``others`` against the baseline, then of each further pair. The latter have
            no pairs of outputs.

        Raises:
            InputError: a run has other items, or another order of them.
            ModelError: the model's files cannot be pulled or run.
        """
        for other in others:
            _check_items(baseline, other)
        indexed = self._indexed(baseline, others, whole)
        pairs = [(indexed.others[first], indexed.others[second]) for first, second in further]
        measured = self._measured(indexed, ItemPairing(indexed.own, indexed.others, pairs), progress)
        n = len(others)
        return [*measured[:n], *(replace(run, pairs=()) for run in measured[n:])]

    def floors(self, baseline: Run, *, progress: Progress | None = None) -> dict[str, float]:
        """Measure the losses of unrelated outputs: those of another item of the baseline.

        Args:
            baseline: the run whose outputs are exchanged among at most ``FLOOR_ITEMS`` of its items.
            progress: called while items are compared.

        Returns:
            The mean loss in every metric; NaN if fewer than two items have a text.
        """
        indexed = self._indexed(baseline, [])
        items = exchanged(indexed, FLOOR_ITEMS, self.seed)
        if items is None:
            return dict.fromkeys(indexed.metrics, float("nan"))
        (measured,) = self._measured(indexed, items, progress)
        return mean_losses(measured)

    def _indexed(self, baseline: Run, others: Sequence[Run], whole: Run | None = None) -> IndexedBaseline:
        sort = self.pairing == "assignment"
        return IndexedBaseline(baseline, others, sort=sort, better=self.fields, whole=whole)

    def _measured(
        self, indexed: IndexedBaseline, items: ItemPairing, progress: Progress | None
    ) -> list[MeasuredRun]:
        layers = sorted({self.layer, self.encoder.layers})
        read = TextReadings(self.encoder, layers, indexed.texts, cache=self._cache, keep=indexed.n_kept)
        scoring = PairScoring(
            read,
            self._words,
            token_weights=equal_weights(self.encoder.reader),
            guards=self.guards,
            calibration=self._calibration,
            languages=languages_read(self.encoder.signature),
        )
        scoring.learn(np.arange(indexed.n_own), self.seed)
        signature = self._signature(indexed, scoring.floors)
        stored = self._stored(scoring, indexed, signature)
        aligner = Aligner(
            read,
            stored or scoring,
            spans=indexed.spans,
            pairing=self.pairing,
            pooling=self.encoder.pooling,
        )
        aligned = aligner.align(items.pairs)
        windows = self.encoder.windows(read.spelled.tokens)
        measured = collect(indexed, items, aligned, signature, windows, progress)
        if stored:
            stored.flush()
        return measured

    def _stored(
        self, scoring: PairScoring, indexed: IndexedBaseline, signature: Signature
    ) -> StoredScoring | None:
        if self._scores is None:
            return None
        made_by = f"{signature}|{scoring_files_hash()}"
        return StoredScoring(scoring, self._scores, indexed.texts, keep=indexed.n_kept, signature=made_by)

    @property
    def signature(self) -> Signature:
        """Signature of the settings; that of a result also has the baseline's estimates and fields."""
        return self._signed("baseline", "estimated", "baseline", self.fields)

    def _signature(self, indexed: IndexedBaseline, floors: "Mapping[str, float]") -> Signature:
        shown = "/".join(f"{floors[name]:.3f}" for name in LAYERS)
        better = self.fields | {one.unit: one.direction for one in indexed.metrics.values() if one.unit}
        return self._signed(corpus_hash(indexed.own_texts), shown, indexed.spans_name, better)

    def _signed(
        self, corpus: str, floors: str, spans: str | None, better: "Mapping[str, Direction]"
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
        if ways:  # only then, so that older comparisons keep their signature
            settings = settings.extended(Signature.of("fields", better=hashed(ways)))
        signed = settings.extended(self.encoder.signature)
        decide = looking or len(languages_read(signed)) > 1
        return with_identifier(signed) if decide else signed


def _check_items(baseline: Run, other: Run) -> None:
    ours, theirs = ([item.id for item in run.items] for run in (baseline, other))
    if ours != theirs:
        apart = sorted(set(ours) ^ set(theirs))
        what = f"{named(apart)} in one of them only" if apart else "another order"
        raise InputError(f"others must have the baseline's items in its order, got {what}")
