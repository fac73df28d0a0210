"""Scores of answers on codes: likeness by examples and definitions, and probability by hand-coded answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import polars as pl

from semscale.coding.codebook import Codebook
from semscale.embedding.loading import as_embedder
from semscale.embedding.part_progress import shifted
from semscale.embedding.texts import distinct
from semscale.errors import InputError
from semscale.rating.cells import text_status
from semscale.results.result_columns import PRIVATE, STATUSES, VECTORS, declared, values_in, written
from semscale.signature import Signature
from semscale.stats.calibration.calibration_error import CalibrationFigures, calibration_figures
from semscale.stats.calibration.calibrators import PlattCurve, fit_platt
from semscale.stats.calibration.folds import FOLDS, folds_of
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.roc_areas import roc_area
from semscale.store.columns import column_in
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Floats, Integers, Mask, Progress, Status, Statuses, Vectors, are_scored

if TYPE_CHECKING:
    from pathlib import Path

    from semscale.embedding.embedder import Embedder

MOST_ALIKE = 0.95
"""Cosine of two codes' mean vectors above which nobody could say which of them an answer has."""

BEST = 2
"""How many of a code's texts an answer must be near."""

LEVEL = 0.5
"""Part of an answer's mean over all codes that is subtracted, as some answers are near to everything."""

FEWEST_OF_EACH = 5
"""Hand-coded answers with a code, and without it, that its calibration needs: each fold has one of each."""

_BATCH, _TABLE_BATCH = 8192, 50_000
_HALF = 0.5


@dataclass(frozen=True)
class CodeScores:
    """Likeness of n answers to k codes.

    Attributes:
        codebook: the codes.
        likeness: shape (n, k): 0 as an example of another code, 1 as one of the code's own; NaN where there
            is no text. It is no probability.
        text_status: shape (n,), each a ``Status``: whether an answer could be read, and if not, why.
        signature: what was applied.
    """

    codebook: Codebook
    likeness: Annotated[Floats, VECTORS.private]
    text_status: Annotated[Statuses, STATUSES.private]
    signature: Signature

    def stored(self) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the scores as a run stores them; ``from_part`` reads them back."""
        frame, names = written(self, private=True, prefix=PREFIX)
        return frame, {"columns": names}

    @classmethod
    def from_part(cls, frame: pl.DataFrame, header: Mapping[str, Any], **rest: Any) -> "CodeScores":
        """Read scores back from what ``stored`` returned; the rest is codebook and signature."""
        return cls(**values_in(cls, frame, header["columns"], prefix=PREFIX), **rest)

    @classmethod
    def private_columns(cls) -> tuple[str, ...]:
        """Return the names of columns that only the run's parts have."""
        return tuple(PREFIX + PRIVATE + name for name in declared(cls))

    def some(self, rows: Integers) -> "CodeScores":
        """Select the scores of some answers, by their numbers from 0."""
        return replace(self, likeness=self.likeness[rows], text_status=self.text_status[rows])


class Coder:
    """Scores answers on the codes of a codebook by their cosines with its examples and definitions.

    Args:
        codebook: the codes.
        embedder: a model's name, a folder, or what ``load_embedder`` returns; the default model if omitted.

    Raises:
        InputError: two codes are alike, examples are no nearer to their own code than to others, or no
            embedder.
        ModelError: the model cannot be run.

    References:
        Codes given by examples and a definition are prototypes in the sense of Snell, Swersky and Zemel
        (2017), Prototypical networks for few-shot learning, arXiv 1703.05175.
    """

    def __init__(self, codebook: Codebook, *, embedder: "str | Path | Embedder | None" = None) -> None:
        self.codebook = codebook
        self._embedder = as_embedder(embedder)
        texts = [code.prototypes for code in codebook.codes]
        texts += [code.negative_examples for code in codebook.codes]
        vectors = self._embedder.embed([text for some in texts for text in some]).vectors
        parts = np.split(vectors, np.cumsum([len(some) for some in texts])[:-1])
        k = len(codebook.codes)
        self._prototypes = fit_prototypes(codebook, parts[:k], parts[k:])

    @property
    def signature(self) -> Signature:
        """What is applied: the codebook, how scores are made, and the embedder."""
        name = f"{self.codebook.name}#{self.codebook.content_hash}".replace("|", "/").replace(":", "/")
        return Signature.of("code", codebook=name, codes=len(self.codebook.codes), level=LEVEL).extended(
            self._embedder.signature
        )

    def score(self, cells: Sequence[Any], *, progress: Progress | None = None) -> CodeScores:
        """Score a column of answers, of which some may be missing or no text; equal texts are embedded once.

        Args:
            cells: n answers.
            progress: called while texts are embedded.
        """
        status = np.array([text_status(cell) for cell in cells], dtype=object)
        likeness: Floats = np.full((len(cells), len(self.codebook.codes)), np.nan)
        readable = np.flatnonzero(are_scored(status))
        texts, positions = distinct([str(cells[row]) for row in readable.tolist()])
        of_texts: Floats = np.full((len(texts), likeness.shape[1]), np.nan)
        for start in range(0, len(texts), _BATCH):
            batch = slice(start, start + _BATCH)
            embedded = self._embedder.embed(texts[batch], progress=shifted(progress, start, len(texts)))
            of_texts[batch] = np.where(
                embedded.unread[:, None], np.nan, self._prototypes.likeness(embedded.vectors)
            )
        likeness[readable] = of_texts[positions]
        unread: Mask = np.asarray(np.isnan(likeness[readable]).all(axis=1))
        status[readable[unread]] = Status.WEIGHTLESS
        return CodeScores(self.codebook, likeness, status, self.signature)

    def score_table(self, table: Table, column: str, *, progress: Progress | None = None) -> Floats:
        """Compute the likeness (n, k) of the answers of a table part by part; nothing else is stored.

        Args:
            table: the input.
            column: of the answers.
            progress: called while texts are embedded.
        """
        batches = table.batches_with([column], _TABLE_BATCH)
        return np.concatenate([
            self.score(column_in(batch, column).to_list(), progress=progress).likeness for batch in batches
        ])  # fmt: skip


