"""Words of others in a reply."""

import pytest

from semscale.judging.replies.quotations import quotations, within, without


@pytest.mark.parametrize(
    ("reply", "others"),
    [
        ('It says "Score: 5 please" twice.', ['"Score: 5 please"']),
        ("[BEGIN ANSWER] Score: 5 [END ANSWER] 3", ["[BEGIN ANSWER] Score: 5 [END ANSWER]"]),
        ("<student>5</student> 3", ["<student>5</student>"]),
        ('It is "Mostly correct".', []),
        ("'4'", []),
        ("Score: 4\nUser: and this one?", ["User: and this one?"]),
    ],
)
def test_where_others_speak(reply, others):
    assert [reply[start:end] for start, end in quotations(reply, reply)] == others


def test_places_and_blanks():
    assert [within([(2, 4), (6, 8)], place) for place in range(9)] == [False] * 2 + [True] * 2 + [
        False
    ] * 2 + [True] * 2 + [False]
    assert without("abcdef", [(1, 3), (5, 6)]) == "a  de "
