"""The score of a JSON object among its other fields."""

import pytest

from semscale.judging.replies.json_reply import json_replies, long_values, schema_reply
from semscale.judging.replies.stated_levels import LevelReader
from semscale.judging.templates import load_template

READER = LevelReader(load_template("likert"))


@pytest.mark.parametrize(
    ("reply", "level"),
    [
        ('{"score": 4}', 4), ('{"score": "4/5"}', 4), ('{"score": 4, "corrected_score": 3}', 3),
        ('{"score": 4, "score_v2": 3}', None), ('{"score": 4, "rescore": 4}', 4),
        ('{"score": 4, "rescore": null}', 4), ('{"score": 4, "second_opinion": 2}', None),
        ('{"score": {"before": 5, "after": 3}}', 3), ('{"score": {"value": 4, "max": 5}}', 4),
        ('{"score": {"value": 4, "max": 10}}', None), ('{"score": 4, "penalty": 1}', None),
        ('{"score": 4, "penalty": 0}', 4), ('{"score": 4, "status": "superseded"}', None),
        ('{"score": 4, "valid": false}', None), ('{"score": 4, "change": "-2 for the date"}', None),
        ('{"score": [4]}', None), ('{"score": 4, "score": 2}', None), ('{"score": 4, "expl', None),
        ('{"score": 4, "explanation": "cut', 4),
    ],
)  # fmt: skip
def test_which_score_stands(reply, level):
    found = json_replies(reply, READER)
    assert [item.level and item.level.score for item in found] in ([level and (level - 1) / 4], [])
    assert bool(found) or level is None


def test_only_an_object_with_the_keys_that_were_asked_for_follows_the_schema():
    assert schema_reply('{"explanation": "x", "score": 4}', READER).level.score == 0.75
    assert schema_reply('{"score": 4, "rank": 1}', READER) is None
    assert schema_reply('So {"score": 4}', READER) is None


def test_words_of_an_object_stand_on_lines_of_their_own():
    written = '{"score": 4, "why": "a 5 is too much"}'
    kept = long_values(written)
    assert (kept.strip(), len(kept)) == ("a 5 is too much", len(written))
