"""The value of the fixture ``semantic_judge``: a test's output scored by a chat model."""

import math
import textwrap
from collections.abc import Iterator
from typing import NamedTuple, Unpack

from semscale.chat.chat_model import ChatModel
from semscale.chat.loading import load_chat_model
from semscale.chat.runner import Running, run_to_end
from semscale.errors import InputError, ReplyError, SemscaleError
from semscale.judging.judge import Judge
from semscale.judging.prompts import read_items
from semscale.judging.settings import JudgeKeywords
from semscale.judging.verdict import Verdict
from semscale.snapshots.fixture import await_outputs
from semscale.types import Status

DEFAULT_AT_LEAST = 0.8

_WIDTH = 100
_LONGEST = 1000  # characters of a text in a message


class JudgeModel(NamedTuple):
    """The chat model and the endpoint of the ini file; the model is loaded at its first use.

    Attributes:
        name: setting ``semantic_judge_model``; empty without one.
        url: setting ``semantic_judge_url``, the address of an endpoint; empty for the default one. A model
            that a call names is asked there, too, unless the call names another address.
    """

    name: str
    url: str

    def load(self, name: str | None = None, base_url: str | None = None) -> ChatModel:
        """Load a model.

        Args:
            name: name of the model; by default that of the ini file.
            base_url: address of its endpoint; by default that of the ini file.

        Raises:
            InputError: neither the call nor the ini file names a model.
        """
        if not (name or self.name):
            raise InputError(
                "semantic_judge needs a chat model: set semantic_judge_model = NAME in pytest's ini file, or "
                "pass chat_model"
            )
        return load_chat_model(name or self.name, base_url=base_url or self.url or None)


class SemanticJudge:
    """Scores a test's output with a chat model, and fails the test if the score is too low.

    Args:
        model: the chat model of the ini file.
    """

    def __init__(self, model: JudgeModel) -> None:
        self._model = model
        self._models: dict[tuple[str | None, str | None], ChatModel] = {}

    def __call__(
        self,
        question: str,
        answer: object,
        *,
        reference: object = None,
        at_least: float = DEFAULT_AT_LEAST,
        chat_model: object = None,
        base_url: str | None = None,
        **settings: Unpack[JudgeKeywords],
    ) -> Verdict:
        """Let a chat model score an answer; the ledger has the score of an unchanged answer.

        Args:
            question: the question that was answered.
            answer: the output of the program; a coroutine is awaited.
            reference: a right answer, or a list of them.
            at_least: the lowest expected score that passes, 0 to 1.
            chat_model: the judge's model, or its name; by default that of the ini file.
            base_url: address of the endpoint of a model that is named; by default that of the ini file.
            settings: fields of ``JudgeSettings``, such as ``template`` and ``rubric``.

        Returns:
            The verdict, with score, distribution and explanation.

        Raises:
            AssertionError: the score is lower, or the judge gave none; the message has both texts and the
                judge's explanation.
            InputError: no chat model is named, or a text or a setting is invalid.
            ReplyError: the model could not be asked.
        """
        __tracebackhide__ = True
        if not 0 <= at_least <= 1:
            raise InputError("at_least", f"must be between 0 and 1, got {at_least!r:.60}")
        try:
            judge = Judge(self._loaded(chat_model, base_url), **settings)
            text = await_outputs(answer, "semantic_judge")
            references = None if reference is None else [reference]
            items = read_items([question], [text], references, judge.preparation)
            verdict = run_to_end(judge.judge_items(items, Running())).verdicts[0]
        except SemscaleError as error:
            raise error.with_traceback(None) from error.__cause__
        problem = _problem(verdict, judge.name, at_least)
        if problem:
            texts = {"question": question, "answer": text, "reference": reference}
            texts["explanation"] = verdict.explanation or (verdict.replies[-1] if verdict.replies else None)
            raise AssertionError("\n".join([problem, *_lines(texts)]))
        return verdict

    def _loaded(self, chat_model: object, base_url: str | None) -> object:
        """Return the judge's model, loaded if it is named, from the address of the call or the ini file."""
        if chat_model is not None and not isinstance(chat_model, str):
            if base_url is not None:
                raise InputError(
                    "base_url", "belongs to the name of a model: `chat_model` is one that is loaded already"
                )
            return chat_model
        key = (chat_model, base_url)
        if key not in self._models:
            self._models[key] = self._model.load(chat_model, base_url)
        return self._models[key]


def _problem(verdict: Verdict, judge: str, at_least: float) -> str | None:
    """Describe why a verdict does not pass; ``None`` if it does.

    Raises:
        InputError: the question or the answer is no text, or the reference has none.
        ReplyError: the model could not be asked.
    """
    if verdict.status in {Status.FAILED, Status.UNFINISHED}:
        raise ReplyError(f"{judge} could not be asked: {verdict.reason}")
    if verdict.status in {Status.UNPARSABLE, Status.REFUSED}:
        return f"{judge} gave no score: {verdict.reason}"
    if verdict.status is not Status.SCORED:
        return f"{judge} was not asked, as the question or the answer is {verdict.status}"
    if verdict.expected >= at_least or math.isclose(verdict.expected, at_least, abs_tol=1e-9):
        return None
    return f"{judge} scores the answer {verdict.expected:.2f}, at_least is {at_least:g}"


def _lines(texts: dict[str, object]) -> Iterator[str]:
    for name, text in texts.items():
        if text is not None:
            label = f"  {name}: "
            shown = textwrap.shorten(str(text), _LONGEST, placeholder=" …")
            yield from textwrap.wrap(
                shown,
                _WIDTH,
                initial_indent=label,
                subsequent_indent=" " * len(label),
                break_long_words=False,
            ) or [label]
