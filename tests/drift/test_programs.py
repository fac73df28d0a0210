"""Asking a program: its lines, stored answers, and failures."""

import asyncio
import json
import sys

import pytest

from semscale.chat.ledger import Ledger
from semscale.drift.asking import Answer, ItemToAsk
from semscale.drift.programs import ProgramAsker, read_line
from semscale.errors import InputError, InterruptedRunError, ReplyError
from semscale.history.items import Output

ITEMS = [ItemToAsk(name, f"What is {name}?", groups={"topic": "x"}) for name in "abc"]
READ = "import json, sys, os\nitems = [json.loads(line) for line in sys.stdin]\n"
ECHO = READ + (
    "for item in reversed(items):\n"
    "    print(json.dumps({'id': item['id'], 'output': f\"{item['prompt']} {item['rerun']}\"}))\n"
)


@pytest.fixture
def asked(tmp_path):
    """Ask about items with a program of these lines.

    They stand in a file of their own, which the command does not name: they may be written anew between two
    askings, and the program seems to be the same.
    """
    ledger = Ledger(tmp_path / "ledger.sqlite")
    path, body = tmp_path / "ask.py", tmp_path / "body.py"
    path.write_text(f"exec(open({str(body)!r}).read())")

    def ask(lines, samples=(0,), *, items=ITEMS, timeout=60.0, progress=None):
        body.write_text(lines)
        asker = ProgramAsker(f'"{sys.executable}" "{path}"', ledger, timeout)
        return asyncio.run(asker.ask(items, [item.input for item in items], samples, progress))

    yield ask
    ledger.close()


def texts(answers):
    return [[output.text for answer in asking for output in answer.outputs] for asking in answers.asked]


def test_items_get_their_answer_regardless_of_the_order_of_lines(asked):
    steps = []
    answers = asked(ECHO, (5, 6), progress=lambda stage, done, total: steps.append((done, total)))
    assert texts(answers) == [
        ["What is a? 0", "What is b? 0", "What is c? 0"],
        ["What is a? 1", "What is b? 1", "What is c? 1"],
    ]
    assert answers.n_calls == 6
    assert steps == [(1, 3), (2, 3), (3, 3)] * 2


def test_a_program_may_answer_line_by_line(asked):
    answers = asked(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    item = json.loads(line)\n"
        "    print(json.dumps({'id': item['id'], 'output': item['groups']['topic']}), flush=True)\n"
    )
    assert texts(answers) == [["x", "x", "x"]]


def test_errors_and_items_without_a_line_have_a_reason(asked):
    answers = asked(
        READ + "print(json.dumps({'id': 'a', 'error': 'too long'}))\n"
        "print(json.dumps({'id': 'b', 'output': 'Yes.', 'cost': 0.5}))\n"
    )
    assert answers.asked == (
        (
            Answer(reason="too long"),
            Answer((Output("Yes.", {"call_cost": 0.5}),)),
            Answer(reason="the program wrote no line for it"),
        ),
    )
    assert answers.reasons == {"too long": 1, "the program wrote no line for it": 1}


def test_a_program_that_dies_is_reported_and_resumed(asked):
    dying = READ + (
        "print(json.dumps({'id': 'b', 'output': 'first'}), flush=True)\n"
        "print('no memory', file=sys.stderr)\n"
        "sys.exit(7)\n"
    )
    with pytest.raises(InterruptedRunError) as stopped:
        asked(dying)
    message = str(stopped.value)
    assert "ended with exit code 7 after 1 of 3 items: no memory; its answers are stored" in message
    # Only a and c are given to it again.
    answers = asked(READ + "[print(json.dumps({'id': i['id'], 'output': str(len(items))})) for i in items]\n")
    assert texts(answers) == [["2", "first", "2"]]
    assert (answers.n_calls, answers.n_kept) == (2, 1)


def test_an_answer_that_was_an_error_is_asked_for_again(asked):
    program = (
        "print(json.dumps({'id': 'a', 'output': 'x'}))\nprint(json.dumps({'id': 'b', 'error': 'busy'}))\n"
    )
    first = asked(READ + program)
    assert first.n_answered == 1
    assert texts(asked(ECHO)) == [["x", "What is b? 0", "What is c? 0"]]


def test_a_changed_program_answers_all_items_again(tmp_path):
    path, dying = tmp_path / "ask.py", "print(json.dumps({'id': 'b', 'output': 'old'}))\nsys.exit(7)\n"
    with Ledger(tmp_path / "ledger.sqlite") as ledger:

        def ask(lines):
            path.write_text(READ + lines)
            asker = ProgramAsker(f'"{sys.executable}" "{path}"', ledger)
            return asyncio.run(asker.ask(ITEMS, ["x"] * 3, (0,)))

        with pytest.raises(InterruptedRunError):
            ask(dying)
        mended = "[print(json.dumps({'id': i['id'], 'output': 'new'})) for i in items]\n"
        answers = ask(mended)
        assert texts(answers) == [["new"] * 3]
        assert (answers.n_calls, answers.n_kept) == (3, 0)
        # The same program once more: nothing is asked, and all answers come from before.
        again = ask(mended)
        assert (again.n_calls, again.n_kept) == (0, 3)


