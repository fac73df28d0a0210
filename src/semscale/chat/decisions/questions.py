"""Questions of a decision: yes or no, one of several values, or one of several ordered levels."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from semscale.chat.messages import Message
from semscale.errors import InputError


@dataclass(frozen=True)
class Option:
    """A value that an answer can have.

    Attributes:
        value: its name.
        meaning: when it is right; empty where the name says it all.

    Example:
        >>> Option("low", "can wait a week").described, Option("high").described
        ('low: can wait a week', 'high')
    """

    value: str
    meaning: str = ""

    @property
    def described(self) -> str:
        """The name with its meaning, if it has one."""
        return f"{self.value}: {self.meaning}" if self.meaning else self.value


_NO_OR_YES = (Option("no"), Option("yes"))


@dataclass(frozen=True)
class PredicateQuestion:
    """A question that is answered by the probability of yes; the values of its answer are no and yes.

    Attributes:
        instructions: the question.
    """

    instructions: str
    options: tuple[Option, ...] = field(default=_NO_OR_YES, init=False)
    kind: ClassVar[str] = "predicate"

    def __post_init__(self) -> None:
        _check_instructions(self.instructions)


@dataclass(frozen=True)
class ChoiceQuestion:
    """A question that is answered by a probability for each of several values without an order.

    Attributes:
        instructions: the question.
        options: the values, at least two.

    Raises:
        InputError: fewer than two options, two of one name, or no instructions.
    """

    instructions: str
    options: tuple[Option, ...]
    kind: ClassVar[str] = "choice"

    def __post_init__(self) -> None:
        _check_instructions(self.instructions)
        _check_options(self.options, "options")


@dataclass(frozen=True)
class ScoreQuestion:
    """A question that is answered by a probability for each of several levels, from low to high.

    Attributes:
        instructions: the question.
        options: the levels, at least two, the lowest first.

    Raises:
        InputError: fewer than two levels, two of one name, or no instructions.
    """

    instructions: str
    options: tuple[Option, ...]
    kind: ClassVar[str] = "score"

    def __post_init__(self) -> None:
        _check_instructions(self.instructions)
        _check_options(self.options, "levels")


Question = PredicateQuestion | ChoiceQuestion | ScoreQuestion


@dataclass(frozen=True)
class DecisionRequest:
    """Questions about one input.

    Attributes:
        messages: the input, at least one message.
        questions: by their names, at least one.

    Raises:
        InputError: no message or no question.

    Example:
        >>> asked = DecisionRequest.of("It crashed twice.", {"angry": PredicateQuestion("Is this angry?")})
        >>> asked.questions["angry"].options[1].value
        'yes'
    """

    messages: tuple[Message, ...]
    questions: Mapping[str, Question]

    def __post_init__(self) -> None:
        if not self.messages:
            raise InputError("a decision needs at least one message, got none")
        if not self.questions:
            raise InputError("a decision needs at least one question, got none")

    @classmethod
    def of(cls, text: str, questions: Mapping[str, Question]) -> Self:
        """Ask about one text."""
        return cls((Message("user", text),), questions)

    @property
    def n_images(self) -> int:
        """How many images the input has."""
        return sum(message.n_images for message in self.messages)


def question_record(question: Question) -> dict[str, Any]:
    """Lay a question out as JSON has it; ``question_from`` reads it back."""
    options = [[option.value, option.meaning] for option in question.options]
    return {"kind": question.kind, "instructions": question.instructions, "options": options}


def question_from(record: Mapping[str, Any]) -> Question:
    """Read a question back.

    Example:
        >>> asked = ScoreQuestion("How good?", (Option("bad"), Option("good", "no faults")))
        >>> question_from(question_record(asked)) == asked
        True
    """
    if record["kind"] == PredicateQuestion.kind:
        return PredicateQuestion(record["instructions"])
    options = tuple(Option(value, meaning) for value, meaning in record["options"])
    kind = ScoreQuestion if record["kind"] == ScoreQuestion.kind else ChoiceQuestion
    return kind(record["instructions"], options)


def _check_instructions(instructions: str) -> None:
    if not isinstance(instructions, str) or not instructions.strip():
        raise InputError(f"the instructions of a question must be a text, got {instructions!r:.60}")


def _check_options(options: tuple[Option, ...], name: str) -> None:
    values = [option.value for option in options]
    if len(values) < 2:  # noqa: PLR2004 - the fewest that can be told apart
        raise InputError(f"{name} must be two or more, got {len(values)}")
    twice = next((value for place, value in enumerate(values) if value in values[:place]), None)
    if twice is not None:
        raise InputError(f"{name} must have different names, got {twice!r} twice")
