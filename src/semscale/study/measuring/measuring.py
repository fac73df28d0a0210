"""Measures the replies of a study: one answer for each persona, sample, concept, question and method."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from semscale.chat.outcomes import RequestOutcome
from semscale.chat.replies import CallError, FailureKind
from semscale.study.asking.asking import is_answer
from semscale.study.asking.interviews import Kind, ReplyKey, Stop
from semscale.study.asking.replies import Heard, StudyReplies
from semscale.study.measuring.answers import StudyAnswer
from semscale.study.measuring.picked_points import PointReader
from semscale.study.measuring.similarity import Rated
from semscale.study.panel.synthetic_panel import SyntheticPanel
from semscale.study.questionnaire import Method, Questionnaire, SurveyQuestion
from semscale.types import Floats, Progress, Status

if TYPE_CHECKING:
    from semscale.scales import Scale

RateTexts = Callable[["Scale", list[str], Progress | None], Rated]
"""Rates n texts on a scale."""

_NO_ANSWER = {FailureKind.REFUSED: Status.REFUSED, FailureKind.SILENT: Status.EMPTY}
_DECLINED = "the persona's reply declines to answer"
_NO_WORDS = "the persona's reply is a number and no words, so there is no meaning to compare"
_ONLY_NUMBERS = re.compile(r"[\W_]*\d(?:[\W\d_]|\b(?:or|to|and|out of)\b)*", re.IGNORECASE)


@dataclass
class Measuring:
    """Turns replies into answers.

    Attributes:
        questionnaire: what was asked.
        panel: who was asked.
        replies: what came back.
        model: name of the model that was asked.
        answers: one for each persona, sample, concept, question and method, in the order of the file.
    """

    questionnaire: Questionnaire
    panel: SyntheticPanel
    replies: StudyReplies
    model: str
    answers: list[StudyAnswer] = field(default_factory=list)
    _readers: dict[str, PointReader] = field(default_factory=dict)
    _texts: dict[int, list[tuple[StudyAnswer, str]]] = field(default_factory=dict)

    def measure(self, rate: RateTexts, progress: Progress | None = None) -> list[StudyAnswer]:
        """Measure everything; all free texts of one question are rated at once.

        Args:
            rate: rates texts by similarity.
            progress: called while texts are embedded.
        """
        for place, stops in enumerate(self.replies.stops):
            persona, sample = divmod(place, self.questionnaire.samples)
            for stop in sorted(stops, key=lambda stop: (stop.concept, stop.question)):
                self.answers += self._of_stop(persona, sample, stop)
        for number, waiting in self._texts.items():
            scale = self.questionnaire.questions[number].scale
            rated = rate(scale, [text for _, text in waiting], progress)
            for (answer, _), status, pmf, by_set in zip(waiting, *rated, strict=True):
                _give(answer, Status(status), pmf if status == Status.SCORED else None, scale.values)
                if status == Status.SCORED and np.isfinite(by_set).all():
                    answer.set_values = by_set.tolist()
        return self.answers

    def _of_stop(self, persona: int, sample: int, stop: Stop) -> Iterable[StudyAnswer]:
        question = self.questionnaire.questions[stop.question]
        in_sequence = self.questionnaire.exposure == "sequence"
        for method in question.methods:
            answer = StudyAnswer(
                self.panel.ids[persona],
                self.questionnaire.concepts[stop.concept].name,
                question.name,
                method,
                sample + 1,
                self.model,
                stop.concept_place if in_sequence else None,
                stop.question_place if in_sequence else None,
            )
            asked = ReplyKey(_KINDS[method], persona, sample, stop.concept, stop.question)
            _MEASURES[method](self, answer, asked, question)
            yield answer

    def _by_similarity(self, answer: StudyAnswer, asked: ReplyKey, question: SurveyQuestion) -> None:
        text = self._words(answer, asked, paid=True)
        if text is not None and _ONLY_NUMBERS.fullmatch(text):
            answer.status, answer.reason = Status.UNPARSABLE, _NO_WORDS
        elif text is not None:
            self._texts.setdefault(asked.question, []).append((answer, text))

    def _by_follow_up(self, answer: StudyAnswer, asked: ReplyKey, question: SurveyQuestion) -> None:
        if self._words(answer, asked, paid="ssr" not in question.methods) is None:
            return
        heard = self.replies.heard.get(asked._replace(kind=Kind.RATING))
        if heard is None:
            answer.status = Status.UNFINISHED
            return
        answer.rating_prompt, answer.rating_reply = heard.prompt, heard.text
        self._pick(answer, heard, question)

    def _directly(self, answer: StudyAnswer, asked: ReplyKey, question: SurveyQuestion) -> None:
        heard = self.replies.heard.get(asked)
        if heard is not None:
            answer.prompt, answer.reply = heard.prompt, heard.text
            self._pick(answer, heard, question)

    def _by_decision(self, answer: StudyAnswer, asked: ReplyKey, question: SurveyQuestion) -> None:
        heard = self.replies.heard.get(asked)
        if heard is None:
            if self.replies.no_decisions is not None:
                answer.status, answer.reason = Status.FAILED, self.replies.no_decisions
            return
        answer.prompt = heard.prompt
        self._pay(answer, heard.outcomes)
        found = heard.decision
        if found is not None and found.masses:
            _give(answer, Status.SCORED, np.array(found.masses), question.scale.values)
        elif found is not None:
            answer.status = Status.REFUSED if found.refused else Status.FAILED
            answer.reason = found.reason or None

    def _words(self, answer: StudyAnswer, asked: ReplyKey, *, paid: bool) -> str | None:
        """Note the reply in free words; ``None`` where there is none to be rated."""
        heard = self.replies.heard.get(asked)
        if heard is None:
            return None
        answer.prompt, answer.reply = heard.prompt, heard.text
        if paid:
            self._pay(answer, heard.outcomes)
        text = heard.text
        if text is None:
            _fail(answer, heard.outcomes[0].failure)
        elif not text.strip():
            answer.status = Status.EMPTY
        elif not is_answer(text):
            answer.status, answer.reason = Status.REFUSED, _DECLINED
        else:
            return text
        return None

    def _pick(self, answer: StudyAnswer, heard: Heard, question: SurveyQuestion) -> None:
        """Read the point that a reply picks."""
        self._pay(answer, heard.outcomes)
        reply = heard.outcomes[0].reply
        if reply is None:
            _fail(answer, heard.outcomes[0].failure)
            return
        reader = self._reader(question)
        status, point = reader.read(reply)
        pmf = None if point is None else np.eye(question.scale.n_points)[point]
        _give(answer, status, pmf, question.scale.values)

    def _reader(self, question: SurveyQuestion) -> PointReader:
        if question.name not in self._readers:
            self._readers[question.name] = PointReader(question.scale)
        return self._readers[question.name]

    def _pay(self, answer: StudyAnswer, outcomes: Sequence[RequestOutcome]) -> None:
        """Add what calls took: tokens, money and time, as far as all of them state it."""
        replies = [outcome.reply for outcome in outcomes if outcome.reply is not None]
        if not replies:
            return
        answer.model = replies[0].model or None
        usages = [reply.usage for reply in replies]
        known = [usage for usage in usages if usage is not None]
        if len(known) == len(usages):
            answer.tokens = (answer.tokens or 0) + sum(usage.tokens for usage in known)
            if self.replies.price is not None:
                answer.cost = (answer.cost or 0.0) + sum(self.replies.price.of(usage) for usage in known)
        seconds = [reply.seconds for reply in replies if reply.seconds is not None]
        if len(seconds) == len(replies):
            answer.seconds = (answer.seconds or 0.0) + sum(seconds)


_KINDS: dict[Method, Kind] = {
    "ssr": Kind.WORDS,
    "flr": Kind.WORDS,
    "dlr": Kind.NUMBER,
    "decision": Kind.DECISION,
}
_MEASURES: dict[Method, Callable[[Measuring, StudyAnswer, ReplyKey, SurveyQuestion], None]] = {
    "ssr": Measuring._by_similarity,
    "flr": Measuring._by_follow_up,
    "dlr": Measuring._directly,
    "decision": Measuring._by_decision,
}


def _give(answer: StudyAnswer, status: Status, pmf: Floats | None, values: Floats) -> None:
    answer.status = status
    if pmf is not None:
        answer.pmf, answer.value = pmf.tolist(), float(pmf @ values)


def _fail(answer: StudyAnswer, failure: CallError | None) -> None:
    answer.status = Status.FAILED if failure is None else _NO_ANSWER.get(failure.kind, Status.FAILED)
    answer.reason = None if failure is None else str(failure)
