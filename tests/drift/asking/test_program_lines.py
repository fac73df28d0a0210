"""The lines of an asking program: what is read, and what is refused."""

import pytest

from semscale.drift.asking.answers import Answer
from semscale.drift.asking.program_lines import read_line
from semscale.errors import InputError
from semscale.history.items import Output


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ('{"id": "q", "output": "Yes."}', Answer((Output("Yes."),))),
        ('{"id": "q", "output": "Yes.", "tokens": 7, "cost": 0.5, "latency": 2, "other": 1}',
         Answer((Output("Yes.", {"call_tokens": 7.0, "call_cost": 0.5, "call_latency": 2.0}),))),
        ('{"id": "q", "outputs": ["Yes.", {"text": "No.", "credits": 1}]}',
         Answer((Output("Yes."), Output("No.", {"credits": 1.0})))),
        ('{"id": "q", "error": "rate\\n limit"}', Answer(reason="rate limit")),
        ('{"id": "q", "error": ""}', Answer(reason="an error")),
        ('{"id": "q", "output": null}', Answer(reason="the program gave no output", is_silent=True)),
        ('{"id": "q", "outputs": []}', Answer(reason="the program gave no output", is_silent=True)),
    ],
)  # fmt: skip
def test_answers(line, answer):
    found = read_line(line, "ask.py", 1)
    assert (found.id, found.answer, found.line) == ("q", answer, line)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Loading model", "ask.py wrote a line 3 that is no JSON object with an 'id': 'Loading model'"),
        ("[1]", "no JSON object"),
        ('{"output": "x"}', "no JSON object with an 'id'"),
        ('{"id": "q", "text": "x"}', "line 3 for 'q' without 'output', 'outputs' or 'error'"),
        ('{"id": "q", "outputs": ["a", "b"], "cost": 1}', "'cost' beside 2 outputs"),
        ('{"id": "q", "output": "a", "cost": "much"}', "'cost' must hold finite numbers"),
        ('{"id": "q", "output": {"no": "text"}}', "an object without a text"),
    ],
)
def test_what_is_no_answer_is_refused(line, said):
    with pytest.raises(InputError) as refused:
        read_line(line, "ask.py", 3)
    assert said in str(refused.value)