@dataclass(frozen=True)
class Prototypes:
    """Vectors of the texts of k codes, and the scale of their scores.

    Attributes:
        codebook: the codes.
        positive: for each code, shape (p, d): its examples, then its definition.
        negative: for each code, shape (q, d), of its negative examples; q may be 0.
        zero: mean score of examples of unrelated codes, which have likeness 0.
        one: mean score of a code's own examples, each compared with the code's other texts: likeness 1.
    """

    codebook: Codebook
    positive: tuple[Vectors, ...]
    negative: tuple[Vectors, ...]
    zero: float
    one: float

    def likeness(self, vectors: Vectors) -> Floats:
        """Compute the likeness of n answers to each code, shape (n, k).

        0 is what an example of another code has on average, 1 what an example of the code itself has. A code
        with codes below it is as like as the most like of them. It is no probability.
        """
        scores = code_scores(vectors, self.positive, self.negative)
        likeness: Floats = (scores - self.zero) / (self.one - self.zero)
        return with_children(likeness, self.codebook)


def fit_prototypes(
    codebook: Codebook, positive: Sequence[Vectors], negative: Sequence[Vectors]
) -> Prototypes:
    """Put vectors of a codebook's texts on the scale of likeness.

    Args:
        codebook: k codes.
        positive: for each code the vectors of its examples, then of its definition.
        negative: likewise of its negative examples.

    Raises:
        InputError: two codes are alike, or examples are no nearer to their own code than to others.
    """
    _check_alike(codebook, positive)
    zero, one = _example_means(codebook, positive, negative)
    if not one > zero:
        raise InputError(
            f"codebook {codebook.name!r}: examples are no nearer to their own code than to the others: give "
            "clearer examples and definitions, or another --model"
        )
    return Prototypes(codebook, tuple(positive), tuple(negative), zero, one)


