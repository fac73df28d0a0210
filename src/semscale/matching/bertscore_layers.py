"""Search for a model's best layer by agreement with people, and its baseline from unrelated texts."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.embedding.texts import distinct
from semscale.errors import InputError
from semscale.matching.bertscore import BertScorer, BertScores, PairScorer, TextPairs, equal_weights
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.agreement.correlations import spearman_estimate
from semscale.stats.intervals.coefficients import replicates_for
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.resampling import check_seed
from semscale.types import Floats, Integers, Progress

if TYPE_CHECKING:
    from semscale.embedding.tokens.token_states import TokenEncoder

_FEWEST_TEXTS = 20
_FEWEST_JUDGED = 10
INTERVAL = 0.95
"""Coverage of the intervals of a calibration, which nobody chooses."""


@dataclass(frozen=True)
class JudgedPairs:
    """Pairs that people have judged.

    Attributes:
        predictions: shape (n,), texts.
        references: shape (n,), texts or lists of texts.
        human: shape (n,), the higher the more alike; NaN where nobody judged.
    """

    predictions: Sequence[object]
    references: Sequence[object]
    human: Floats


@dataclass(frozen=True)
class HumanAgreement:
    """How far F1 agrees with people.

    Attributes:
        spearman: for each layer, from 0 up, Spearman's correlation with its bootstrap interval.
        n: how many pairs count.
        n_left_out: how many do not, for lack of a text or of a judgement.
        interval: coverage of the intervals.
    """

    spearman: tuple[Estimate, ...]
    n: int
    n_left_out: int
    interval: float = INTERVAL

    @property
    def replicates(self) -> int:
        """Resamples that each interval is made from."""
        return replicates_for(self.n)

    @property
    def best_layer(self) -> int:
        """The layer with the highest correlation."""
        return int(np.argmax([estimate.value for estimate in self.spearman]))

    def record(self) -> dict[str, Any]:
        """Lay the agreement out by name, for JSON."""
        return {**vars(self), "replicates": self.replicates, "best_layer": self.best_layer}


@dataclass(frozen=True, repr=False)
class LayerCalibration(Presentable):
    """A model's best layer and baseline, as a calibration found them.

    Attributes:
        baseline: shape (layers + 1, 3): mean precision, recall and F1 of unrelated pairs.
        error: shape (layers + 1, 3), standard errors of these means.
        n_texts: how many distinct texts the pairs were drawn from.
        n_pairs: how many pairs were drawn.
        source: name of the corpus, and a hash of its texts.
        seed: seed of the draw.
        human: how far each layer agrees with people, where judgements were given.
        signature: of the states, without a layer.
    """

    baseline: Floats
    error: Floats
    n_texts: int
    n_pairs: int
    source: str
    seed: int
    human: HumanAgreement | None
    signature: Signature

    def __repr__(self) -> str:
        return f"LayerCalibration(source={self.source!r}, model={self.model}, n_pairs={self.n_pairs:,})"

    @property
    def model(self) -> str:
        """The model's name with a hash of its weights."""
        return dict(self.signature.fields)["model"]

    @property
    def plan(self) -> IntervalPlan | None:
        """How the intervals of the agreement with people were made; ``None`` without judgements."""
        if self.human is None:
            return None
        return IntervalPlan(self.human.interval, seed=self.seed, replicates=self.human.replicates)

    def baseline_json(self) -> str:
        """Write the baseline as JSON, as ``rescale=FILE`` reads it."""
        names = ("precision", "recall", "f1")
        rows = [dict(zip(names, map(float, row), strict=True)) for row in self.baseline]
        content = {
            "kind": "semscale bertscore baseline",
            "model": self.model,
            "signature": str(self.signature),
            "corpus": self.source,
            "texts": self.n_texts,
            "pairs": self.n_pairs,
            "seed": self.seed,
            "baseline": [{"layer": layer, **row} for layer, row in enumerate(rows)],
            "human": self.human and {**asdict(self.human), "best_layer": self.human.best_layer},
        }
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        names = ("precision", "recall", "f1")
        return {
            "instrument": "bertscore calibrate",
            "source": self.source,
            "texts": self.n_texts,
            "pairs": self.n_pairs,
            "seed": self.seed,
            "layers": [
                {
                    "layer": layer,
                    **dict(zip(names, means, strict=True)),
                    "error": dict(zip(names, errors, strict=True)),
                }
                for layer, (means, errors) in enumerate(zip(self.baseline, self.error, strict=True))
            ],
            "human": self.human and self.human.record(),
            "signature": self.signature,
        }


