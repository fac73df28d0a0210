import pytest

from semscale.results.reasons import reason_words
from semscale.types import Status


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.SCORED])
def test_every_status_without_a_score_has_words(status):
    words = reason_words(status, "the answer")
    assert " " in words
    assert "{" not in words
