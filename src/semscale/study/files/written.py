"""The keys of a study's YAML file."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from semscale.study.asking.rotation import Rotation
from semscale.study.panel.synthetic_panel import MOST_PERSONAS
from semscale.study.questionnaire import Exposure, Method

MOST_SAMPLES = 100
MOST_GROUPS = 1_000
"""Concepts, and values of an attribute whose groups are reported."""

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
ShortName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
Whole = Annotated[int, Field(strict=True)]
Real = Annotated[float, Field(strict=True)]
Cap = Annotated[Real, Field(ge=0, allow_inf_nan=False)]


class _Keys(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WrittenConcept(_Keys):
    """One of ``concepts``: a name, and a text or images."""

    name: ShortName
    text: str = ""
    images: list[Text] = []


class WrittenQuestion(_Keys):
    """One of ``questions``; the scale's own question where there is no text."""

    name: ShortName
    scale: Text
    methods: list[Method] = Field(min_length=1)
    text: Text | None = None


class WrittenPanel(_Keys):
    """``panel``: a file of personas, or a size with the shares of their attributes."""

    file: Text | None = None
    id: Text | None = None
    size: Whole | None = Field(default=None, ge=1, le=MOST_PERSONAS)
    marginals: dict[str, dict[str, Real]] = {}
    joint: list[dict[str, Any]] = []


class WrittenModel(_Keys):
    """``model``, or one of several: a name, or a name with settings."""

    name: Text
    base_url: Text | None = None
    temperature: Real | None = Field(default=None, ge=0, le=100)
    max_tokens: Whole = Field(default=200, ge=1)


class WrittenBudget(_Keys):
    """``budget``: caps of a run, and its pace."""

    max_cost: Cap | None = None
    max_calls: Whole | None = Field(default=None, ge=0)
    max_total_tokens: Whole | None = Field(default=None, ge=0)
    concurrency: Whole = Field(default=16, ge=1, le=1000)
    per_minute: Real | None = Field(default=None, gt=0)


class WrittenStudy(_Keys):
    """A whole file."""

    name: ShortName
    model: list[WrittenModel] = Field(min_length=1)
    panel: WrittenPanel
    persona: Text
    concepts: list[WrittenConcept] = Field(min_length=1, max_length=MOST_GROUPS)
    questions: list[WrittenQuestion] = Field(min_length=1)
    samples: Whole = Field(default=1, ge=1, le=MOST_SAMPLES)
    exposure: Exposure = "separate"
    rotation: Rotation = "latin-square"
    groups: list[Text] = []
    budget: WrittenBudget = WrittenBudget()
    embedder: Text | None = None
    seed: Whole = Field(default=0, ge=0, le=2**32 - 1)

    @field_validator("model", mode="before")
    @classmethod
    def _named(cls, written: object) -> object:
        listed = written if isinstance(written, list) else [written]
        return [{"name": each} if isinstance(each, str) else each for each in listed]


SECTIONS: dict[Literal["", "concepts", "questions", "panel", "model", "budget"], type[BaseModel]] = {
    "": WrittenStudy,
    "concepts": WrittenConcept,
    "questions": WrittenQuestion,
    "panel": WrittenPanel,
    "model": WrittenModel,
    "budget": WrittenBudget,
}
"""The keys of each part of a file, by the key that begins it."""
