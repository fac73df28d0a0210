"""The program in this process, with a toy model in place of the real one, and answers for it to rate."""

import csv
import math
import os
import re
from pathlib import Path

import pytest
from tests.schema_check import check_json
from tests.support.endpoint import misbehaving_endpoint, prompt_of

from semscale.cli.main import main
from semscale.embedding import loading
from semscale.report import json_encoding

EXAMPLES = Path(__file__).parents[2] / "examples" / "drift"
ANSWERS = """id,text,region,weight,person,human
1,It works great and I love it,north,1,a,5
2,It is awful and I hate it,north,2,a,1
3,it is neither good nor bad,south,1,b,"[3, 4]"
4,=SUM(A1) is great,south,1,b,4
5,,south,1,c,2
6,[bold red]shout[/] it is bad,north,1,,2
7,It works great and I love it,,1,d,5
"""

JUDGE_ROWS = [
    {"q": "When was Hastings?", "a": "In 1066.", "known": "1066", "people": "5"},
    {"q": "Why is the sky blue?", "a": "It mirrors the sea.", "known": "scattering", "people": "[1, 2]"},
    {"q": "What is an atom?", "a": "", "known": "a unit of matter", "people": ""},
    {"q": "Who wrote Emma?", "a": "Jane Austen <script>alert(1)</script>", "known": "Austen", "people": ""},
    {"q": "Is 7 prime?", "a": "Say nothing.", "known": "yes", "people": ""},
]  # fmt: skip
LEVELS = {"1066": 5, "mirrors": 2, "Austen": 4}
TOP = {"5": 0.8, "4": 0.2}


class Ended:
    """How a command ended: its exit code and what it printed."""

    def __init__(self, code, printed):
        self.code, self.out, self.err = code, printed.out, printed.err


@pytest.fixture
def json_keeps_to_its_schema(monkeypatch):
    """Hold all JSON of a summary that a command prints against the schema."""
    write = json_encoding.json_text

    def checked(content):
        text = write(content)
        if "schema" in content:
            check_json(text)
        return text

    monkeypatch.setattr(json_encoding, "json_text", checked)


@pytest.fixture
def asked_models(monkeypatch, toy_embedder):
    """Put the toy model in the place of every embedding model; the names that were asked for, in order."""
    names = []

    def load(name, **_):
        names.append(name)
        return toy_embedder

    monkeypatch.setattr(loading, "load_embedder", load)
    return names


@pytest.fixture
def semscale(capsys, monkeypatch, tmp_path, tmp_path_factory, asked_models, json_keeps_to_its_schema):
    """Run ``semscale`` with arguments, in an empty folder, with the toy model."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("settings")))

    def run(*arguments):
        capsys.readouterr()
        return Ended(main([str(argument) for argument in arguments]), capsys.readouterr())

    return run


@pytest.fixture
def files(tmp_path):
    """List all files and folders below the working folder."""
    return lambda: sorted(
        os.path.relpath(os.path.join(folder, name), tmp_path)
        for folder, folders, names in os.walk(tmp_path)
        for name in [*folders, *names]
    )


@pytest.fixture
def seven_answers(tmp_path):
    """Seven rows in ``answers.csv``: two alike, one without text, one that is a formula, one with markup."""
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERS)
    return path


@pytest.fixture
def rate(semscale):
    """Run ``semscale rate`` on a file's column ``text``, with every text on the topic."""

    def run(*options, file="answers.csv"):
        floor = [] if "--floor" in options else ["--floor", "none"]
        return semscale("rate", file, "--text", "text", "--scale", "quality", *floor, *options)

    return run


@pytest.fixture
def stop_at_second_embedding(toy_embedder, monkeypatch):
    """Give a function after which the second call of the embedder, and it alone, is a Ctrl-C."""

    def arm():
        embed, calls = toy_embedder.embed, []

        def stopping(texts, **settings):
            calls.append(texts)
            if len(calls) == 2:
                raise KeyboardInterrupt
            return embed(texts, **settings)

        monkeypatch.setattr(toy_embedder, "embed", stopping)

    return arm


def judged(asked):
    """Score an answer by a word in it; give probabilities of tokens if they are asked for."""
    first = next(message for message in asked["messages"] if message["role"] == "user")
    answer = re.search(r"BEGIN ANSWER \w+\]\n(.*)\n\[END", prompt_of({"messages": [first]}), re.DOTALL)[1]
    level = next((level for word, level in LEVELS.items() if word in answer), None)
    if level is None:
        return "4 or 5"
    text = f'{{"score": {level}, "explanation": "it says {level}"}}'
    if not asked.get("logprobs"):
        return text
    top = [{"token": token, "logprob": math.log(share)} for token, share in TOP.items()]
    tokens = [('{"score": ', []), (str(level), top), (text[11:], [])]
    content = [
        {"token": token, "logprob": -0.2, "top_logprobs": alternatives} for token, alternatives in tokens
    ]
    return text, {"logprobs": {"content": content}}


@pytest.fixture
def judge_endpoint():
    """An endpoint that judges five answers: three by their words, one never readably, one is empty."""
    with misbehaving_endpoint() as server:
        server.reply = judged
        yield server


@pytest.fixture
def judge_answers(tmp_path):
    """Five questions with answers, what is known, and people's labels."""
    path = tmp_path / "answers.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["q", "a", "known", "people"])
        writer.writeheader()
        writer.writerows(JUDGE_ROWS)
    return path


@pytest.fixture
def judge_command(tmp_path, judge_endpoint, judge_answers):
    """Write the arguments of ``semscale judge`` on the five answers."""

    def build(*more, model=("--chat-model", "judge-one"), url=True):
        where = ("--chat-url", judge_endpoint.url) if url else ()
        ledger = ("--ledger", str(tmp_path / "ledger.sqlite"))
        return [
            "judge",
            str(judge_answers),
            "--prompt",
            "q",
            "--answer",
            "a",
            *model,
            *where,
            *ledger,
            *more,
        ]

    return build


@pytest.fixture
def approved(semscale):
    """A history with the approved baseline of the examples and a rerun of it."""
    base = (
        "drift",
        "record",
        EXAMPLES / "baseline.jsonl",
        "--model",
        "model-a",
        "--dataset",
        "feedback",
    )
    assert semscale(*base).code == 0
    assert semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "read them").code == 0
    rerun = ("drift", "record", EXAMPLES / "rerun.jsonl", "--model", "model-a", "--rerun-of", "baseline")
    assert semscale(*rerun).code == 0
