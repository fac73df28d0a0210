"""Measures the replies of personas: an answer for each persona, sample, concept, question and method."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import numpy as np
import polars as pl

from semscale.chat.outcomes import RequestOutcome
from semscale.chat.replies import CallError, FailureKind, Reply
from semscale.judging.replies import read_reply
from semscale.judging.templates import Template
from semscale.rating.rater import Rater
from semscale.signature import Signature
from semscale.study.asking import AskedStudy, StopReply, is_answer
from semscale.study.interviews import KINDS, Kind, ReplyKey, Stop
from semscale.study.questionnaire import AnyQuestion, Method, StudyDesign, SurveyQuestion
from semscale.types import Floats, Progress, Status, Statuses

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder
    from semscale.scales import Scale

_STATUSES = {FailureKind.REFUSED: Status.REFUSED, FailureKind.SILENT: Status.EMPTY}
_DECLINED = "the persona's reply declines to answer"
_ONLY_A_NUMBER = "the persona's reply is a number and no words, so there is no meaning to compare"
_NUMBERS = re.compile(r"[\W_]*\d(?:[\W\d_]|\b(?:or|to|and|out of)\b)*", re.IGNORECASE)


@dataclass
class StudyAnswer:
    """An answer by one method.

    Attributes:
        persona: that answered.
        concept: that was shown.
        question: that was asked.
        method: how it was measured.
        sample: from 1.
        asked_model: name of the model that was asked, as in the study's file.
        concept_place: position of the concept in the interview, from 1; ``None`` where each call stands
            alone.
        question_place: likewise, of the question after its concept.
        status: ``scored``, or the reason why there is no rating.
        reason: the same in a sentence; ``None`` where there is none.
        value: expected value on the scale; ``None`` without a rating, and for questions about options.
        pmf: mass of each point; a picked point has all of it. Of a question about options, the probability
            or the expected rank of each option. ``None`` without a rating.
        set_values: expected value under each anchor set alone; ``None`` but for ``ssr``.
        reply: text of the persona's reply; ``None`` without a reply, and for a decision.
        rating_reply: text of the expert's reply that rated it; ``None`` but for ``flr``.
        prompt: hash of the request to the persona; ``None`` where nothing was sent.
        rating_prompt: hash of the request to the expert; ``None`` but for ``flr``.
        model: the endpoint's name for the model that answered.
        tokens: of the calls; ``None`` where they are not known.
        cost: of the calls; ``None`` where tokens or prices are not known.
        seconds: that the calls took, one after the other; likewise.
    """

    persona: str
    concept: str
    question: str
    method: str
    sample: int
    asked_model: str
    concept_place: int | None
    question_place: int | None
    status: Status = Status.UNFINISHED
    reason: str | None = None
    value: float | None = None
    pmf: list[float] | None = None
    set_values: list[float] | None = None
    reply: str | None = None
    rating_reply: str | None = None
    prompt: str | None = None
    rating_prompt: str | None = None
    model: str | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None

    def rate(self, pmf: Floats, values: Floats) -> None:
        """Set the rating: masses (k,) of points with values (k,)."""
        self.status = Status.SCORED
        self.pmf, self.value = pmf.tolist(), float(pmf @ values)

    def fail(self, failure: CallError | None) -> None:
        """Set the status of an answer whose call failed."""
        self.status = Status.FAILED if failure is None else _STATUSES.get(failure.kind, Status.FAILED)
        self.reason = None if failure is None else str(failure)


_COLUMN_TYPES: dict[Any, Any] = {
    str: pl.String,
    Status: pl.String,
    int: pl.Int64,
    float: pl.Float64,
    list[float]: pl.List(pl.Float64),
}

SCHEMA: dict[str, Any] = {
    name: _COLUMN_TYPES[hint if hint in _COLUMN_TYPES else get_args(hint)[0]]  # without "| None"
    for name, hint in get_type_hints(StudyAnswer).items()
}
"""Columns of the table of answers."""


def answer_frame(answers: Iterable[StudyAnswer]) -> pl.DataFrame:
    """Return a table of answers with the columns of ``SCHEMA``; missing values are null."""
    rows = list(answers)
    columns = {field.name: [getattr(row, field.name) for row in rows] for field in fields(StudyAnswer)}
    columns["status"] = [str(status) for status in columns["status"]]
    return pl.DataFrame(columns, schema=SCHEMA)


def measured_answers(
    design: StudyDesign,
    model: str,
    asked: AskedStudy,
    similarity: "SimilarityRating",
    progress: Progress | None = None,
) -> list[StudyAnswer]:
    """Measure all replies of one model; the free texts of a question are rated together.

    Args:
        design: of the study.
        model: its name in the study.
        asked: its replies.
        similarity: rates free texts.
        progress: called while texts are embedded.

    Returns:
        An answer for each persona, sample, concept, question and method, in the order of the file.
    """
    measuring = _Measuring(design, model, asked)
    answers = list(measuring.answers())
    scales = {question.name: question.scale for question in design.questionnaire.scale_questions}
    for name, waiting in measuring.texts.items():
        scale = scales[name]
        rated = similarity.rate(scale, [text for _, text in waiting], progress)
        for (answer, _), status, pmf, by_set in zip(waiting, *rated, strict=True):
            answer.status = Status(status)
            if status == Status.SCORED:
                answer.rate(pmf, scale.values)
                answer.set_values = by_set.tolist() if np.isfinite(by_set).all() else None
    return answers


class _Measuring:
    """Turns the replies of one model into answers; free texts wait to be rated together.

    Attributes:
        texts: by the question's name, answers and their texts that are to be rated.
    """

    def __init__(self, design: StudyDesign, model: str, asked: AskedStudy) -> None:
        self.texts: dict[str, list[tuple[StudyAnswer, str]]] = {}
        self._design, self._model, self._asked = design, model, asked
        self._readers = {
            question.name: PointReader(question.scale) for question in design.questionnaire.scale_questions
        }

    def answers(self) -> Iterator[StudyAnswer]:
        """Yield all answers in the order of the file, whatever the order of the interview was."""
        samples = self._design.questionnaire.samples
        for number, stops in enumerate(self._asked.stops):
            persona, sample = divmod(number, samples)
            for stop in sorted(stops, key=lambda stop: (stop.concept, stop.question)):
                for method in self._design.questionnaire.questions[stop.question].methods:
                    yield self._answer(persona, sample, stop, method)

    def _answer(self, persona: int, sample: int, stop: Stop, method: Method) -> StudyAnswer:
        asked = self._design.questionnaire
        question, in_sequence = asked.questions[stop.question], asked.exposure == "sequence"
        answer = StudyAnswer(
            self._design.panel.ids[persona],
            asked.concepts[stop.concept].name,
            question.name,
            method,
            sample + 1,
            self._model,
            stop.concept_place if in_sequence else None,
            stop.question_place if in_sequence else None,
        )
        key = ReplyKey(KINDS[method], persona, sample, stop.concept, stop.question)
        reply = self._asked.replies.get(key)
        if reply is None:
            if method == "decision" and self._asked.no_decisions is not None:
                answer.status, answer.reason = Status.FAILED, self._asked.no_decisions
            return answer
        answer.prompt, answer.reply = reply.prompt, reply.text
        if method == "decision" or not isinstance(question, SurveyQuestion):
            self._decide(answer, reply, question)
        elif method == "dlr":
            self._pick(answer, reply, question)
        else:
            self._rate_text(answer, reply, key, question)
        return answer

    def _decide(self, answer: StudyAnswer, reply: StopReply, question: AnyQuestion) -> None:
        self._add_cost(answer, reply.outcomes)
        undecided = reply.undecided
        if undecided is not None:
            answer.status = Status.REFUSED if undecided.refused else Status.FAILED
            answer.reason = undecided.reason or None
        elif isinstance(question, SurveyQuestion):
            answer.rate(question.masses(reply.decisions), question.scale.values)
        else:
            answer.status, answer.pmf = Status.SCORED, question.masses(reply.decisions).tolist()

    def _pick(self, answer: StudyAnswer, reply: StopReply, question: SurveyQuestion) -> None:
        """Read the point that a reply picks."""
        self._add_cost(answer, reply.outcomes)
        text = reply.outcomes[0].reply
        if text is None:
            answer.fail(reply.outcomes[0].failure)
            return
        answer.status, point = self._readers[question.name].read(text)
        if point is not None:
            answer.rate(np.eye(question.scale.n_points)[point], question.scale.values)

    def _rate_text(
        self, answer: StudyAnswer, reply: StopReply, key: ReplyKey, question: SurveyQuestion
    ) -> None:
        """Let a reply in free words wait for its rating by similarity, or read the expert's rating of it."""
        # One text serves both methods and counts once, with similarity.
        if answer.method == "ssr" or "ssr" not in question.methods:
            self._add_cost(answer, reply.outcomes)
        text = reply.text
        if text is None:
            answer.fail(reply.outcomes[0].failure)
        elif not text.strip():
            answer.status = Status.EMPTY
        elif not is_answer(text):
            answer.status, answer.reason = Status.REFUSED, _DECLINED
        elif answer.method == "flr":
            rating = self._asked.replies.get(key._replace(kind=Kind.RATING))
            if rating is not None:
                answer.rating_prompt, answer.rating_reply = rating.prompt, rating.text
                self._pick(answer, rating, question)
        elif _NUMBERS.fullmatch(text):
            answer.status, answer.reason = Status.UNPARSABLE, _ONLY_A_NUMBER
        else:
            self.texts.setdefault(question.name, []).append((answer, text))

    def _add_cost(self, answer: StudyAnswer, outcomes: Sequence[RequestOutcome]) -> None:
        """Add tokens, money and time of calls, as far as all of them state it."""
        replies = [outcome.reply for outcome in outcomes if outcome.reply is not None]
        if not replies:
            return
        answer.model = replies[0].model or None
        usages = [reply.usage for reply in replies if reply.usage is not None]
        if len(usages) == len(replies):
            answer.tokens = (answer.tokens or 0) + sum(usage.tokens for usage in usages)
            price = self._asked.price
            if price is not None:
                answer.cost = (answer.cost or 0.0) + sum(price.of(usage) for usage in usages)
        seconds = [reply.seconds for reply in replies if reply.seconds is not None]
        if len(seconds) == len(replies):
            answer.seconds = (answer.seconds or 0.0) + sum(seconds)


