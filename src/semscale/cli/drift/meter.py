"""How the options of ``semscale drift`` have runs measured."""

from dataclasses import dataclass

from semscale.drift.measure.meter import DriftMeter
from semscale.weights.known import DEFAULT_MODEL


@dataclass(frozen=True)
class MeterChoice:
    """How runs are measured.

    Attributes:
        embedder: the embedding model; the default one unless given.
        precision: ``exact`` or ``fast``.
        pairing: how lists of outputs are aligned.
        seed: of all that is drawn.
        cache: whether what the model reads of the baseline is kept on disk.
        layer: of BERTScore; the one known for the model unless given.
    """

    embedder: str | None = None
    precision: str = "exact"
    pairing: str = "assignment"
    seed: int = 0
    cache: bool = True
    layer: int | None = None

    def meter(self) -> DriftMeter:
        """Make the instrument; the model is loaded when it is first needed."""
        return DriftMeter(
            self.embedder or DEFAULT_MODEL,
            precision=self.precision,
            seed=self.seed,
            pairing=self.pairing,
            layer=self.layer,
            cache=self.cache,
        )
