import asyncio

import numpy as np
import pytest

from semscale.compat.inspect_ai import (
    claims_in_words,
    corrected,
    corrected_figures,
    interval,
    mean_figures,
    semscale_groundedness,
    semscale_match,
)
from semscale.errors import MissingExtraError
from semscale.self_consistency.claims.claim_support import ClaimVerdict, Support

PASSAGE = "The Eiffel tower stands in Paris and was built in 1889."


def test_epochs_of_one_sample_count_together():
    # 100 samples of four equal epochs say as much as 100 scores, not as 400: the interval is twice as wide.
    values = np.repeat(np.arange(100) % 2, 4).astype(float)
    alone = mean_figures(values, [str(at) for at in range(400)])
    together = mean_figures(values, [str(at // 4) for at in range(400)])
    assert alone["mean"] == together["mean"] == 0.5
    widths = [found["high"] - found["low"] for found in (alone, together)]
    assert widths[1] / widths[0] == pytest.approx(2, abs=0.1)


def test_a_mean_is_corrected_by_people_and_scores_of_a_sample_are_averaged():
    # The scorer says 1 of every sample; people say 1 of half of the 20 that they see.
    values, samples = np.ones(200), [str(at // 2) for at in range(200)]
    labels = {str(at): float(at % 2) for at in range(20)}
    found = corrected_figures(values, samples, labels)
    assert found["uncorrected"] == 1.0
    assert found["bias"] == 0.5
    assert found["mean"] == pytest.approx(0.5)
    assert found["labels"] == 20
    assert found["low"] < 0.5 < found["high"]


def test_claims_that_are_not_supported_are_named_with_the_reason():
    claims = [
        ClaimVerdict("It is in Paris.", Support.SUPPORTED, 0.9),
        ClaimVerdict("It is new.", Support.CONTRADICTED, 0.5, "It is old.", 0, "new is not old"),
        ClaimVerdict("It is red.", Support.NOT_FOUND, 0.1),
    ]
    assert claims_in_words(claims) == 'contradicted: "It is new." (new is not old)\nnot-found: "It is red."'
    assert claims_in_words(claims[:1]) is None


def test_without_the_extra_the_message_names_it(monkeypatch):
    monkeypatch.setattr("semscale.extras.find_spec", lambda name: None)
    for build in (semscale_match, semscale_groundedness, interval, lambda: corrected({})):
        with pytest.raises(MissingExtraError, match=r"semscale\[inspect\]"):
            build()


@pytest.mark.needs("inspect")
class TestInTasks:
    def state(self, text, **metadata):
        from inspect_ai.model import ModelOutput
        from inspect_ai.solver import TaskState

        return TaskState(
            model="made-up/model", sample_id=1, epoch=1, input="q", messages=[], metadata=metadata,
            output=ModelOutput.from_content("made-up/model", text),
        )  # fmt: skip

    def test_a_match_with_several_targets(self):
        from inspect_ai.scorer import Target

        score = asyncio.run(semscale_match()(self.state("It is Paris."), Target(["Rome", "Paris"])))
        assert score.value > 0.7
        assert score.metadata["status"] == "scored"

    def test_groundedness_in_the_metadata_of_the_sample(self):
        from inspect_ai.scorer import Target

        state = self.state("The tower is in Paris. It was built in 1920.", context=PASSAGE)
        score = asyncio.run(semscale_groundedness()(state, Target("")))
        assert score.value == 0.5
        assert score.explanation.startswith('contradicted: "It was built in 1920."')
        lost = asyncio.run(semscale_groundedness()(self.state("It is tall."), Target("")))
        assert np.isnan(lost.value)
        assert lost.metadata["status"] == "no-reference"

    def test_metrics_of_scores(self):
        from inspect_ai.scorer import SampleScore, Score

        scores = [SampleScore(score=Score(value=float(at % 2)), sample_id=at) for at in range(20)]
        assert interval()(scores)["mean"] == 0.5
        assert corrected({"0": 1.0, "1": 1.0, "2": 1.0, "3": 1.0})(scores)["labels"] == 4.0
