"""The functions of ``semantic_similarity_rating.compute`` on Semscale's arithmetic.

``from semscale.compat.ssr.compute import response_embeddings_to_pmf, scale_pmf`` works, too.
"""

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.rating.readouts import sharpen_pmf, ssr_ratings
from semscale.types import Floats

_MATRIX_AXES = 2


def response_embeddings_to_pmf(
    matrix_responses: npt.ArrayLike, matrix_likert_sentences: npt.ArrayLike, epsilon: float = 0.0
) -> Floats:
    """Turn response embeddings into PMFs over a scale's points; see ``similarity_pmf`` of the readout SSR.

    Args:
        matrix_responses: shape (n, d), or (d,) for one response.
        matrix_likert_sentences: shape (d, k): one column per point.
        epsilon: at least 0; it is given to the least similar point.

    Returns:
        Shape (n, k), rows sum to 1; (0, k) for no responses.

    Raises:
        InputError: the shapes differ, or vectors, whose rows the message names, have NaN or length 0.

    Example:
        >>> response_embeddings_to_pmf(np.array([[1.0, 1.0, 0.0]]), np.eye(3)).round(3).tolist()
        [[0.5, 0.5, 0.0]]
    """
    sentences = np.asarray(matrix_likert_sentences)
    if sentences.ndim != _MATRIX_AXES:
        raise InputError(
            f"matrix_likert_sentences must have shape (dimensions, points), got {sentences.shape}"
        )
    responses = np.asarray(matrix_responses)
    if responses.shape[-1:] != sentences.shape[:1] and responses.shape[-1:] == sentences.shape[1:]:
        raise InputError(
            f"matrix_likert_sentences must have one column per point, got {sentences.shape}: transpose it"
        )
    return ssr_ratings(responses, sentences.T[None], epsilon=epsilon, semantics="guide").pmf


def scale_pmf(pmf: npt.ArrayLike, temperature: float, max_temp: float = np.inf) -> Floats:
    """Sharpen or flatten a PMF; see ``semscale.rating.readouts.sharpen_pmf``.

    Args:
        pmf: shape (k,), or (n, k) for several.
        temperature: at least 0; 0 puts all mass on the largest; a PMF with a tie for it stays unchanged.
        max_temp: upper limit of the temperature, at least 0.

    Raises:
        InputError: the temperature or its limit is negative, or ``pmf`` is no PMF.

    Example:
        >>> scale_pmf([0.2, 0.8], temperature=0.0).tolist()
        [0.0, 1.0]
    """
    if not max_temp >= 0:
        raise InputError(f"max_temp must be 0 or more, got {max_temp}")
    return sharpen_pmf(pmf, temperature=min(temperature, max_temp), semantics="guide")
