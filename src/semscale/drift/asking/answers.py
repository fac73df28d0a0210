"""Answers to prompts: outputs with their tokens, cost and latency, or the reason why there are none."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from semscale.history.items import Item, Output
from semscale.types import Floats

TOKENS, COST, LATENCY = "call_tokens", "call_cost", "call_latency"
ASKED_FIELDS = (TOKENS, COST, LATENCY)
"""Fields of an output that say what its call took: tokens of prompt and reply, money, seconds."""


@dataclass(frozen=True)
class Answer:
    """What came back for one item.

    Attributes:
        outputs: with a text each; empty where none came.
        reason: why no output came, in words; ``None`` where one did.
        is_lost: whether a call failed that may succeed another time, so that the model has not answered yet.
        is_cut: whether the text was cut at the most tokens allowed.
        is_silent: whether the model answered without a text: it or its filter refused, or it was empty.
    """

    outputs: tuple[Output, ...] = ()
    reason: str | None = None
    is_lost: bool = False
    is_cut: bool = False
    is_silent: bool = False


@dataclass(frozen=True)
class Answers:
    """Answers of one model or program to n prompts, each asked k times.

    Attributes:
        asked: k times n answers; the first asking first.
        n_calls: calls that were made for them now; replies that were kept before cost nothing again.
        currency: of costs; ``None`` where no price is known.
        left_out: parameters that the model refused, and was asked without.
        n_kept: answers that were there already, from a command that was stopped.
    """

    asked: tuple[tuple[Answer, ...], ...]
    n_calls: int = 0
    currency: str | None = None
    left_out: tuple[str, ...] = ()
    n_kept: int = 0

    @property
    def every(self) -> tuple[Answer, ...]:
        """All answers, one asking after the other."""
        return tuple(answer for asking in self.asked for answer in asking)

    @property
    def n_answered(self) -> int:
        """Answers with an output."""
        return sum(bool(answer.outputs) for answer in self.every)

    @property
    def n_cut(self) -> int:
        """Answers that were cut at the most tokens allowed."""
        return sum(answer.is_cut for answer in self.every)

    @property
    def reasons(self) -> dict[str, int]:
        """Why items have no output, each reason with the number of answers, the most frequent first."""
        return dict(Counter(answer.reason for answer in self.every if answer.reason).most_common())

    @property
    def lost(self) -> dict[str, int]:
        """The same for calls that failed and may succeed another time."""
        return dict(Counter(answer.reason or "" for answer in self.every if answer.is_lost).most_common())

    def numbers(self, name: str) -> Floats:
        """List a number of all outputs, shape (m,), without those that do not have it.

        Args:
            name: one of ``ASKED_FIELDS``.
        """
        found = (output.fields.get(name) for answer in self.every for output in answer.outputs)
        return np.array([number for number in found if number is not None], dtype=np.float64)


@dataclass(frozen=True)
class AskedFacts:
    """What a recorded run took.

    Attributes:
        prompts: where the prompts are from.
        settings: parameters of the requests, by name.
        n_calls: calls that were made now, without those of an earlier command that was stopped.
        n_cut: replies that were cut at the most tokens allowed.
        reasons: why items have no output, each reason with the number of items, over all askings.
        sums: ``tokens`` and ``cost`` of all outputs, where they are known.
        n_known: outputs with each of these numbers.
        currency: of the cost; ``None`` where no price is known.
        latency: median seconds of a call; ``None`` where none is known.
        left_out: parameters that the model refused, and was asked without.
        n_kept: answers that were there already, from an earlier command that was stopped.
    """

    prompts: str
    settings: Mapping[str, object]
    n_calls: int
    n_cut: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    sums: Mapping[str, float] = field(default_factory=dict)
    n_known: Mapping[str, int] = field(default_factory=dict)
    currency: str | None = None
    latency: float | None = None
    left_out: tuple[str, ...] = ()
    n_kept: int = 0


def facts_of(answers: Answers, *, prompts: str, settings: Mapping[str, object]) -> AskedFacts:
    """Sum up what answers took.

    Args:
        answers: of all askings.
        prompts: where the prompts are from.
        settings: parameters of the requests, by name.
    """
    numbers = {name: answers.numbers(field) for name, field in (("tokens", TOKENS), ("cost", COST))}
    known = {name: found for name, found in numbers.items() if len(found)}
    seconds = answers.numbers(LATENCY)
    return AskedFacts(
        prompts,
        settings,
        answers.n_calls,
        answers.n_cut,
        answers.reasons,
        {name: float(found.sum()) for name, found in known.items()},
        {name: len(found) for name, found in known.items()},
        answers.currency,
        float(np.median(seconds)) if len(seconds) else None,
        answers.left_out,
        answers.n_kept,
    )


def answered_items(items: Iterable[Item], answers: Sequence[Answer]) -> tuple[Item, ...]:
    """Give items their answers' outputs; an item without one stays, and the model was silent.

    Args:
        items: n items without outputs.
        answers: one for each.
    """
    return tuple(replace(item, outputs=answer.outputs) for item, answer in zip(items, answers, strict=True))