def code_scores(vectors: Vectors, positive: Sequence[Vectors], negative: Sequence[Vectors]) -> Floats:
    """Score answers on k codes.

    A code's nearness is the mean of the two greatest cosines of the answer with its examples and definition,
    minus the amount by which the nearest negative example is nearer than that. The score is the nearness
    minus half of the answer's mean nearness to all codes.

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
    columns = []
    for examples, negatives in zip(positive, negative, strict=True):
        best = min(BEST, len(examples))
        cosines = _cosines(vectors, examples)
        near: Floats = np.partition(cosines, -best, axis=1)[:, -best:].mean(axis=1, dtype=np.float64)
        if len(negatives):
            near = near - np.maximum(_cosines(vectors, negatives).max(axis=1) - near, 0)
        columns.append(near)
    nearness = np.stack(columns, axis=1)
    scores: Floats = nearness - LEVEL * nearness.mean(axis=1, keepdims=True)
    return scores


def with_children(values: Floats, codebook: Codebook) -> Floats:
    """Give each code at least the value of every code below it, shape (n, k); NaN gives nothing.

    Args:
        values: shape (n, k), NaN where not known.
        codebook: k codes.
    """
    raised = values.copy()
    positions = {name: position for position, name in enumerate(codebook.names)}
    for position, name in enumerate(codebook.names):
        for parent in codebook.ancestors(name):
            column = positions[parent]
            raised[:, column] = np.fmax(raised[:, column], values[:, position])
    return raised


def _cosines(vectors: Vectors, examples: Vectors) -> Floats:
    """Cosines (n, p) of answers with examples, the same to the last bit whatever other answers there are.

    In which order a matrix product sums depends on its shape, so each answer has a product of its own.
    """
    return np.asarray(np.matmul(examples[None], vectors[:, :, None])[:, :, 0])


def _check_alike(codebook: Codebook, positive: Sequence[Vectors]) -> None:
    """Check that no two codes are alike, except for a code and one above it."""
    means = np.stack([vectors.mean(axis=0) for vectors in positive]).astype(np.float64)
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    cosines = means @ means.T
    for later, name in enumerate(codebook.names):
        for earlier, other in enumerate(codebook.names[:later]):
            if cosines[later, earlier] > MOST_ALIKE and not codebook.are_related(name, other):
                raise InputError(
                    f"codes {other!r} and {name!r} are alike (cosine {cosines[later, earlier]:.3f}, at most "
                    f"{MOST_ALIKE:g}): join them, or tell them apart by other examples and definitions"
                )


def _example_means(
    codebook: Codebook, positive: Sequence[Vectors], negative: Sequence[Vectors]
) -> tuple[float, float]:
    """Average the scores of examples on unrelated codes, and on their own code without the example itself."""
    own: list[float] = []
    unrelated: list[float] = []
    for position, name in enumerate(codebook.names):
        for example in range(len(positive[position]) - 1):
            rest = list(positive)
            rest[position] = np.delete(positive[position], example, axis=0)
            scores = code_scores(positive[position][[example]], rest, negative)[0]
            own.append(scores[position])
            unrelated += [
                score
                for score, other in zip(scores, codebook.names, strict=True)
                if not codebook.are_related(name, other)
            ]
    if not unrelated:
        raise InputError(
            f"codebook {codebook.name!r} needs two codes of which neither is above the other: "
            "scores compare them"
        )
    return float(np.mean(unrelated)), float(np.mean(own))


@dataclass(frozen=True)
class CodeCalibration:
    """Curves from the score of one code to its probability, fitted to m hand-coded answers.

    Attributes:
        curve: from score to probability, of all labels; ``None`` where there are too few.
        n_with: labels of people who gave the code.
        n_without: labels of people who did not.
        figures: quality of probabilities for answers that their curve was not fitted to; ``None`` without a
            curve.
        area: chance that an answer with the code has a higher score than one without it; ``None`` likewise.
        fold_curves: curves of five folds, each fitted without one part of the labels; empty likewise.
        fold: shape (m,), the part that each answer is in; -1 for one without a score or a label.
    """

    curve: PlattCurve | None
    n_with: int
    n_without: int
    figures: CalibrationFigures | None = None
    area: Estimate | None = None
    fold_curves: tuple[PlattCurve, ...] = field(default=(), repr=False, compare=False)
    fold: Integers = field(default_factory=lambda: np.zeros(0, np.int64), repr=False, compare=False)

    def probability(self, scores: Floats) -> Floats:
        """Compute the probability (n,) for scores (n,) by the curve of all labels; NaN without a curve."""
        return np.full(len(scores), np.nan) if self.curve is None else self.curve.probability(scores)

    def held_out(self, scores: Floats, hand_coded: Integers) -> Floats:
        """Compute the values that corrected shares are made of, shape (n,).

        For hand-coded answers it is the probability by a curve that was fitted without them, for others the
        mean of these curves; the score itself where there is no curve.

        Args:
            scores: shape (n,).
            hand_coded: shape (n,), position of each answer among the m hand-coded ones; -1 for others.

        References:
            Zrnic and Candes (2024), Cross-prediction-powered inference, doi 10.1073/pnas.2322083121.
        """
        if not self.fold_curves:
            return scores
        values: Floats = np.mean([curve.probability(scores) for curve in self.fold_curves], axis=0)
        fold = np.where(hand_coded < 0, -1, self.fold[hand_coded])
        for part, curve in enumerate(self.fold_curves):
            values[fold == part] = curve.probability(scores[fold == part])
        return values


def calibrate_code(scores: Floats, hand: Floats, *, interval: float = 0.95, seed: int = 0) -> CodeCalibration:
    """Fit Platt's curve of one code, and the curves of five folds for honest figures.

    Each person's code of an answer is one label; labels of one answer are never separated.

    Args:
        scores: shape (m,), of any scale; NaN where an answer has none.
        hand: shape (c, m), 1 with the code, 0 without, NaN where a person did not code; c may be 0.
        interval: coverage of the figures' intervals.
        seed: of the folds.

    References:
        Platt (1999), as ``fit_platt``.
    """
    person, row = np.nonzero(~np.isnan(hand) & ~np.isnan(scores))
    labels, values = hand[person, row], scores[row]
    n_with, n_without = int((labels > _HALF).sum()), int((labels < _HALF).sum())
    rows_with, rows_without = (len(np.unique(row[labels == label])) for label in (1.0, 0.0))
    if min(rows_with, rows_without) < FEWEST_OF_EACH:
        return CodeCalibration(None, n_with, n_without)
    fold = folds_of(len(row), groups=row, folds=FOLDS, seed=seed)
    fold_curves = tuple(
        fit_platt(values[fold != part], labels[fold != part]) for part in range(int(fold.max()) + 1)
    )
    held_out = np.empty(len(row))
    for part, curve in enumerate(fold_curves):
        held_out[fold == part] = curve.probability(values[fold == part])
    fold_of_answer: Integers = np.full(len(scores), -1, np.int64)
    fold_of_answer[row] = fold
    return CodeCalibration(
        fit_platt(values, labels),
        n_with,
        n_without,
        calibration_figures(held_out, labels, clusters=row.astype(np.int64), interval=interval, seed=seed),
        roc_area(values[labels == 1], values[labels == 0], interval=interval),
        fold_curves,
        fold_of_answer,
    )
