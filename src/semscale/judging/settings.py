"""Settings and columns of judging, from which options, signature fields and docs derive."""

from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from pydantic import Field

from semscale.chat.messages import Parameters
from semscale.chat.settings import CHAT
from semscale.errors import InputError
from semscale.results.table_columns import CELL, GROUP, Columns, Role, list_texts
from semscale.settings import Option, Settings, Signed
from semscale.text_preparation import Html, Reasoning

if TYPE_CHECKING:
    import polars as pl

    from semscale.types import Floats

JUDGE = "Judge"
"""Title of the options' panel in the help."""

DATA = resources.files("semscale.judging") / "data"
"""Templates and wordings that ship with Semscale."""

TEMPLATES = tuple(sorted(file.name.removesuffix(".yaml") for file in (DATA / "templates").iterdir()))
"""Templates that ship with Semscale, one for each file; every ``Scale`` makes another one."""

Order = Literal["score-first", "explanation-first", "score-only"]
"""Order of the reply. An explanation before the score narrows the spread of scores (arXiv 2503.03064)."""

ReferencePosition = Literal["after", "before"]
"""Position of a reference in the prompt, relative to the answer."""

Method = Literal["prose", "decision"]
"""Kind of reply: prose that states a score, or a probability of each level."""

_SAMPLING_TEMPERATURE = 1.0


class JudgeSettings(Settings):
    """Settings of a ``Judge``.

    Raises:
        InputError: a value out of range, several samples at temperature 0, or a setting that a decision does
            not have.
    """

    template: Annotated[
        Any,
        Field(description=f"Task and its score levels: {', '.join(TEMPLATES)}, or a scale."),
        Option(JUDGE, "NAME", type=str),
    ] = "likert"
    rubric: Annotated[
        str | None,
        Field(description="Rubric: instructions for the judge, or @FILE."),
        Option(JUDGE, "TEXT"),
    ] = None
    context: Annotated[
        str | None, Field(description="Further information for the judge, such as the audience.")
    ] = None
    order: Annotated[
        Order,
        Field(description="Order of the reply: score-first, explanation-first or score-only."),
        Option(JUDGE, "ORDER", rare=True),
        Signed(),
    ] = "score-first"
    reference_place: Annotated[
        ReferencePosition,
        Field(description="Position of a reference in the prompt: after or before the answer."),
        Signed("reference"),
    ] = "after"
    samples: Annotated[
        int,
        Field(ge=1, le=1000, description="Replies per row; several give a distribution."),
        Option(JUDGE, rare=True),
        Signed(),
    ] = 1
    temperature: Annotated[
        float | Literal["auto"] | None,
        Field(description="Temperature of the replies (default: 0, or 1 for several samples)."),
        Option(CHAT, "NUMBER", name="--chat-temperature", type=float, shown=False, rare=True),
    ] = "auto"
    max_tokens: Annotated[
        int | None,
        Field(description="Maximum number of tokens of a reply."),
        Option(JUDGE, rare=True),
    ] = 1024
    seed: Annotated[int | None, Field(description="Seed for the model, where it accepts one.")] = None
    structured: Annotated[
        bool | Literal["auto"],
        Field(description="Ask for JSON by a schema; auto where the model accepts one."),
    ] = "auto"
    logprobs: Annotated[
        bool | Literal["auto"],
        Field(description="Whether token probabilities are requested; auto where the model gives them."),
    ] = "auto"
    corrections: Annotated[
        int,
        Field(ge=0, le=20, description="Maximum number of retries for a reply that cannot be parsed."),
        Signed(),
    ] = 2
    method: Annotated[
        Method,
        Field(description="Form of the reply: prose, or decision with a probability for each level."),
        Option(JUDGE, name="--reply", rare=True),
    ] = "prose"
    reasoning: Reasoning = "remove"
    html: Html = "keep"
    criteria: Annotated[
        Any,
        Field(description="YAML file with several criteria to score, instead of a template."),
        Option(JUDGE, "FILE", type=Path, rare=True),
    ] = None

    def model_post_init(self, _context: object) -> None:
        """Refuse settings that exclude each other."""
        if self.method == "decision":
            if self.samples != 1:
                raise InputError(
                    "samples",
                    f"must be 1 with method='decision', got {self.samples}: "
                    "a decision has a probability for each level",
                )
            if self.temperature not in {"auto", None, 0.0}:
                raise _prose_only("temperature", self.temperature)
            if self.order == "explanation-first":
                raise _prose_only("order", self.order)
        if self.samples != 1 and self.temperature == 0:
            raise InputError(
                "temperature", f"must be > 0 for {self.samples} samples, which would all be the same at 0"
            )
        Parameters(**self.sampling)  # it checks them

    @property
    def sampling(self) -> dict[str, Any]:
        """Parameters of a request: ``temperature``, ``max_tokens`` and ``seed``."""
        temperature = self.temperature
        if temperature == "auto":
            temperature = 0.0 if self.samples == 1 else _SAMPLING_TEMPERATURE
        return {"temperature": temperature, "max_tokens": self.max_tokens, "seed": self.seed}


