"""A study with a model that says what a test wants, and a ledger of its own."""

import pytest

from semscale.chat.messages import CallError, FailureKind, Reply, Usage
from semscale.chat.runner import Running
from semscale.signature import Signature
from semscale.study.questionnaire import parse_study
from semscale.study.result import Study

FILE = """
name: bars
seed: 1
model: {name: local, temperature: 0.5, max_tokens: 40}
panel: {file: people.csv}
persona: You are {name}, {age} years old.
concepts:
  - {name: oat, text: A bar of oats.}
  - {name: nut, text: A bar of nuts.}
questions:
  - {name: intent, text: "Would you buy it?", scale: purchase-intent, methods: [ssr, flr, dlr]}
groups: [age]
"""
PEOPLE = "persona,name,age\nann,Ann,30\nbob,Bob,60\ncid,Cid,60\n"


class PlayedModel:
    """A chat model that answers by functions of the request, and keeps what it was asked.

    Attributes:
        words: gives an answer in free words.
        number: gives a point, as a persona.
        rating: gives a point, as the expert.
        asked: requests, in the order in which they came.
    """

    def __init__(self) -> None:
        self.name = "played"
        self.signature = Signature.of("chat", model="played")
        self.words = lambda request: "I would probably buy it."
        self.number = lambda request: "4"
        self.rating = lambda request: "5"
        self.asked = []

    async def complete(self, request):
        self.asked.append(request)
        first, last = request.messages[0].text, request.messages[-1].text
        play = (
            self.rating
            if "expert in Likert" in first
            else self.number
            if "one of these numbers" in last
            else self.words
        )
        message = play(request)
        if isinstance(message, CallError):
            raise message
        return Reply(message, usage=Usage(10, 5), model="played-1", seconds=0.25)


def refusal():
    return CallError("the model declined", kind=FailureKind.REFUSED)


@pytest.fixture
def played():
    return PlayedModel()


@pytest.fixture
def written(tmp_path):
    """Parse the file of a study, after some replacements, beside its table of people."""

    def parse(*changes, people=PEOPLE, text=FILE):
        (tmp_path / "people.csv").write_text(people)
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        return Study(parse_study(text.encode(), source="study.yaml", folder=tmp_path))

    return parse


@pytest.fixture
def running(tmp_path):
    return Running(ledger=tmp_path / "ledger.sqlite")
