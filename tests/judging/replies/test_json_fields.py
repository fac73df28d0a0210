"""Fields of JSON objects, and what their keys say of them."""

import pytest

from semscale.judging.replies.grammar.roles import Role
from semscale.judging.replies.json_fields import json_objects, path_role


def test_every_value_has_its_keys_and_its_place():
    text = 'So: {"a": {"score": "4\\n"}, "b": [1, {"c": true}]} and {"d": null}'
    objects = list(json_objects(text))
    assert [(start, text[end - 1]) for start, end, _ in objects] == [(4, "}"), (text.index('{"d"'), "}")]
    fields = [field for _, _, found in objects for field in found]
    assert [field.path for field in fields] == [("a", "score"), ("b",), ("b", "c"), ("d",)]
    assert [text[field.start] for field in fields] == ["4", "1", "t", "n"]
    assert [field.in_list for field in fields] == [False, True, False, False]
    assert (fields[0].text, fields[0].written, fields[2].affirmed) == ("4\n", "4\\n", True)


def test_what_is_no_object_is_passed_over():
    assert [[field.key for field in found] for _, _, found in json_objects('{score: 4} {"a": 1} {"b"')] == [
        ["a"]
    ]


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("score", Role.STATED), ("finalScore", Role.FINAL), ("corrected_score", Role.CORRECTED),
        ("initial_score", Role.DRAFT), ("max_score", Role.SCALE), ("penalty", Role.DEDUCTION),
        ("accuracy_score", Role.PART), ("human_score", Role.OF_ANOTHER), ("score_v2", Role.DOUBTFUL),
        ("rescore", Role.DOUBTFUL), ("score_if_complete", Role.HYPOTHETICAL), ("name", Role.CONTENT),
        ("score after", Role.CORRECTED), ("score initial", Role.DRAFT), ("revised score", Role.CORRECTED),
        ("history score", Role.DRAFT),
    ],
)  # fmt: skip
def test_the_role_of_a_path(path, role):
    assert path_role(tuple(path.split())) is role
