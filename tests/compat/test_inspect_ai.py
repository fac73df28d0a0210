import asyncio
import json
import subprocess
import sys

import numpy as np
import pytest
from tests.judging.conftest import Scripted, material, plain_running
from tests.support.decision_endpoint import deciding_endpoint

from semscale.answer_consistency.claims import ClaimVerdict, Support
from semscale.compat.inspect_ai import (
    corrected,
    corrected_figures,
    explain_claims,
    interval,
    mean_figures,
    semscale_consistency,
    semscale_groundedness,
    semscale_judge,
    semscale_match,
)
from semscale.errors import MissingExtraError

EVALUATION = """
import json

from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.solver import solver

from semscale.compat.inspect_ai import semscale_consistency, semscale_match


@solver
def say():
    async def solve(state, generate):
        state.output = ModelOutput.from_content("m", ("Paris", "Paris", "Rome")[state.epoch - 1])
        return state

    return solve


task = Task(
    dataset=[Sample(input="The capital of France?", target="Paris")],
    solver=say(),
    scorer=semscale_match(),
    epochs=Epochs(3, ["mean", semscale_consistency("exact_match")]),
)
(log,) = eval(task, model="mockllm/model", log_dir="logs", display="none")
if log.status != "success":
    raise SystemExit(log.error.message)
print(json.dumps({score.reducer: score.metrics["mean"].value for score in log.results.scores}))
"""
PASSAGE = "The Eiffel tower stands in Paris and was built in 1889."


def test_epochs_of_the_same_sample_count_together():
    # 100 samples of four equal epochs say as much as 100 scores, not as 400: the interval is twice as wide.
    values = np.repeat(np.arange(100) % 2, 4).astype(float)
    alone = mean_figures(values, [str(at) for at in range(400)])
    together = mean_figures(values, [str(at // 4) for at in range(400)])
    assert alone["mean"] == together["mean"] == 0.5
    widths = [figures["high"] - figures["low"] for figures in (alone, together)]
    assert widths[1] / widths[0] == pytest.approx(2, abs=0.1)


def test_a_mean_is_corrected_by_people_and_scores_of_a_sample_are_averaged():
    # The scorer says 1 of every sample; people say 1 of half of the 20 that they see.
    values, samples = np.ones(200), [str(at // 2) for at in range(200)]
    labels = {str(at): float(at % 2) for at in range(20)}
    figures = corrected_figures(values, samples, labels)
    assert figures["uncorrected"] == 1.0
    assert figures["bias"] == 0.5
    assert figures["mean"] == pytest.approx(0.5)
    assert figures["labels"] == 20
    assert figures["low"] < 0.5 < figures["high"]


def test_claims_that_are_not_supported_are_named_with_the_reason():
    claims = [
        ClaimVerdict("It is in Paris.", Support.SUPPORTED, score=0.9),
        ClaimVerdict("It is new.", Support.CONTRADICTED, 0.0, 0.5, "It is old.", 0, "new is not old"),
        ClaimVerdict("It is red.", Support.NOT_FOUND, score=0.1),
    ]
    assert explain_claims(claims) == 'contradicted: "It is new." (new is not old)\nnot-found: "It is red."'
    assert explain_claims(claims[:1]) is None


def test_without_the_extra_the_message_names_it(monkeypatch):
    monkeypatch.setattr("semscale.extras.find_spec", lambda name: None)
    builders = (semscale_match, semscale_groundedness, interval, semscale_consistency)
    for build in (*builders, lambda: corrected({}), lambda: semscale_judge("m")):
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

    def test_a_judge_that_is_parsed_knows_question_and_target(self):
        from inspect_ai.scorer import Target

        chat = Scripted(lambda request: "Score: 4" if "Paris" in material(request) else "I cannot say.")
        scorer = semscale_judge(chat, logprobs=False, structured=False, running=plain_running())
        score = asyncio.run(scorer(self.state("It is Paris."), Target(["Paris"])))
        # Level 4 of 1 to 5.
        assert (score.value, score.metadata["status"]) == (0.75, "scored")
        assert material(chat.requests[0], "QUESTION") == "q"
        assert material(chat.requests[0], "REFERENCE") == "Paris"
        lost = asyncio.run(scorer(self.state("It is Rome."), Target("")))
        assert np.isnan(lost.value)
        assert lost.metadata["status"] != "scored"
        assert "[BEGIN REFERENCE" not in str(chat.requests[-1].messages)

    @pytest.mark.needs("api")
    def test_a_judge_that_decides(self, tmp_path, monkeypatch):
        from inspect_ai.scorer import Target

        monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path))
        with deciding_endpoint() as decider:
            decider.masses = lambda asked, names, text: [0, 0, 0, 0.5, 0.5]
            scorer = semscale_judge("m", base_url=decider.url, method="decision")
            score = asyncio.run(scorer(self.state("It is Paris."), Target("")))
            again = asyncio.run(scorer(self.state("It is in France."), Target("")))
        # Half of the mass at level 4 (.75) and half at level 5 (1).
        assert (score.value, again.value) == (0.875, 0.875)
        assert decider.paths == ["decisions"] * 2

    def test_agreement_of_epochs(self):
        from inspect_ai.scorer import Score

        reduce = semscale_consistency("exact_match")
        scores = [Score(value=1.0, answer=text) for text in ("4", "4", "5", "4")]
        # Of three further answers two are equal to the first.
        assert reduce(scores).value == pytest.approx(2 / 3)
        assert reduce(scores).answer == "4"
        alone = reduce(scores[:1])
        assert np.isnan(alone.value)
        assert alone.metadata["status"] == "too-few-samples"

    def test_an_evaluation_has_the_agreement_of_its_epochs_next_to_the_mean(self, tmp_path):
        # In a process of its own: an evaluation leaves streams open, whose warnings would fail other tests.
        script = tmp_path / "evaluation.py"
        script.write_text(EVALUATION, encoding="utf-8")
        ended = subprocess.run(
            [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
        figures = json.loads(ended.stdout.splitlines()[-1])
        # Of two further answers one is Paris, too.
        assert figures["semscale_consistency"] == 0.5
        assert 0 < figures["mean"] < 1

    def test_metrics_of_scores(self):
        from inspect_ai.scorer import SampleScore, Score

        scores = [SampleScore(score=Score(value=float(at % 2)), sample_id=at) for at in range(20)]
        assert interval()(scores)["mean"] == 0.5
        assert corrected({"0": 1.0, "1": 1.0, "2": 1.0, "3": 1.0})(scores)["labels"] == 4.0
