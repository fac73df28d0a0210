"""How like a code an answer is: cosines with its examples and definition, and what these are worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from semscale.coding.codebook import CodeFrame
from semscale.errors import InputError
from semscale.types import Floats, Vectors

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder
    from semscale.types import Progress

MOST_ALIKE = 0.95
"""Cosine of two codes' mean vectors above which nobody could say which of them an answer has."""

BEST = 2
"""How many of a code's texts an answer must be near."""

LEVEL = 0.5
"""Part of an answer's mean over all codes that is taken off, as some answers are near to everything."""


@dataclass(frozen=True)
class Prototypes:
    """Vectors of the texts of k codes, and the scale of their scores.

    Attributes:
        codebook: the codes.
        positive: for each code, shape (p, d): its examples, then its definition.
        negative: for each code, shape (q, d), of its negative examples; q may be 0.
        strange: mean score of examples of other codes, which have likeness 0.
        own: mean score of a code's own examples, each compared with the code's other texts: likeness 1.
    """

    codebook: CodeFrame
    positive: tuple[Vectors, ...]
    negative: tuple[Vectors, ...]
    strange: float
    own: float

    def likeness(self, vectors: Vectors) -> Floats:
        """Say how like each code answers are, shape (n, k).

        0 is what an example of another code has on average, 1 what an example of the code itself has. A code
        with codes below it is as like as the most like of them. It is no probability.
        """
        scores = code_scores(vectors, self.positive, self.negative)
        likeness: Floats = (scores - self.strange) / (self.own - self.strange)
        return with_children(likeness, self.codebook)


def embed_codebook(
    codebook: CodeFrame, embedder: "Embedder", progress: "Progress | None" = None
) -> Prototypes:
    """Embed the texts of a codebook.

    Raises:
        InputError: two codes are alike, or examples are no nearer to their own code than to others.
    """
    positive = [code.prototypes for code in codebook.codes]
    negative = [code.negative_examples for code in codebook.codes]
    texts = [text for some in (*positive, *negative) for text in some]
    vectors = embedder.embed(texts, progress=progress).vectors
    ends = np.cumsum([len(some) for some in (*positive, *negative)])
    parts = np.split(vectors, ends[:-1])
    k = len(codebook.codes)
    return prototypes_of(codebook, parts[:k], parts[k:])


def prototypes_of(
    codebook: CodeFrame, positive: Sequence[Vectors], negative: Sequence[Vectors]
) -> Prototypes:
    """Put vectors of a codebook's texts on the scale of likeness.

    Args:
        codebook: k codes.
        positive: for each code the vectors of its examples, then of its definition.
        negative: likewise of its negative examples.

    Raises:
        InputError: as ``embed_codebook``.
    """
    check_alike(codebook, positive)
    own, strange = _example_scores(codebook, positive, negative)
    if not own.mean() > strange.mean():
        raise InputError(
            f"codebook {codebook.name!r}: examples are no nearer to their own code than to the others: give "
            "clearer examples and definitions, or another --model"
        )
    return Prototypes(codebook, tuple(positive), tuple(negative), float(strange.mean()), float(own.mean()))


def code_scores(vectors: Vectors, positive: Sequence[Vectors], negative: Sequence[Vectors]) -> Floats:
    """Score answers on k codes.

    A code's nearness is the mean of the two greatest cosines of the answer with its examples and definition,
    less what the nearest negative example is nearer than that. The score is the nearness less half of the
    answer's mean nearness to all codes.

    Args:
        vectors: shape (n, d), unit length.
        positive: for each code, shape (p, d), unit length.
        negative: for each code, shape (q, d), likewise; q may be 0.

    Returns:
        Shape (n, k), -1.5 to 1.5 where there are no negative examples.

    Example:
        >>> codes = [np.eye(2, dtype=np.float32)[[0]], np.eye(2, dtype=np.float32)[[1]]]
        >>> code_scores(np.array([[1, 0]], dtype=np.float32), codes, [np.zeros((0, 2))] * 2).tolist()
        [[0.75, -0.25]]
    """
    near = [
        _nearness(_cosines(vectors, own), _cosines(vectors, not_own))
        for own, not_own in zip(positive, negative, strict=True)
    ]
    nearness = np.stack(near, axis=1)
    scores: Floats = nearness - LEVEL * nearness.mean(axis=1, keepdims=True)
    return scores


def _cosines(vectors: Vectors, examples: Vectors) -> Floats:
    """Cosines (n, p) of answers with examples, the same to the last bit whatever other answers there are.

    In which order a matrix product sums depends on its shape, so each answer has a product of its own.
    """
    return np.asarray(np.matmul(examples[None], vectors[:, :, None])[:, :, 0])


def with_children(values: Floats, codebook: CodeFrame) -> Floats:
    """Give each code at least the value of every code below it, shape (n, k); NaN gives nothing.

    Args:
        values: shape (n, k), NaN where not known.
        codebook: k codes.
    """
    raised = values.copy()
    places = {name: place for place, name in enumerate(codebook.names)}
    for place, name in enumerate(codebook.names):
        for above in codebook.ancestors(name):
            raised[:, places[above]] = np.fmax(raised[:, places[above]], values[:, place])
    return raised


def check_alike(codebook: CodeFrame, positive: Sequence[Vectors]) -> None:
    """Check that no two codes are alike, but for a code and one above it.

    Raises:
        InputError: the cosine of two codes' mean vectors is above ``MOST_ALIKE``.
    """
    means = np.stack([vectors.mean(axis=0) for vectors in positive]).astype(np.float64)
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    cosines = means @ means.T
    for later, name in enumerate(codebook.names):
        for earlier in range(later):
            other = codebook.names[earlier]
            related = other in codebook.ancestors(name) or name in codebook.ancestors(other)
            if cosines[later, earlier] > MOST_ALIKE and not related:
                raise InputError(
                    f"codes {other!r} and {name!r} are alike (cosine {cosines[later, earlier]:.3f}, at most "
                    f"{MOST_ALIKE:g}): join them, or tell them apart by other examples and definitions"
                )


def _nearness(own: Floats | Vectors, not_own: Floats | Vectors) -> Floats:
    n = min(BEST, own.shape[1])
    near: Floats = np.partition(own, -n, axis=1)[:, -n:].mean(axis=1, dtype=np.float64)
    if not_own.shape[1]:
        near = near - np.maximum(not_own.max(axis=1) - near, 0)
    return near


def _example_scores(
    codebook: CodeFrame, positive: Sequence[Vectors], negative: Sequence[Vectors]
) -> tuple[Floats, Floats]:
    """Score every example by its own code without it, and by the codes that are neither above nor below."""
    own, strange = [], []
    for place, name in enumerate(codebook.names):
        related = [
            name == other or other in codebook.ancestors(name) or name in codebook.ancestors(other)
            for other in codebook.names
        ]
        for example in range(len(positive[place]) - 1):
            rest = list(positive)
            rest[place] = np.delete(positive[place], example, axis=0)
            scores = code_scores(positive[place][[example]], rest, negative)[0]
            own.append(scores[place])
            strange += [score for score, is_related in zip(scores, related, strict=True) if not is_related]
    if not strange:
        raise InputError(
            f"codebook {codebook.name!r} needs two codes of which neither is above the other: "
            "scores compare them"
        )
    return np.array(own), np.array(strange)
