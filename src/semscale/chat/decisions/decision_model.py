"""The protocol of a decision model, its limits, and the check of a request against them."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from semscale.chat.decisions.answers import DecisionAnswers
from semscale.chat.decisions.questions import ChoiceQuestion, DecisionRequest, Question, ScoreQuestion
from semscale.errors import InputError
from semscale.signature import Signature


@dataclass(frozen=True)
class DecisionLimits:
    """What a decision model takes.

    Attributes:
        levels: the most levels of a score.
        options: the most options of a choice.
        questions: the most questions of a request; ``None`` where no number is stated.
        reads_images: whether it reads images.
    """

    levels: int = 10
    options: int = 255
    questions: int | None = None
    reads_images: bool = False


@runtime_checkable
class DecisionModel(Protocol):
    """A model that answers typed questions; it stands beside ``ChatModel``.

    A model that holds connections may have a coroutine ``aclose()``, which is awaited at the end of a run.
    """

    @property
    def name(self) -> str:
        """The model's name in price tables and messages."""
        ...

    @property
    def signature(self) -> Signature:
        """Model, engine and endpoint, without secrets."""
        ...

    @property
    def limits(self) -> DecisionLimits:
        """What it takes; requests beyond it are refused before anything is sent."""
        ...

    async def decide(self, request: DecisionRequest) -> DecisionAnswers:
        """Send one request once; the :class:`~semscale.chat.runner.Runner` waits and repeats.

        Raises:
            CallError: there are no answers; ``kind`` says why.
        """
        ...


def check_decision(request: DecisionRequest, limits: DecisionLimits, name: str) -> None:
    """Check that a model takes a request.

    Args:
        request: what is asked.
        limits: of the model.
        name: of the model, for messages.

    Raises:
        InputError: too many levels, options or questions, or an image where none is read.
    """
    if request.n_images and not limits.reads_images:
        raise InputError(f"{name} decides about texts and reads no images: leave the image out")
    n = len(request.questions)
    if limits.questions is not None and n > limits.questions:
        raise InputError(
            f"{name} takes {limits.questions} questions at once, got {n}: ask in several requests"
        )
    for title, question in request.questions.items():
        _check_options(title, question, limits, name)


def _check_options(title: str, question: Question, limits: DecisionLimits, name: str) -> None:
    n = len(question.options)
    if isinstance(question, ScoreQuestion) and n > limits.levels:
        raise InputError(f"{name} takes 2 to {limits.levels} levels, got {n} in question {title!r}")
    if isinstance(question, ChoiceQuestion) and n > limits.options:
        raise InputError(f"{name} takes 2 to {limits.options} options, got {n} in question {title!r}")
