"""Rulers that read what a test says, and anchors for them."""

import numpy as np

from semscale.history.anchor_sets import AnchorPair, AnchorSet
from semscale.signature import Signature


def anchors(n=20, *, labels=(), **settings):
    """An anchor set of n pairs; labels from the first pair on."""
    rated = [*labels, *[None] * (n - len(labels))]
    pairs = tuple(AnchorPair(str(at), f"It is {at}.", f"So {at}.", label) for at, label in enumerate(rated))
    return AnchorSet(**({"dataset": "answers", "name": "pairs", "pairs": pairs} | settings))


class MadeUpRuler:
    """Reads what it is set to, under one name; exact unless it is said to have noise."""

    def __init__(self, values, *, name="toy", is_exact=True, repeats=1, noise=None):
        self.values, self.is_exact, self.repeats, self._noise = values, is_exact, repeats, noise
        self.rounding = 1e-4 if is_exact else 0.0
        self.scores = ("match",)
        self.signature = Signature.of("ruler", model=name)
        self.n_read = 0

    def readings(self, pairs, *, progress=None):
        self.n_read += 1
        noise = 0.0 if self._noise is None else self._noise.normal(0, 0.05, len(pairs))
        return {"match": np.clip(np.full(len(pairs), self.values) + noise, 0, 1)}
