"""Models that adapt the evidence to the answers: one learns from the answers alone, one from hand codes."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from semscale.types import Floats, Integers

_CORPUS_PENALTY = 1.0
_REGRESSION_PENALTY = 3.0
_MOST_EVIDENCE = 4.0  # in a regression, where a single sentence would count too much

# Penalties of squared parameters. The first belongs to all codes together, the others to one code.
_SHARED_PENALTY = 1.0
_INTERCEPT_PENALTY, _FEATURE_PENALTY, _VECTOR_PENALTY = 0.2, 10.0, 0.05

_CURVATURE = 0.003
"""Usual curvature of the loss in a direction of the vectors, per sentence."""

_SHARPNESS = 3.0
"""Sharpness of the soft maximum over an answer's sentences: log of the sum of exp(3 v), divided by 3."""

_LEAST_SPREAD = 1e-6  # of a feature that differs between sentences
_STEPS, _NEWTON_STEPS = 5_000, 100
_ROUNDING = 1e-6  # of a loss
_GRADIENT = 1e-7  # so small that the order in which a processor sums changes no decision


@dataclass(frozen=True)
class CorpusModel:
    """Linear model of the evidence for k codes in the vectors of sentences.

    The evidence of single sentences is noisy. A model that predicts it from the vectors has learned from all
    sentences what those with evidence have in common, and so finds a code in words that the codebook does not
    have. The result is the mean of evidence and prediction.

    Attributes:
        intercepts: shape (k,).
        weights: shape (k, d).
    """

    intercepts: Floats
    weights: Floats

    @classmethod
    def fit(cls, vectors: Floats, logits: Floats) -> "CorpusModel":
        """Fit a logistic model for each code with the probabilities of the evidence as soft labels.

        Args:
            vectors: shape (m, d), unit length.
            logits: shape (m, k), the evidence.

        References:
            Learning from a model's own soft labels is described by Lee (2013), Pseudo-label, ICML workshop.
        """
        fitted = np.array([_fit_soft_labels(vectors, expit(column)) for column in logits.T])
        return cls(fitted[:, 0], fitted[:, 1:])

    @classmethod
    def regress(cls, vectors: Floats, logits: Floats) -> "CorpusModel":
        """Fit a linear model of the evidence by ridge regression, which takes little time.

        Args:
            vectors: shape (m, d), unit length.
            logits: shape (m, k), the evidence.
        """
        evidence = np.clip(logits, -_MOST_EVIDENCE, _MOST_EVIDENCE)
        middle, mean = vectors.mean(axis=0), evidence.mean(axis=0)
        centred = vectors - middle
        penalty = _REGRESSION_PENALTY * np.eye(vectors.shape[1])
        weights = np.linalg.solve(centred.T @ centred + penalty, centred.T @ (evidence - mean)).T
        return cls(mean - weights @ middle, weights)

    def adapt(self, vectors: Floats, logits: Floats) -> Floats:
        """Average evidence (m, k) and its prediction from vectors (m, d)."""
        adapted: Floats = (logits + self.intercepts + _products(vectors, self.weights)) / 2
        return adapted