def test_a_new_sample_is_a_separate_call(asked):
    asked(ECHO, (0,))
    assert asked(ECHO, (0,)).n_calls == 0
    assert asked(ECHO, (1,)).n_calls == 3


def test_a_program_that_is_silent_for_too_long_is_stopped(asked):
    asked(READ + "print(json.dumps({'id': 'a', 'output': 'x'}))\n")
    hanging = READ + "import threading\nthreading.Event().wait()\n"
    with pytest.raises(InterruptedRunError, match=r"wrote nothing for 0.2 s after 0 of 2 items; its answers"):
        asked(hanging, timeout=0.2)
    assert asked(ECHO).n_calls == 2


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("print('Loading')", "wrote line 1, which is no JSON object with an 'id': 'Loading'"),
        ('print(\'{"id": "z", "output": "x"}\')', "answered 'z', which it was not asked"),
        ('print(\'{"id": "a", "output": "x"}\\n\' * 2)', "answered 'a' twice"),
    ],
)
def test_invalid_lines_of_a_program_are_refused(asked, lines, message):
    with pytest.raises(InputError) as refused:
        asked(lines)
    assert message in str(refused.value)


def test_a_program_without_any_output_is_no_run(asked):
    with pytest.raises(ReplyError, match="gave no output for any item, most often because: busy"):
        asked(READ + "[print(json.dumps({'id': i['id'], 'error': 'busy'})) for i in items]\n")


def test_more_than_a_pipe_holds_goes_through(asked):
    items = [ItemToAsk(str(number), "x" * 5000) for number in range(100)]
    long = READ.replace("items = ", "print('m' * 200_000, file=sys.stderr)\nitems = ") + (
        "[print(json.dumps({'id': i['id'], 'output': i['prompt']})) for i in items]\n"
    )
    assert texts(asked(long, items=items)) == [["x" * 5000] * 100]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "command must name a program"),
        ("python 'ask.py", "cannot be read: No closing quotation"),
    ],
)
def test_commands_that_cannot_be_read_are_refused(command, message, tmp_path):
    with pytest.raises(InputError, match=message):
        ProgramAsker(command, Ledger(tmp_path / "l.sqlite"))


def test_a_program_that_is_not_there_is_refused(tmp_path):
    with Ledger(tmp_path / "l.sqlite") as ledger:
        asker = ProgramAsker("no-such-program-here --now", ledger)
        with pytest.raises(InputError, match="'no-such-program-here --now' cannot be started: No such file"):
            asyncio.run(asker.ask(ITEMS, ["x"] * 3, (0,)))
        with pytest.raises(InputError, match="timeout must be > 0, got 0"):
            ProgramAsker("python", ledger, 0)


def test_keys_tell_commands_and_prompts_apart(tmp_path):
    ledger = Ledger(tmp_path / "l.sqlite")
    program, other = ProgramAsker("python a.py", ledger), ProgramAsker("python b.py", ledger)
    keys = [
        *program.keys(ITEMS, list("abc")),
        *program.keys(ITEMS, list("abd")),
        *other.keys(ITEMS, list("abc")),
    ]
    assert len(set(keys)) == 3 + 1 + 3


def test_the_line_that_a_program_reads(asked):
    answers = asked(READ + "[print(json.dumps({'id': i['id'], 'output': json.dumps(i)})) for i in items]\n")
    assert json.loads(texts(answers)[0][0]) == {
        "id": "a", "prompt": "What is a?", "groups": {"topic": "x"}, "rerun": 0,
    }  # fmt: skip


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
    assert read_line(line, "ask.py", 1) == ("q", answer)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Loading model", "ask.py wrote line 3, which is no JSON object with an 'id': 'Loading model'"),
        ("[1]", "no JSON object"),
        ('{"output": "x"}', "no JSON object with an 'id'"),
        ('{"id": "q", "text": "x"}', "line 3 for 'q' without 'output', 'outputs' or 'error'"),
        ('{"id": "q", "outputs": ["a", "b"], "cost": 1}', "'cost' and 2 outputs"),
        ('{"id": "q", "output": "a", "cost": "much"}', "'cost' must hold finite numbers"),
        ('{"id": "q", "output": {"no": "text"}}', "an object without a text"),
    ],
)
def test_invalid_lines_are_refused(line, message):
    with pytest.raises(InputError) as refused:
        read_line(line, "ask.py", 3)
    assert message in str(refused.value)
