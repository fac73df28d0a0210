"""A judge as a ruler, with chat models that say what a test wants."""

import numpy as np
import pytest
from made_up_rulers import anchors
from tests.judging.conftest import Scripted, material, plain_running

from semscale.chat.runner import Running
from semscale.drift.ruler.checking import check_ruler, freeze_anchors, keep_check
from semscale.drift.ruler.judge_ruler import JudgeRuler
from semscale.drift.ruler.ruler import read_anew
from semscale.errors import InputError
from semscale.history.history import open_history
from semscale.judging.judge import Judge


def judge_of(say):
    return Judge(Scripted(say, takes_logprobs=False))


def test_a_reading_is_the_expected_score_beside_the_reference():
    model = Scripted(lambda request: "Score: 4" if "So 3." in material(request) else "Score: 1")
    ruler = JudgeRuler(Judge(model), running=plain_running())
    found = read_anew(ruler, anchors(10).pairs)["judge"]
    # On a scale of 1 to 5, by hand: 4 is .75 and 1 is 0.
    assert found.tolist() == [0.75 if at == 3 else 0.0 for at in range(10)]
    assert {"It is 3." in str(request.messages) for request in model.requests} == {True, False}


def test_what_a_judge_does_not_answer_has_no_reading():
    ruler = JudgeRuler(
        judge_of(lambda request: "Hm." if "So 3." in material(request) else "Score: 5"),
        running=plain_running(),
    )
    assert np.isnan(read_anew(ruler, anchors(10).pairs)["judge"]).tolist() == [at == 3 for at in range(10)]


@pytest.mark.exhaustive
def test_a_judge_that_was_exchanged_under_its_name_is_seen(tmp_path):
    rng = np.random.default_rng(4)

    def says(lift):
        return lambda _: f"Score: {rng.choice([2, 3, 3, 4]) + lift}"

    with open_history(str(tmp_path / "history.sqlite")) as history:
        freeze_anchors(history, anchors(60), JudgeRuler(judge_of(says(0)), running=plain_running()))
        moved = []
        for number in range(1, 7):
            ruler = JudgeRuler(judge_of(says(int(number > 3))), running=plain_running())
            check = check_ruler(history, "answers", ruler)
            keep_check(history, check, str(number))
            moved.append(check.has_moved)
    assert moved[:3] == [False] * 3
    assert moved[-1]
    assert "judge is higher by 0.2" in check.words()  # one level of five is .25, less what chance made of it


def test_a_ledger_is_never_used(tmp_path):
    model = Scripted(lambda _: "Score: 5")
    ruler = JudgeRuler(Judge(model), running=Running(ledger=tmp_path / "ledger.sqlite"))
    for _ in range(2):
        read_anew(ruler, anchors(10).pairs)
    assert len(model.requests) == 20
    assert list(tmp_path.iterdir()) == []


def test_too_few_repeats_are_refused():
    with pytest.raises(InputError, match="repeats must be at least 2, which show the judge's noise, got 1"):
        JudgeRuler(judge_of(lambda _: "Score: 5"), repeats=1)
