"""Settings of a judge, and their ranges."""

from pathlib import Path
from typing import Literal, TypedDict

from semscale.errors import InputError
from semscale.judging.decisions.rubric import Rubric
from semscale.judging.prompts.prompting import ORDERS, Order, ReferencePlace
from semscale.judging.prompts.template import Template
from semscale.messages import unknown_name
from semscale.scales import Scale

Method = Literal["prose", "decision"]
"""How a judge is asked: for words that state a score, or for a probability of each level."""

METHODS: tuple[Method, ...] = ("prose", "decision")

_SAMPLING_TEMPERATURE = 1.0
_MOST_CORRECTIONS, _MOST_SAMPLES = 20, 1000


class JudgeSettings(TypedDict, total=False):
    """Settings of a ``Judge``, as ``judge`` passes them on."""

    template: str | Template | Scale
    rubric: str | None
    context: str | None
    order: Order
    samples: int
    temperature: float | None | Literal["auto"]
    max_tokens: int | None
    structured: bool | Literal["auto"]
    logprobs: bool | Literal["auto"]
    corrections: int
    reference_place: ReferencePlace
    seed: int | None
    method: Method
    criteria: Rubric | str | Path | None


def checked_temperature(temperature: float | Literal["auto"] | None, samples: int) -> float | None:
    """Choose the temperature: 0 for one sample and 1 for several unless another is given.

    Raises:
        InputError: several samples at 0, which would all be alike.
    """
    if temperature == "auto":
        return 0.0 if samples == 1 else _SAMPLING_TEMPERATURE
    if samples != 1 and temperature == 0:
        raise InputError(f"temperature must be > 0 for {samples} samples, which would all be alike at 0")
    return temperature


def check_method(
    method: str, samples: int, *, temperature: float | Literal["auto"] | None, order: str
) -> None:
    """Check how a judge is asked.

    Raises:
        InputError: an unknown method; or samples, a temperature or an order of a decision.
    """
    if method not in METHODS:
        raise unknown_name("method", str(method), METHODS)
    if method == "decision" and samples != 1:
        raise InputError(
            f"samples must be 1 with method='decision', got {samples}: "
            "a decision has a probability for each level"
        )
    if method == "decision" and temperature not in {"auto", None, 0.0}:
        raise _prose_only("temperature", temperature)
    if method == "decision" and order == "explanation-first":
        raise _prose_only("order", order)


def _prose_only(name: str, value: object) -> InputError:
    said = "it is for replies in prose, and a decision is a probability for each level"
    return InputError(
        f"leave {name}={value!r} out with method='decision': {said}",
        in_shell=f"leave --{name} {value} out with --method decision: {said}",
    )


def check_settings(*, order: str, samples: int, corrections: int, reference_place: str) -> None:
    """Check settings that have a list of values, and whole numbers.

    Raises:
        InputError: one is out of range.
    """
    if order not in ORDERS:
        raise unknown_name("order", str(order), ORDERS)
    if reference_place not in {"after", "before"}:
        raise InputError(f"reference_place must be 'after' or 'before', got {reference_place!r}")
    _check_count("samples", samples, 1, _MOST_SAMPLES)
    _check_count("corrections", corrections, 0, _MOST_CORRECTIONS)


def _check_count(name: str, number: object, low: int, high: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
        raise InputError(f"{name} must be a whole number from {low} to {high}, got {number!r}")
