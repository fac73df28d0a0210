"""Toy texts with people's answers: two-dimensional vectors whose direction says how good a text is."""

import numpy as np

from semscale.rating.gaussian_process import Predictors
from semscale.rating.text_style import N_STYLES

VALUES = np.arange(1.0, 6.0)


def answered(means, spread=0.7):
    """Masses of people's answers: a triangle around each mean, wide enough to touch two points."""
    masses = np.maximum(1e-9, 1 + spread - np.abs(VALUES - np.asarray(means)[:, None]))
    return masses / masses.sum(axis=1, keepdims=True)


def predictors_at(positions):
    """Texts at places 0 (worst) to 1 (best) of a quarter circle, all rated with equal shares."""
    angles = np.asarray(positions) * np.pi / 2
    vectors = np.column_stack([np.cos(angles), np.sin(angles)])
    return Predictors(vectors, np.full((len(vectors), 5), 0.2), VALUES, plain(len(vectors)))


def plain(n):
    """Styles of n texts of the same style."""
    return np.zeros((n, N_STYLES))
