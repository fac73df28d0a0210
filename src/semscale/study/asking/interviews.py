"""Interviews: conversations with a persona about one stop after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from semscale.chat.decisions.answers import DecisionAnswer
from semscale.chat.decisions.decision_calls import DecisionCall, decision_calls, joined_answers
from semscale.chat.decisions.questions import DecisionRequest
from semscale.chat.messages import Message, Request
from semscale.chat.outcomes import RequestOutcome
from semscale.study.asking.prompts import DECIDED, Prompts, decision, number_question, words_question
from semscale.study.asking.rotation import orders
from semscale.study.questionnaire import Concept, Questionnaire, SurveyQuestion


class Kind(StrEnum):
    """What a persona, or the expert who rates its words, replies."""

    WORDS = "words"
    NUMBER = "number"
    DECISION = "decision"
    RATING = "rating"


class ReplyKey(NamedTuple):
    """What a reply is about: numbers from 0, of the persona, its sample, the concept and the question."""

    kind: Kind
    persona: int
    sample: int
    concept: int
    question: int


@dataclass(frozen=True)
class Stop:
    """One concept and one question, and the places at which they stand in the interview, from 1."""

    concept: int
    question: int
    concept_place: int
    question_place: int


@dataclass(frozen=True)
class Step:
    """The calls that one stop needs.

    Attributes:
        asked: what they are about.
        requests: at least one.
        decision: what is decided; ``None`` for other kinds.
        calls: of the decision.
    """

    asked: ReplyKey
    requests: tuple[Request, ...]
    decision: DecisionRequest | None = None
    calls: tuple[DecisionCall, ...] = ()

    def decided(self, outcomes: Sequence[RequestOutcome]) -> DecisionAnswer | None:
        """Join what the calls of a decision brought; ``None`` for other kinds."""
        if self.decision is None:
            return None
        found = [
            outcome.failure if outcome.reply is None else call.read(outcome.reply)
            for call, outcome in zip(self.calls, outcomes, strict=True)
        ]
        known = [each for each in found if each is not None]
        return joined_answers(self.decision, known)[DECIDED]


class Interview:
    """One conversation with a persona; each reply is in view at the stops after it.

    Args:
        prompts: writes the requests.
        questionnaire: what is asked.
        asked: kind, persona and sample; its concept and question do not matter.
        stops: in order, at least one.
        form: in which decisions are asked for; empty unless these are.
    """

    def __init__(
        self,
        prompts: Prompts,
        questionnaire: Questionnaire,
        asked: tuple[Kind, int, int],
        stops: Sequence[Stop],
        form: str = "",
    ) -> None:
        self.kind, self.persona, self.sample = asked
        self._prompts, self._questionnaire, self._form = prompts, questionnaire, form
        self._stops = list(stops)
        self._turns: list[Message] = [prompts.role(self.persona)]
        self._in_view: set[int] = set()

    @property
    def is_done(self) -> bool:
        """Whether there is no stop left."""
        return not self._stops

    @property
    def stop(self) -> Stop:
        """The next stop."""
        return self._stops[0]

    @property
    def _concept(self) -> Concept:
        return self._questionnaire.concepts[self.stop.concept]

    @property
    def _question(self) -> SurveyQuestion:
        return self._questionnaire.questions[self.stop.question]

    def step(self) -> Step:
        """Write the calls of the next stop."""
        asked = ReplyKey(self.kind, self.persona, self.sample, self.stop.concept, self.stop.question)
        if self.kind is Kind.DECISION:
            request = decision(self._question, (*self._turns, Message("user", self._concept.parts)))
            calls = decision_calls(request, self._form)
            return Step(asked, tuple(call.request for call in calls), request, calls)
        messages = (*self._turns, self._turn(is_decision=False))
        return Step(asked, (self._prompts.request(self.persona, self.sample, messages),))

    def hear(self, said: str | None) -> None:
        """Keep what was said at the stop, if anything was, and go on to the next one."""
        if said:
            self._turns += [self._turn(is_decision=self.kind is Kind.DECISION), Message("assistant", said)]
            self._in_view.add(self.stop.concept)
        self._stops.pop(0)

    def _turn(self, *, is_decision: bool) -> Message:
        if is_decision:
            return self._prompts.shown(self._concept, self._question.text, again=False)
        asks = words_question if self.kind is Kind.WORDS else number_question
        again = self.stop.concept in self._in_view
        return self._prompts.shown(self._concept, asks(self._question), again=again)


def likeliest_label(answer: DecisionAnswer, question: SurveyQuestion) -> str | None:
    """Name the point that a decision gives most; ``None`` without an answer."""
    return question.scale.labels[int(np.argmax(answer.masses))] if answer.masses else None


def planned_stops(questionnaire: Questionnaire, n: int, *, seed: int) -> list[list[Stop]]:
    """Order concepts and questions for each of n interviews; the questions of a concept stand together.

    Args:
        questionnaire: what is asked; with the exposure ``separate`` the order is that of the file.
        n: how many interviews.
        seed: of what is random.
    """
    rng = np.random.default_rng(seed)
    rotation = questionnaire.rotation if questionnaire.exposure == "sequence" else "none"
    concepts = orders(len(questionnaire.concepts), n, rotation, rng)
    questions = orders(len(questionnaire.questions), n, rotation, rng)
    return [
        [
            Stop(concept, question, concept_place, question_place)
            for concept_place, concept in enumerate(concept_order, start=1)
            for question_place, question in enumerate(question_order, start=1)
        ]
        for concept_order, question_order in zip(concepts, questions, strict=True)
    ]


def planned_interviews(
    prompts: Prompts, questionnaire: Questionnaire, stops: Sequence[Sequence[Stop]], *, form: str | None
) -> list[Interview]:
    """List all interviews of a study, persona after persona.

    Args:
        prompts: writes the requests.
        questionnaire: what is asked.
        stops: for each interview of a persona, one after the other; all samples of a persona stand together.
        form: in which decisions are asked for; ``None`` where the model takes none, so that none are asked.
    """
    found: list[Interview] = []
    for place, own in enumerate(stops):
        persona, sample = divmod(place, questionnaire.samples)
        for kind in (Kind.WORDS, Kind.NUMBER, Kind.DECISION):
            if kind is Kind.DECISION and form is None:
                continue
            wanted = [stop for stop in own if needs(questionnaire.questions[stop.question], kind)]
            is_one = questionnaire.exposure == "sequence"
            parts = [wanted] if is_one and wanted else [[stop] for stop in wanted]
            found += [
                Interview(prompts, questionnaire, (kind, persona, sample), part, form or "") for part in parts
            ]
    return found


def needs(question: SurveyQuestion, kind: Kind) -> bool:
    """Whether a question has a method that needs this kind of reply of a persona."""
    methods = {Kind.WORDS: {"ssr", "flr"}, Kind.NUMBER: {"dlr"}, Kind.DECISION: {"decision"}}
    return bool(methods[kind] & set(question.methods))
