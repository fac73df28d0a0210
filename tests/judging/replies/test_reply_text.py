"""A reply without reasoning, markup and what nobody sees, as long as before."""

import pytest

from semscale.judging.replies.reply_text import readable, without_reasoning


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("<think>5?</think>4", "4"), ("**Score:** ４", "Score:   4"),
        ("Sco\u200bre: 4", "Score : 4"), ("Cor\u00adrect", "Correct"),
        ("\x1b[1mScore: 4\x1b[0m", "Score: 4"),
        ("4&nbsp;of&#32;5", "4      of     5"),
        ('print("Score: 4")', "Score: 4"), ("print('Score:', 4)", "Score:   4"),
        ("int score = 4;", "score = 4;"),
        ("/* Score: 4 */", "Score: 4"), ("<b>4</b>", "4"), ("~~2~~ 4", "4"), ("$\\boxed{4}$", "score: 4"),
    ],
)  # fmt: skip
def test_what_is_left(reply, text):
    assert readable(reply).strip(" }") == text
    assert len(readable(reply)) == len(reply)


def test_a_long_gap_parts_lines():
    # Patterns try each way to part a run of blanks: 50,000 of them took minutes.
    assert readable("Score: 4" + " " * 50_000 + "x").split() == ["Score:", "4", ";", "x"]


def test_fences_and_reasoning_become_blanks():
    assert without_reasoning("<think>x</think>\n```json\n{}\n```").split() == ["{}"]
