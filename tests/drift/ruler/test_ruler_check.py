import json

import pytest
from made_up_checks import a_check

from semscale.drift.ruler.bets import RulerTest
from semscale.report.json_encoding import json_text


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("kept", "the ruler did not move: 20 anchors of 'pairs' are read as before"),
        (
            "moved",
            "the ruler moved: it reads 20 anchors of 'pairs' in another way; "
            "on average match differs by 0.08",
        ),
        (
            "new",
            "20 anchors of 'pairs' were read for the first time with this ruler, "
            "so that later runs can be checked",
        ),
    ],
)
def test_words(status, said):
    assert a_check(status).words() == said


def test_each_way_to_move_has_its_words():
    ways = {
        "higher": "is higher by 0.2",
        "lower": "is lower by 0.2",
        "farther": "is farther from people's labels by 0.2",
    }
    for movement, said in ways.items():
        test = RulerTest("judge", movement, 0.2, 0.03, (1e9,), 20, p_adjusted=1e-8, is_significant=True)
        assert f"; on average judge {said}" in a_check("moved", tests=(test,)).words()


def test_json_has_all_tests_and_whether_each_moved():
    content = json.loads(json_text(a_check("moved").record()))
    assert (content["status"], content["anchors"], content["hash"], content["n"]) == (
        "moved",
        "pairs",
        "0123456789ab",
        20,
    )
    assert [(test["reading"], test["moved"]) for test in content["tests"]] == [
        ("match", True),
        ("cosine", False),
    ]
    assert content["tests"][0]["evidence"] == [1e9]
