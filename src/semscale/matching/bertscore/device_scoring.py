"""Scoring of pairs on the GPU that encodes their texts: only the best cosines leave it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding.engines.finite_output import check_finite
from semscale.embedding.tokens.token_states import TokenEncoder
from semscale.embedding.torch_engine.transfers import fetched
from semscale.matching.bertscore.greedy import scores_of_best
from semscale.matching.bertscore.pair_scoring import TextPairs
from semscale.matching.bertscore.token_weights import TokenWeights
from semscale.matching.device_best import BestMatches, best_on_device
from semscale.matching.pair_scheduling import plan_steps
from semscale.types import Floats, Integers, Progress

if TYPE_CHECKING:
    import torch

STATE_BYTES = 512 << 20
"""States of texts that are encoded in one step, and as many that are kept for later pairs."""


class DevicePairScorer:
    """Scores pairs at one layer of a model, as ``PairScorer`` does, to the 6th decimal place.

    While a step's best cosines are averaged here, the GPU works on the next step.

    Args:
        encoder: gives the states of tokens on their device.
        layer: number of the layer whose states are compared, 0 for the embeddings.
        weights: weights of tokens.
        state_bytes: most memory for the states of texts that are encoded together, and for those kept.
    """

    def __init__(
        self, encoder: TokenEncoder, layer: int, weights: TokenWeights, *, state_bytes: int = STATE_BYTES
    ) -> None:
        self._encoder = encoder
        self._layer = layer
        self._weights = weights
        self._room = state_bytes // (4 * encoder.hidden)

    def score(self, pairs: TextPairs, progress: Progress | None = None) -> Floats:
        """Score pairs.

        Returns:
            Shape (p, 3): precision, recall and F1; NaN in all three where a text has no token with a weight.

        Raises:
            ModelError: the model gives states that are not finite.
        """
        values = np.full((len(pairs.prediction), 3), np.nan)
        done = 0
        for (numbers, found), output in fetched(self._steps(pairs)):
            best = found.read(output)
            check_finite(np.concatenate(best), self._encoder.name)
            own = numbers[found.pairs]
            values[own] = scores_of_best(best, [self._weights_of(pairs, pair) for pair in own.tolist()])
            done += len(own)
            if progress:
                progress("scoring pairs", done, len(values))
        values[np.isnan(values).any(axis=1)] = np.nan
        return values

    def _steps(self, pairs: TextPairs) -> "Iterator[tuple[tuple[Integers, BestMatches], torch.Tensor]]":
        """Encode texts and compute best cosines, step by step."""
        room = {"fresh_tokens": self._room, "kept_tokens": self._room}
        kept = _KeptUnits()
        for step in plan_steps(pairs.prediction, pairs.reference, pairs.tokens.lengths, **room):
            states, places = self._encoder.device_states(pairs.tokens, step.fresh, layer=self._layer)
            kept.add(step.fresh, states, places)
            texts = zip(
                pairs.prediction[step.pairs].tolist(), pairs.reference[step.pairs].tolist(), strict=True
            )
            own = [(kept.places[ours], kept.places[theirs]) for ours, theirs in texts]
            for found, output in best_on_device(kept.units, own):
                yield (step.pairs, found), output
            kept.drop(step.dropped)

    def _weights_of(self, pairs: TextPairs, pair: int) -> tuple[Floats, Floats]:
        sides = int(pairs.prediction[pair]), int(pairs.reference[pair])
        ours, theirs = (self._weights.of(pairs.tokens.of(text)) for text in sides)
        return ours, theirs


class _KeptUnits:
    """Unit rows of texts' tokens on a device.

    Attributes:
        units: shape (rows, hidden).
        places: by text, the rows of its tokens.
    """

    units: "torch.Tensor"

    def __init__(self) -> None:
        self.places: dict[int, Integers] = {}

    def add(self, texts: Integers, states: "torch.Tensor", places: list[Integers]) -> None:
        """Keep the states of texts as unit rows, behind those that are kept already."""
        import torch

        with torch.inference_mode():
            units = torch.nn.functional.normalize(states, dim=1)
            before = len(self.units) if self.places else 0
            self.units = torch.cat([self.units, units]) if before else units
        self.places.update(zip(texts.tolist(), (each + before for each in places), strict=True))

    def drop(self, texts: Integers) -> None:
        """Let texts go, and close the gaps that they leave."""
        import torch

        for text in texts.tolist():
            del self.places[text]
        if not self.places:
            return
        rows = np.concatenate(list(self.places.values()))
        ends = np.cumsum([len(each) for each in self.places.values()])
        with torch.inference_mode():
            self.units = self.units[torch.from_numpy(rows).to(self.units.device)]
        starts = ends - [len(each) for each in self.places.values()]
        self.places = {
            text: np.arange(start, end)
            for text, start, end in zip(self.places, starts.tolist(), ends.tolist(), strict=True)
        }