def calibrate(  # noqa: PLR0913 - what can be chosen about a calibration
    encoder: "TokenEncoder",
    corpus: Sequence[str],
    *,
    name: str = "corpus",
    judged: JudgedPairs | None = None,
    n_pairs: int = 20_000,
    n_texts: int = 4_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> LayerCalibration:
    """Score random pairs of unrelated texts at every layer, and judged pairs where there are some.

    Args:
        encoder: encoder of the model.
        corpus: texts of the kind that will be scored; empty ones and repetitions are passed over.
        name: name of the corpus.
        judged: pairs with human scores, to find the layer that agrees best.
        n_pairs: how many pairs of two different texts are drawn.
        n_texts: how many texts they are drawn from at most.
        seed: seed of the draw.
        progress: called while pairs are scored, layer by layer.

    Raises:
        InputError: fewer than 20 different texts, fewer than 10 judged pairs, or a setting out of range.
    """
    check_seed(seed)
    if n_pairs < 1:
        raise InputError(f"n_pairs must be at least 1, got {n_pairs}")
    texts, first, second = _random_pairs(corpus, n_texts, n_pairs, np.random.default_rng(seed))
    pairs = TextPairs(encoder.reader.read(texts), first, second)
    weights = equal_weights(encoder.reader)
    means, errors, judgements = [], [], []
    for layer in range(encoder.layers + 1):
        values = PairScorer(encoder, layer, weights).score(pairs, _staged(progress, layer))
        values = values[~np.isnan(values[:, 0])]
        means.append(values.mean(axis=0))
        errors.append(values.std(axis=0) / np.sqrt(len(values)))
        if judged is not None:
            scores = BertScorer(encoder, layer=layer).score(judged.predictions, judged.references)
            judgements.append(_agreement(scores, judged.human, seed))
    return LayerCalibration(
        baseline=np.array(means),
        error=np.array(errors),
        n_texts=len(texts),
        n_pairs=n_pairs,
        source=f"{name}#{hashlib.sha256(chr(0).join(texts).encode('utf-8', 'replace')).hexdigest()[:8]}",
        seed=seed,
        human=_joined(judgements),
        signature=encoder.signature,
    )


def _random_pairs(
    corpus: Sequence[str], n_texts: int, n_pairs: int, rng: np.random.Generator
) -> tuple[list[str], Integers, Integers]:
    """Draw texts, and pairs of two different ones among them."""
    usable = [text.strip() for text in corpus if isinstance(text, str) and text.strip()]
    texts, _ = distinct(usable)
    if len(texts) < _FEWEST_TEXTS:
        raise InputError(
            f"corpus must have at least {_FEWEST_TEXTS} different texts, got {len(texts)}; "
            "give more of the kind to be compared"
        )
    if len(texts) > n_texts:
        texts = [texts[place] for place in np.sort(rng.choice(len(texts), n_texts, replace=False))]
    first = rng.integers(0, len(texts), n_pairs)
    second = (first + rng.integers(1, len(texts), n_pairs)) % len(texts)
    return texts, first, second


def _agreement(scores: BertScores, human: Floats, seed: int) -> tuple[Estimate, int, int]:
    counts = scores.scored & np.isfinite(human)
    if counts.sum() < _FEWEST_JUDGED:
        raise InputError(
            f"human must have at least {_FEWEST_JUDGED} pairs with both texts and a score, got {counts.sum()}"
        )
    estimate = spearman_estimate(scores.f1[counts], human[counts], interval=INTERVAL, seed=seed)
    return estimate, int(counts.sum()), int((~counts).sum())


def _joined(judgements: Sequence[tuple[Estimate, int, int]]) -> HumanAgreement | None:
    if not judgements:
        return None
    estimates, counted, left_out = zip(*judgements, strict=True)
    return HumanAgreement(estimates, counted[0], left_out[0])


def _staged(progress: Progress | None, layer: int) -> Progress | None:
    if progress is None:
        return None
    return lambda stage, done, total: progress(f"{stage}, layer {layer}", done, total)
