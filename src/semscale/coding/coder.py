"""Scores of answers on the codes of a codebook."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.coding.codebook import CodeFrame
from semscale.coding.prototypes import LEVEL, embed_codebook
from semscale.embedding.loading import as_embedder
from semscale.embedding.part_progress import shifted
from semscale.embedding.texts import distinct
from semscale.rating.cells import text_status
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask, Progress, Status, Statuses, are_scored

if TYPE_CHECKING:
    from pathlib import Path

    from semscale.embedding.embedder import Embedder

_AT_ONCE = 8192


@dataclass(frozen=True)
class CodeScores:
    """How like k codes n answers are.

    Attributes:
        codebook: the codes.
        likeness: shape (n, k): 0 as an example of another code, 1 as one of the code's own; NaN where there
            is no text. It is no probability.
        text_status: shape (n,), each a ``Status``: whether an answer could be read, and if not, why.
        signature: what was applied.
    """

    codebook: CodeFrame
    likeness: Floats
    text_status: Statuses
    signature: Signature

    def some(self, rows: Integers) -> "CodeScores":
        """Keep the scores of some answers, by their numbers from 0."""
        return replace(self, likeness=self.likeness[rows], text_status=self.text_status[rows])


class Coder:
    """Scores answers on the codes of a codebook by their cosines with its examples and definitions.

    Args:
        codebook: the codes.
        embedder: a model's name, a folder, or what ``load_embedder`` gives; the default model unless given.

    Raises:
        InputError: two codes are alike, or no embedder.
        ModelError: the model cannot be run.

    References:
        Codes given by examples and a definition are prototypes in the sense of Snell, Swersky and Zemel
        (2017), Prototypical networks for few-shot learning, arXiv 1703.05175.
    """

    def __init__(self, codebook: CodeFrame, *, embedder: "str | Path | Embedder | None" = None) -> None:
        self.codebook = codebook
        self._embedder = as_embedder(embedder)
        self._prototypes = embed_codebook(codebook, self._embedder)

    @property
    def signature(self) -> Signature:
        """What is applied: the codebook, how scores are made, and the embedder."""
        named = f"{self.codebook.name}#{self.codebook.content_hash}".replace("|", "/").replace(":", "/")
        return Signature.of("code", codebook=named, codes=len(self.codebook.codes), level=LEVEL).extended(
            self._embedder.signature
        )

    def score(self, cells: Sequence[Any], *, progress: Progress | None = None) -> CodeScores:
        """Score a column of answers, of which some may be missing or no text; equal texts are read once.

        Args:
            cells: n answers.
            progress: called while texts are embedded.
        """
        status = np.array([text_status(cell) for cell in cells], dtype=object)
        likeness: Floats = np.full((len(cells), len(self.codebook.codes)), np.nan)
        readable = np.flatnonzero(are_scored(status))
        texts, place = distinct([str(cells[row]) for row in readable.tolist()])
        found: Floats = np.full((len(texts), likeness.shape[1]), np.nan)
        for start in range(0, len(texts), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            embedded = self._embedder.embed(texts[some], progress=shifted(progress, start, len(texts)))
            found[some] = np.where(
                embedded.unread[:, None], np.nan, self._prototypes.likeness(embedded.vectors)
            )
        likeness[readable] = found[place]
        unread: Mask = np.asarray(np.isnan(likeness[readable]).all(axis=1))
        status[readable[unread]] = Status.WEIGHTLESS
        return CodeScores(self.codebook, likeness, status, self.signature)