class PointReader:
    """Reads the point of a scale that replies pick, strictly; equal replies are read once.

    Args:
        scale: the scale.

    Example:
        >>> from semscale.scales import load_scale
        >>> reader = PointReader(load_scale("purchase-intent"))
        >>> [reader.read(Reply(text))[1] for text in ("4", "2 or 3", "I would give it a 5.")]
        [3, None, 4]
    """

    def __init__(self, scale: "Scale") -> None:
        self._template = Template.from_scale(scale)
        self._read: dict[tuple[str, bool], tuple[Status, int | None]] = {}

    def read(self, reply: Reply) -> tuple[Status, int | None]:
        """Read a reply to a request for one number of the scale.

        Returns:
            ``SCORED`` and the point's number from 0; or ``REFUSED``, ``EMPTY`` or ``UNPARSABLE``, and
            ``None``.
        """
        key = text, is_cut = reply.text, reply.finish_reason == "length"
        if key not in self._read:
            read = read_reply(text, self._template, cut=is_cut)
            point = None if read.score is None else int(np.abs(self._template.scores - read.score).argmin())
            self._read[key] = Status.SCORED if point is not None else Status(read.status), point
        return self._read[key]


class SimilarityRating:
    """Rates free texts by their similarity with anchors, with one embedder for all scales of a study.

    Args:
        embedder: a model's name or an embedder; the default model of ratings unless given.
    """

    def __init__(self, embedder: "str | Embedder | None" = None) -> None:
        self._embedder = embedder
        self._applied: set[Signature] = set()

    def rate(
        self, scale: "Scale", texts: list[str], progress: Progress | None = None
    ) -> tuple[Statuses, Floats, Floats]:
        """Rate n texts on a scale, each in the language that it seems to be in.

        Returns:
            Statuses, shape (n,), masses of the k points, shape (n, k), and means under each of s anchor sets,
            shape (n, s); NaN where there is no rating.
        """
        rater = Rater(scale, embedder=self._embedder)
        self._embedder = rater.embedder
        self._applied.add(rater.signature)
        ratings = rater.rate(texts, progress=progress)
        return ratings.status, ratings.pmf, ratings.set_means

    @property
    def settings(self) -> dict[str, object]:
        """Fields of a signature: a hash of all raters' settings, and the embedder; empty before rating."""
        if not self._applied or self._embedder is None or isinstance(self._embedder, str):
            return {}
        applied = "\n".join(sorted(str(signature) for signature in self._applied))
        embedder = {f"ssr_{name}": value for name, value in self._embedder.signature.fields}
        return {"ssr": hashlib.sha256(applied.encode()).hexdigest()[:8], **embedder}
