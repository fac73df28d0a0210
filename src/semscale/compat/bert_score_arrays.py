"""What ``score`` of ``bert_score`` gives back: three arrays that can be used as its tensors are."""

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
        """Give the array itself: it is in memory already."""
        return self

    def detach(self) -> Self:
        """Give the array itself: it has no gradient."""
        return self

    def numpy(self) -> npt.NDArray[np.float64]:
        """Give a plain NumPy array of the same memory."""
        return self.view(np.ndarray)


Triple = tuple[ScoreArray, ScoreArray, ScoreArray]
"""Precision, recall and F1, each of shape (n,), or (layers + 1, n) with ``all_layers``."""
