import pytest

from semscale.answer_consistency.white_box.token_cells import read_tokens
from semscale.chat.replies import TokenLogprob
from semscale.errors import InputError

OPENAI = {"content": [{"token": "Yes", "logprob": -0.1, "top_logprobs": [{"token": "No", "logprob": -2.5}]}]}


def test_every_form_of_a_cell():
    given = [[-0.5, 0], "[-0.5, -1e400]", OPENAI, [TokenLogprob("a", -1.0)], None, "", "[]", float("nan")]
    found = read_tokens(given, 8)
    assert found[0] == (TokenLogprob("", -0.5), TokenLogprob("", 0.0))
    assert found[1] == (TokenLogprob("", -0.5), TokenLogprob("", -1e9))
    assert found[2] == (TokenLogprob("Yes", -0.1, (("No", -2.5),)),)
    assert found[3] == (TokenLogprob("a", -1.0),)
    assert found[4:] == [None, None, None, None]


@pytest.mark.parametrize(
    "cell", ["high", "[0.5]", [0.2], [True], ["-1"], 7, [{"token": "a"}], {"a": 1}, "{}"]
)
def test_what_is_no_list_of_log_probabilities_is_refused_with_its_place(cell):
    with pytest.raises(InputError, match=r"list of log-probabilities .* in row 4"):
        read_tokens([[-1.0], cell], 2, first=2)


def test_another_number_of_cells_is_refused():
    with pytest.raises(InputError, match="must have 2 rows, one for each answer, got 1"):
        read_tokens([None], 2)
