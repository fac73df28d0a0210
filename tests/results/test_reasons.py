import pytest

import semscale
from semscale.report import consistency, matching, rating
from semscale.results.result import reason_words
from semscale.types import Status


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.SCORED])
def test_every_status_without_a_score_has_words(status):
    words = reason_words(status, "the answer")
    assert " " in words
    assert "{" not in words


def test_a_text_that_the_model_cannot_read_has_the_words_of_the_screen():
    answers, samples = ["👍", "It is good."], [["👎"], ["It is fine."]]
    reason = semscale.consistency(answers, samples).reasons[0]
    assert reason == reason_words(Status.WEIGHTLESS, "the answer") == rating.MEANINGS["weightless"]
    assert reason == consistency.MEANINGS["weightless"]
    assert matching.MEANINGS["weightless"].startswith(reason)
