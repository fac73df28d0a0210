"""The function that rates vectors by the readout that was chosen."""

from collections.abc import Callable
from functools import partial

from semscale.rating.readouts import ordinal, ssr
from semscale.rating.readouts.array_checks import Semantics
from semscale.rating.readouts.readout_choice import Readout
from semscale.rating.readouts.vector_ratings import VectorRatings


def readout_function(
    readout: Readout, *, semantics: Semantics, epsilon: float, temperature: float
) -> Callable[..., VectorRatings]:
    """Return ``rate_vectors`` of a readout with its settings; it takes vectors, anchors and ``values``.

    Args:
        readout: ``ssr`` or ``ordinal``.
        semantics: of SSR; the ordinal readout has none.
        epsilon: at least 0.
        temperature: at least 0.

    Example:
        >>> rated = readout_function("ordinal", semantics="safe", epsilon=0.0, temperature=1.0)
        >>> rated([[0.0, 2.0]], [[[1.0, 0.0], [0.0, 1.0]]]).best_similarity.tolist()
        [1.0]
    """
    if readout == "ordinal":
        return partial(ordinal.rate_vectors, epsilon=epsilon, temperature=temperature)
    return partial(ssr.rate_vectors, epsilon=epsilon, temperature=temperature, semantics=semantics)
