"""Arrays with the methods of the tensors that ``bert_score.score`` returns."""

from typing import Self

import numpy as np
import numpy.typing as npt


class ScoreArray(npt.NDArray[np.float64]):
    """A NumPy array with the methods of a tensor that callers of ``bert_score`` use.

    Example:
        >>> scores = np.array([0.25, 0.75]).view(ScoreArray)
        >>> scores.cpu().numpy().tolist(), scores.mean().item()
        ([0.25, 0.75], 0.5)
    """

    def cpu(self) -> Self:
        """Return the array itself, as it is in memory already."""
        return self

    def detach(self) -> Self:
        """Return the array itself, as it has no gradient."""
        return self

    def numpy(self) -> npt.NDArray[np.float64]:
        """Return a plain NumPy array that shares the memory."""
        return self.view(np.ndarray)


Triple = tuple[ScoreArray, ScoreArray, ScoreArray]
"""Precision, recall and F1, each of shape (n,), or (layers + 1, n) with ``all_layers``."""
