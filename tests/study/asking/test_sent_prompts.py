"""The table of prompts."""

import json

from semscale.chat.messages import ImagePart, Message, Parameters, Request, TextPart
from semscale.study.asking.sent_prompts import PROMPT_SCHEMA, prompt_frame


def test_each_call_of_a_prompt_has_a_row():
    shown = Message("user", (TextPart("Look."), ImagePart("https://example.org/a.png")))
    first = Request((shown,), Parameters(temperature=0.5, max_tokens=7), 2)
    frame = prompt_frame({"ab": (first, Request.of("Again?"))})
    assert dict(frame.schema) == PROMPT_SCHEMA
    assert frame.select("prompt", "call", "sample").rows() == [("ab", 1, 2), ("ab", 2, 0)]
    one, other = map(json.loads, frame["messages"])
    assert one == [{"role": "user", "content": [{"text": "Look."}, {"image": "https://example.org/a.png"}]}]
    assert other == [{"role": "user", "content": [{"text": "Again?"}]}]
    assert [json.loads(each) for each in frame["parameters"]] == [{"temperature": 0.5, "max_tokens": 7}, {}]


def test_nothing_sent_is_an_empty_table():
    assert prompt_frame({}).height == 0
