"""The instrument: says how far the sampled answers to each prompt agree with the answer."""

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np

from semscale.consistency.blocks import PairValues, value_pairs
from semscale.consistency.consistencies import Consistencies
from semscale.consistency.contradictions import GUARD_NAMES, Contradiction, check_guards
from semscale.consistency.floor import Floor, estimate_floor
from semscale.consistency.lengths import length_nulls
from semscale.consistency.measures import DEFAULT_MEASURES, MEASURES, check_measures, item_means
from semscale.consistency.remembering import RememberingEmbedder
from semscale.consistency.samples import SampledAnswers, take_samples
from semscale.errors import InputError
from semscale.matching.bertscore import BertScorer
from semscale.matching.cosines import Cosines
from semscale.signature import Signature
from semscale.stats.resampling import check_seed
from semscale.types import Progress
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding import Embedder

_NO_FLOOR = Floor(0.0, "not-needed")


class ConsistencySettings(TypedDict, total=False):
    """Settings of a ``Consistency``, as ``consistency`` passes them on."""

    measures: Iterable[str]
    model: "str | Path | Embedder"
    bert_model: str | Path | BertScorer
    floor: float | str
    guards: Iterable[str]
    fewest_samples: int
    seed: int


class Consistency:
    """Measures how far several answers to one prompt agree with the first.

    Args:
        measures: names among ``semscale.consistency.measures.MEASURES``; the first one is the ``score``.
        model: a known model, a folder, ``organisation/model`` on the Hugging Face hub, or an embedder.
        bert_model: the model of ``bert_score``, by name or as a ``BertScorer``; the default model unless
            given, where uqlm has ``roberta-large``.
        floor: cosine of answers to different prompts. ``auto`` estimates it from random pairs of the answers
            at hand, and corrects nothing where there are fewer than 10 different ones.
        guards: which of ``semscale.consistency.contradictions.GUARD_NAMES`` look for contradictions.
        fewest_samples: usable samples below which an item has no values.
        seed: of the draw of unrelated pairs.

    Raises:
        InputError: an unknown measure or guard, or a setting out of range.
    """

    def __init__(  # noqa: PLR0913 - each is a setting that the signature records
        self,
        *,
        measures: Iterable[str] = DEFAULT_MEASURES,
        model: "str | Path | Embedder" = DEFAULT_MODEL,
        bert_model: str | Path | BertScorer = DEFAULT_MODEL,
        floor: float | str = "auto",
        guards: Iterable[str] = GUARD_NAMES,
        fewest_samples: int = 1,
        seed: int = 0,
    ) -> None:
        self.measures = check_measures(measures)
        self.guards = check_guards(guards)
        self.floor = _checked_floor(floor)
        self.fewest_samples = _checked_fewest(fewest_samples)
        check_seed(seed)
        self.seed = seed
        self._model, self._bert_model = model, bert_model

    @cached_property
    def embedder(self) -> "Embedder":
        """What turns texts into vectors; loaded when it is first needed."""
        if not isinstance(self._model, str | Path):
            return self._model
        from semscale.embedding import load_embedder

        return load_embedder(self._model)

    @cached_property
    def bert_scorer(self) -> BertScorer:
        """What gives BERTScores; loaded when it is first needed."""
        given = self._bert_model
        return BertScorer(given) if isinstance(given, str | Path) else given

    @property
    def needs(self) -> frozenset[str]:
        """What the measures are made from: ``cosine``, ``floor``, ``contradicted``, ``f1``."""
        return frozenset().union(*(MEASURES[name].needs for name in self.measures))

    @property
    def signature(self) -> Signature:
        """What is applied; a result's has the floor that was estimated, and from how many answers."""
        return self._signature(Floor(0.0, "auto") if isinstance(self.floor, str) else _given(self.floor))

    def measure(
        self, answers: object, samples: object = None, *, progress: Progress | None = None
    ) -> Consistencies:
        """Measure how far answers agree with their samples.

        Args:
            answers: shape (n,), texts; without ``samples`` each a list whose first text is the answer.
            samples: n lists of texts, of any lengths. Samples that are missing, empty or no text are left
                out and counted.
            progress: called while texts are embedded and scored.

        Raises:
            InputError: lists of unequal length, or something other than a list where samples should be.
            ModelError: the model cannot be run.
        """
        taken = take_samples(answers, samples, fewest=self.fewest_samples)
        cosines = Cosines(RememberingEmbedder(self.embedder)) if "cosine" in self.needs else None
        floor = self._floor(taken, cosines, progress)
        scorer = self.bert_scorer if "f1" in self.needs else None
        values = value_pairs(
            self, taken.pairs, floor.value, cosines=cosines, scorer=scorer, progress=progress
        )
        return self._collected(taken, floor, values)

    def _floor(self, taken: SampledAnswers, cosines: Cosines | None, progress: Progress | None) -> Floor:
        if "floor" not in self.needs or cosines is None:
            return _NO_FLOOR
        if not isinstance(self.floor, str):
            return _given(self.floor)
        answers = [taken.pairs.texts[place] for place in np.unique(taken.pairs.prediction).tolist()]
        return estimate_floor(answers, cosines, seed=self.seed, progress=progress)

    def _collected(self, taken: SampledAnswers, floor: Floor, values: PairValues) -> Consistencies:
        pairs, n = taken.pairs, taken.pairs.n_items
        windows = np.zeros(n, np.int64)
        np.maximum.at(windows, pairs.item, values.windows)
        found: list[list[Contradiction]] = [[] for _ in range(n)]
        for item, place, findings in zip(
            pairs.item.tolist(), pairs.place.tolist(), values.findings, strict=True
        ):
            found[item] += [Contradiction(place, finding) for finding in findings]
        return Consistencies(
            measures={name: item_means(column, pairs.item, n) for name, column in values.measures.items()},
            status=taken.status,
            n_samples=taken.n_samples,
            n_left_out=taken.n_left_out,
            windows=windows,
            nulls=length_nulls(pairs),
            contradictions=tuple(map(tuple, found)),
            floor=floor.value if floor.known and floor is not _NO_FLOOR else None,
            signature=self._signature(floor),
        )

    def _signature(self, floor: Floor) -> Signature:
        needs = self.needs
        settings: dict[str, object] = {"measures": "+".join(self.measures)}
        if "floor" in needs:
            settings |= {
                "floor": floor.value if floor.origin != "auto" else "auto",
                "floor_from": floor.origin,
            }
            settings |= {} if floor.origin == "given" else {"seed": self.seed}
        if "contradicted" in needs:
            settings["guards"] = "+".join(self.guards) or "none"
        signature = Signature.of("consistency", **settings, fewest_samples=self.fewest_samples)
        if "cosine" in needs:
            signature = signature.extended(self.embedder.signature)
        if "f1" in needs:
            bert = self.bert_scorer.signature.fields
            signature = signature.extended(
                Signature("bertscore", tuple((f"bert_{name}", value) for name, value in bert))
            )
        return signature


