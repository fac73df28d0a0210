"""The anchors that a rater applies, for texts of each language."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from semscale.rating.anchors.anchor_vectors import AnchorVectors
from semscale.rating.anchors.model_sets import scale_for_model
from semscale.rating.calibration.predictors import Axis, anchor_axis
from semscale.rating.languages.anchor_languages import AnchorLanguages, check_language
from semscale.scales import Scale
from semscale.types import Integers, ObjectArray
from semscale.weights.model_lookup import known_model

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder


class AppliedAnchors:
    """A scale's own anchors, and translated ones for texts of their languages; made when first needed.

    Args:
        scale: with all sets that may be used; of these, those that serve the embedder's model are.
        language: as ``AnchorLanguages`` takes it.
        embedder: gives the embedder.
        floor: a cosine, ``None`` for no floor, or ``auto`` to estimate it.

    Raises:
        InputError: a language that the scale has no anchors in.
    """

    def __init__(
        self,
        scale: Scale,
        language: str | None,
        embedder: "Callable[[], Embedder]",
        floor: Literal["auto"] | float | None,
    ) -> None:
        check_language(scale, language)
        self._scale = scale
        self._language = language
        self._embedder = embedder
        self._floor = floor

    @cached_property
    def languages(self) -> AnchorLanguages:
        """Which anchors rate the texts of each language."""
        if not self._scale.sets_by_model and self._language in {None, self._scale.language}:
            return AnchorLanguages(
                self._scale, self._language
            )  # whatever the model, which need not be loaded
        embedder = self._embedder()
        model = known_model(embedder.signature)
        served = scale_for_model(self._scale, embedder)
        return AnchorLanguages(served, self._language, model.name if model else None)

    @cached_property
    def own(self) -> AnchorVectors:
        """The anchors of all texts whose language has none of its own."""
        return self._vectors(self.languages.scale)

    @cached_property
    def axis(self) -> Axis:
        """Direction from the low anchors of ``own`` to the high ones, in the scale's units."""
        return anchor_axis(self.own.vectors, self.languages.scale.values)

    @cached_property
    def topic(self) -> AnchorVectors:
        """The anchors that say whether a text is off topic: the scale's own, whatever language's rate it."""
        scale = self.languages.untranslated
        return self.own if scale is self.languages.scale else self._vectors(scale)

    @cached_property
    def _translated(self) -> dict[str, AnchorVectors]:
        languages = self.languages
        return {code: self._vectors(languages.translated(code)) for code in languages.own}

    def by_language(self, languages: ObjectArray) -> Iterator[tuple[AnchorVectors, Integers]]:
        """Give the anchors that serve, each with the places of the texts that they rate: at least one.

        Args:
            languages: shape (n,), an ISO 639-1 code for each text, or ``None``.

        Yields:
            The anchors, and the places of their texts, 0 to n - 1; each text once.
        """
        with_own = np.isin(languages, self.languages.own)
        if not with_own.all():
            yield self.own, np.flatnonzero(~with_own)
        for code in sorted(set(languages[with_own])):
            yield self._translated[code], np.flatnonzero(languages == code)

    def _vectors(self, scale: Scale) -> AnchorVectors:
        return AnchorVectors(scale, self._embedder, self._floor)