class JudgeKeywords(TypedDict, total=False):
    """Types of ``JudgeSettings`` as keyword arguments, for type checkers."""

    template: Any
    rubric: str | None
    context: str | None
    order: Order
    reference_place: ReferencePosition
    samples: int
    temperature: float | Literal["auto"] | None
    max_tokens: int | None
    seed: int | None
    structured: bool | Literal["auto"]
    logprobs: bool | Literal["auto"]
    corrections: int
    method: Method
    criteria: Any
    reasoning: Reasoning
    html: Html


def _prose_only(name: str, value: object) -> InputError:
    reason = "it is for replies in prose, and a decision is a probability for each level"
    return InputError(f"leave `{name}={value!r}` out with `method='decision'`: {reason}")


def _probabilities(columns: "Sequence[pl.Series]", _parameter: str, _first_row: int) -> "Floats":
    """Read probabilities of a draw, shape (n,), NaN where a cell has no number."""
    import polars as pl

    from semscale.store.columns import floats_in, storable

    cells = storable(columns[0].to_frame()).to_series()
    return floats_in(cells.cast(pl.Float64, strict=False))


ANSWER = replace(CELL, is_prepared=True)
"""The answer of each row."""

REFERENCES = Role(list_texts, is_prepared=True)
"""Zero or more texts for each row."""

LABELS = replace(CELL, is_checked=True, is_measured=False)
"""Human labels for each row."""

PROBABILITIES = Role(_probabilities, is_measured=False)
"""Probability with which each row was drawn; it does not decide a verdict."""


class JudgeColumns(Columns):
    """Columns of questions, answers, and what they are compared with.

    Raises:
        InputError: one column for two purposes, or probabilities without labels.
    """

    question: Annotated[
        str, CELL, Field(description="The questions."), Option("Columns", "COLUMN", name="--prompt")
    ]
    answer: Annotated[str, ANSWER, Field(description="Answers to score."), Option("Columns", "COLUMN")]
    reference: Annotated[
        tuple[str, ...],
        REFERENCES,
        Field(description="Correct answers."),
        Option("Columns", "COLUMN"),
    ] = ()
    human: Annotated[
        str | None,
        LABELS,
        Field(description="Human labels, on the same levels as the judge's scores, or lists of labels."),
        Option("Columns", "COLUMN"),
    ] = None
    by: Annotated[str | None, GROUP, Field(description="Groups to compare."), Option("Columns", "COLUMN")] = (
        None
    )
    inclusion: Annotated[
        str | None,
        PROBABILITIES,
        Field(description="Probability with which each row was selected for human labels."),
        Option("Columns", "COLUMN", rare=True),
    ] = None

    def model_post_init(self, context: object) -> None:
        """Refuse probabilities without labels."""
        super().model_post_init(context)
        if self.inclusion is not None and self.human is None:
            raise InputError("inclusion", "belongs to `human`: name the column of people's labels as well")