def consistency(
    answers: object, samples: object = None, **settings: Unpack[ConsistencySettings]
) -> Consistencies:
    """Measure how far answers agree with their samples, in one call.

    Args:
        answers: shape (n,), texts; without ``samples`` each a list whose first text is the answer.
        samples: n lists of texts, of any lengths.
        settings: as ``Consistency`` takes them.

    Raises:
        InputError: as ``Consistency`` and ``Consistency.measure``.

    Example:
        >>> import semscale
        >>> found = semscale.consistency(["Yes", "12"], [["yes", "Yes."], ["12", "13"]])
        >>> found.measures["uncontradicted"].tolist()
        [1.0, 0.5]
        >>> found.contradictions[1][0].finding.reason
        'The answer says "12", the sample "13".'
    """
    return Consistency(**settings).measure(answers, samples)


def _given(value: float) -> Floor:
    return Floor(value, "given")


def _checked_floor(floor: float | str) -> float | str:
    if floor == "auto":
        return "auto"
    if isinstance(floor, str | bool) or not isinstance(floor, int | float | np.number) or not -1 <= floor < 1:
        raise InputError(f"floor must be 'auto' or a cosine from -1 to below 1, got {floor!r}")
    return float(floor)


def _checked_fewest(fewest: int) -> int:
    if isinstance(fewest, bool) or not isinstance(fewest, int | np.integer) or fewest < 1:
        raise InputError(f"fewest_samples must be a whole number of at least 1, got {fewest!r}")
    return int(fewest)