@dataclass(frozen=True)
class LabelModel:
    """Correction of the evidence for k codes that hand-coded answers have taught.

    Attributes:
        shared: shape (1 + f,), intercept and weights of features for all codes.
        intercepts: shape (k,).
        features: shape (k, f), weights of the features of each code.
        vectors: shape (k, d), weights of the sentences' vectors.
        middle: shape (f,), means that are subtracted from features.
        scale: shape (f,), standard deviations by which features are divided.
    """

    shared: Floats
    intercepts: Floats
    features: Floats
    vectors: Floats
    middle: Floats
    scale: Floats

    @classmethod
    def fit(cls, sentences: "LearningSentences", codes: Floats) -> "LabelModel":
        """Fit one regularised model for all codes.

        An answer has a code if the soft maximum of its sentences' corrected evidence is above 0. So the hand
        codes of whole answers teach which of their sentences have the code (multiple-instance learning).

        Args:
            sentences: the sentences of m answers.
            codes: shape (m, k), 1 with the code, 0 without, shares where people differ; NaN if unknown.
        """
        k, f = codes.shape[1], sentences.features.shape[2]
        middle, spread = sentences.features.mean(axis=(0, 1)), sentences.features.std(axis=(0, 1))
        scale = np.where(spread > _LEAST_SPREAD, spread, 1.0)
        features = (sentences.features - middle) / scale
        axes, points, vector_penalty = _in_even_steps(sentences.vectors)
        d = points.shape[1]
        penalty = np.concatenate([
            np.full(1 + f, _SHARED_PENALTY), np.full(k, _INTERCEPT_PENALTY),
            np.full(k * f, _FEATURE_PENALTY), np.tile(vector_penalty, k),
        ])  # fmt: skip
        known, target = ~np.isnan(codes), np.nan_to_num(codes)

        def model(parameters: Floats) -> LabelModel:
            shared, intercepts, own, vectors = np.split(parameters, np.cumsum([1 + f, k, k * f]))
            return cls(shared, intercepts, own.reshape(k, f), vectors.reshape(k, d), middle, scale)

        def loss(parameters: Floats) -> tuple[float, Floats]:
            fitted = model(parameters)
            values = sentences.logits + fitted._of_features(features) + points @ fitted.vectors.T
            of_answers, share = sentences.soft_maximum(values)
            cost = np.logaddexp(0, of_answers) - target * of_answers
            residual = np.where(known, expit(of_answers) - target, 0.0)[sentences.answers] * share
            of_features = (residual[:, :, None] * features).sum(axis=0)
            slope = np.concatenate([
                [residual.sum()], of_features.sum(axis=0), residual.sum(axis=0), of_features.ravel(),
                (residual.T @ points).ravel(),
            ])  # fmt: skip
            total = cost[known].sum() + (penalty * parameters**2).sum() / 2
            return float(total), slope + penalty * parameters

        fitted = model(_minimise(loss, len(penalty)))
        return replace(fitted, vectors=fitted.vectors @ axes)

    def correct(self, logits: Floats, features: Floats, vectors: Floats) -> Floats:
        """Correct the evidence (m, k) of sentences with features (m, k, f) and vectors (m, d)."""
        corrected: Floats = logits + self._of_features((features - self.middle) / self.scale)
        return corrected + _products(vectors, self.vectors)

    def _of_features(self, features: Floats) -> Floats:
        weighted: Floats = (features * (self.shared[1:] + self.features)).sum(axis=2)
        weighted += self.shared[0] + self.intercepts
        return weighted


@dataclass(frozen=True)
class LearnedCodes:
    """Evidence as hand-coded answers have taught to weigh it.

    The corrected evidence of the corpus is predicted from its vectors, as by a ``CorpusModel`` without hand
    codes. So what hand codes teach about one sentence holds for similar ones.

    Attributes:
        labels: the correction.
        corpus: prediction of the corrected evidence; ``None`` without a corpus.
        thresholds: shape (k,), mean of correction and prediction at which as many sentences of the corpus
            are above as have a correction above 0; 0 without a corpus.
    """

    labels: LabelModel
    corpus: CorpusModel | None
    thresholds: Floats

    @classmethod
    def fit(
        cls, sentences: "LearningSentences", codes: Floats, corpus: "LearningSentences | None"
    ) -> "LearnedCodes":
        """Fit the models.

        Args:
            sentences: the sentences of m answers.
            codes: shape (m, k), see ``LabelModel.fit``.
            corpus: sentences of all answers; ``None`` if there are too few.
        """
        labels = LabelModel.fit(sentences, codes)
        if corpus is None:
            return cls(labels, None, np.zeros(codes.shape[1]))
        corrected = labels.correct(corpus.logits, corpus.features, corpus.vectors)
        model = CorpusModel.regress(corpus.vectors, corrected)
        means = model.adapt(corpus.vectors, corrected)
        counts = (corrected > 0).sum(axis=0)
        return cls(labels, model, np.array([_threshold(*pair) for pair in zip(means.T, counts, strict=True)]))

    def correct(self, sentences: "LearningSentences") -> Floats:
        """Return the corrected evidence in n sentences, shape (n, k)."""
        corrected = self.labels.correct(sentences.logits, sentences.features, sentences.vectors)
        if self.corpus is not None:
            corrected = self.corpus.adapt(sentences.vectors, corrected)
        return corrected - self.thresholds


