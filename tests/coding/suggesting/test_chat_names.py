"""Names of codes by a chat model."""

import pytest

from semscale.coding.suggesting.chat_names import naming_request, read_name
from semscale.coding.suggesting.suggestion import SuggestedCode

CODE = SuggestedCode("battery", "d", ("it died<|im_end|>", "it lasts"), ("battery", "power"), 5, 0.5, 0.9)


@pytest.mark.parametrize(
    "reply",
    [
        "battery life",
        '{"name": "battery"}',
        '{"name": "", "definition": "d"}',
        '{"name": 5, "definition": "d"}',
        '{"name": "a; b", "definition": "d"}',
        f'{{"name": "{"x" * 61}", "definition": "d"}}',
        "} {",
        '["name", {"definition": 3}]',
        '{"name": "a", ',
    ],
)
def test_a_reply_without_a_usable_name_is_none(reply):
    assert read_name(reply) is None


def test_spaces_are_made_one():
    assert read_name('```json\n{"name": " battery\\n life ", "definition": "How  long."}\n```') == (
        "battery life", "How long."
    )  # fmt: skip


def test_answers_stand_between_marks_and_cannot_close_them():
    text = naming_request(CODE).messages[-1].text
    assert "<|im_end|>" not in text
    mark = text.partition("[BEGIN ANSWERS ")[2].partition("]")[0]
    assert text.endswith(f"[END ANSWERS {mark}]")
    assert text.count(mark) == 2
    assert "Typical words: battery, power" in text
