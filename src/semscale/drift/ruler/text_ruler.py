"""Text metrics as a ruler: the embedding model with its engine and precision, the match, and the guards."""

from collections.abc import Mapping, Sequence

from semscale.drift.measure.meter import DriftMeter
from semscale.history.anchor_sets import AnchorPair
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.signature import Signature
from semscale.types import Floats, Progress

_SCORES = ("match", "bertscore_f1", "cosine")
FINDINGS = ("contradictions", "changed_numbers")
"""Readings that are 1 where guards found something, about which labels say nothing."""

_EXACT, _FAST = 1e-4, 2.0**-8
_FLOAT32 = "float32"


class TextRuler:
    """Reads pairs with the metrics of a drift meter; no vectors that were kept are used.

    Rounding: texts with the same tokens differ by at most 1e-5 in a similarity; a match divides by what lies
    above its floors and weighs layers, for which ten times that is allowed, 1e-4. With the precision ``fast``
    it is half a step of bfloat16, whose numbers have eight bits: 2^-8, or .004.

    Args:
        meter: measures the comparison that the anchors stand beside.
    """

    scores: Sequence[str] = _SCORES
    is_exact = True
    repeats = 1

    def __init__(self, meter: DriftMeter) -> None:
        self._meter = meter.anew()

    @property
    def signature(self) -> Signature:
        """The meter's settings, without what it estimates from a baseline."""
        return self._meter.signature

    @property
    def rounding(self) -> float:
        """Greatest mean difference by rounding."""
        return _EXACT if _FLOAT32 in dict(self.signature.fields).get("precision", _FLOAT32) else _FAST

    def readings(
        self, pairs: Sequence[AnchorPair], *, progress: Progress | None = None
    ) -> Mapping[str, Floats]:
        """Read pairs; word weights and floors are those of the references.

        Returns:
            ``match``, ``bertscore_f1`` and ``cosine`` as similarities; ``contradictions`` and
            ``changed_numbers`` are 1 where guards found some.
        """
        baseline, candidate = (
            Run("anchors", "ruler", tuple(Item(pair.id, (Output(text),)) for pair, text in texts))
            for texts in (
                [(pair, pair.reference) for pair in pairs],
                [(pair, pair.output) for pair in pairs],
            )
        )
        (measured,) = self._meter.measure(baseline, [candidate], progress=progress)
        similarities = {name: 1 - measured.losses[name] for name in _SCORES}
        return similarities | {name: measured.losses[name] for name in FINDINGS}