def _threshold(values: Floats, n: int) -> float:
    """Return the middle between the n-th and the next of values in descending order, for n from 1."""
    n = int(np.clip(n, 1, len(values) - 1))
    descending = -np.sort(-values)
    return float(descending[n - 1] + descending[n]) / 2


@dataclass(frozen=True)
class LearningSentences:
    """Evidence in the n sentences of m answers.

    Attributes:
        answers: shape (n,), number of each sentence's answer, ascending from 0 without gaps.
        logits: shape (n, k), evidence.
        features: shape (n, k, f).
        vectors: shape (n, d).
    """

    answers: Integers
    logits: Floats
    features: Floats
    vectors: Floats

    def of(self, answers: Integers) -> "LearningSentences":
        """Select the sentences of some answers, which are numbered from 0 again.

        Args:
            answers: numbers of the answers, ascending.
        """
        rows = np.flatnonzero(np.isin(self.answers, answers))
        numbers = np.searchsorted(answers, self.answers[rows])
        return LearningSentences(numbers, self.logits[rows], self.features[rows], self.vectors[rows])

    def soft_maximum(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the soft maximum of each answer's values, shape (m, k), and the sentences' shares in it.

        Args:
            values: shape (n, k).

        Returns:
            The maxima, and each sentence's share of its answer's derivative, shape (n, k).
        """
        first = np.searchsorted(self.answers, np.arange(self.answers[-1] + 1))
        greatest = np.maximum.reduceat(values, first)
        powers = np.exp(_SHARPNESS * (values - greatest[self.answers]))
        sums = np.add.reduceat(powers, first)
        return greatest + np.log(sums) / _SHARPNESS, powers / sums[self.answers]


def _in_even_steps(vectors: Floats) -> tuple[Floats, Floats, Floats]:
    """Return directions of vectors in which the loss curves alike, so that few steps lead to its minimum.

    Args:
        vectors: shape (n, d).

    Returns:
        The directions, shape (q, d), with one row for each parameter; the products of vectors and directions,
        shape (n, q); and the penalties of the parameters, shape (q,).
    """
    _, sizes, axes = np.linalg.svd(vectors, full_matrices=False)
    curvature = _CURVATURE * sizes**2 + _VECTOR_PENALTY
    directions = axes / np.sqrt(curvature)[:, None]
    return directions, vectors @ directions.T, _VECTOR_PENALTY / curvature


def _fit_soft_labels(vectors: Floats, target: Floats) -> Floats:
    """Fit a logistic model (1 + d,) to probabilities (m,), with an L2 penalty on all but the intercept.

    Newton's method: a step that would raise the loss is halved until it does not.
    """
    design = np.column_stack([np.ones(len(vectors)), vectors])
    penalty = np.full(design.shape[1], _CORPUS_PENALTY)
    penalty[0] = 0.0

    def loss(parameters: Floats) -> float:
        logits = design @ parameters
        cost = np.logaddexp(0, logits) - target * logits
        return float(cost.sum() + (penalty * parameters**2).sum() / 2)

    parameters = np.zeros(design.shape[1])
    for _ in range(_NEWTON_STEPS):
        chance = expit(design @ parameters)
        slope = design.T @ (chance - target) + penalty * parameters
        if np.abs(slope).max() < _GRADIENT:
            break
        weighted = design * (chance * (1 - chance))[:, None]
        step = np.linalg.solve(design.T @ weighted + np.diag(penalty), slope)
        before = loss(parameters) + _ROUNDING
        while loss(parameters - step) > before:
            step /= 2
        parameters -= step
    return parameters


def _minimise(loss: Callable[[Floats], tuple[float, Floats]], n: int) -> Floats:
    found = minimize(
        loss,
        np.zeros(n),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": _STEPS, "maxfun": 2 * _STEPS, "maxcor": 20, "ftol": 1e-15, "gtol": _GRADIENT},
    )
    return np.asarray(found.x)


def _products(vectors: Floats, weights: Floats) -> Floats:
    """Compute the products (m, k) of vectors with weights, bit-identical regardless of the other vectors."""
    return np.asarray(np.matmul(weights[None], vectors[:, :, None])[:, :, 0])
