"""The interface of ``semantic-similarity-rating``, as in its guide, on Semscale's arithmetic.

In the guide's import lines, write ``semscale.compat.ssr`` instead of ``semantic_similarity_rating``; the
modules ``compute`` and ``response_rater`` work, too. Ratings follow the published equation, including
epsilon, with the edge cases of the guide: equal similarities give a uniform PMF, and T = 0 with a tie leaves
the PMF unchanged. Scales may have 2 to 11 points.

Example:
    >>> from semscale.compat.ssr.compute import scale_pmf
    >>> scale_pmf([0.2, 0.8], temperature=0.0).tolist()
    [0.0, 1.0]
"""

import sys

from semscale.compat import ssr_compute as compute
from semscale.compat import ssr_response_rater as response_rater
from semscale.compat.ssr_compute import response_embeddings_to_pmf, scale_pmf
from semscale.compat.ssr_response_rater import ResponseRater

__all__ = ["ResponseRater", "compute", "response_embeddings_to_pmf", "response_rater", "scale_pmf"]

# The import system looks in ``sys.modules`` first, so these imports work although this is no package.
sys.modules[f"{__name__}.compute"] = compute
sys.modules[f"{__name__}.response_rater"] = response_rater
