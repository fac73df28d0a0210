"""Templates of judges: the task and its levels, or a range of numbers, with scores from 0 to 1."""

import hashlib
import json
from importlib import resources
from typing import Any, Self

import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict, Field

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.scales import Scale, load_scale
from semscale.types import Floats

TEMPLATES = ("likert", "continuous", "true_false", "true_false_uncertain")
"""Templates that ship with Semscale; every ``Scale`` makes another one."""


class Level(BaseModel):
    """One level that a judge can choose.

    Attributes:
        score: from 0 to 1.
        label: its name, which may be said instead of its number.
        number: what the judge is asked to say; ``None`` for levels that have only names.
        meaning: when to choose it.
        also: other names that can mean nothing else.
        keyed: names that are taken only after a word such as ``Score``: a bare "True" may answer the
            question.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    score: float = Field(ge=0, le=1)
    label: str
    number: float | None = None
    meaning: str = ""
    also: tuple[str, ...] = ()
    keyed: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The number or the label that the judge is asked to write for this level."""
        return self.label if self.number is None else f"{self.number:g}"


class Template(BaseModel):
    """A task with its levels, or with a range of whole numbers from 0.

    Attributes:
        name: as ``load_template`` takes it, or the scale's.
        version: of the words.
        task: what to judge, in the words the judge reads.
        levels: from low to high; empty for a range.
        highest: upper end of the range; ``None`` for levels.
        rubric: the user's own words, which go before the task where they differ.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: int = 1
    task: str
    levels: tuple[Level, ...] = ()
    highest: int | None = None
    rubric: str = ""

    @property
    def scores(self) -> Floats:
        """Scores of all levels, ascending, shape (k,); of every whole number for a range."""
        if self.highest is None:
            return np.array(sorted(level.score for level in self.levels))
        return np.arange(self.highest + 1) / self.highest

    @property
    def numbered(self) -> bool:
        """Whether the judge is asked for a number."""
        return self.highest is not None or all(level.number is not None for level in self.levels)

    @property
    def content_hash(self) -> str:
        """Eight hex digits of the SHA-256 over everything that the judge reads of it."""
        content = json.dumps(self.model_dump(exclude={"name"}), sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    @classmethod
    def from_scale(cls, scale: Scale, *, rubric: str = "") -> Self:
        """Make a template of a scale: a level for each point, scores spread over 0 to 1 as the values are.

        Args:
            scale: its points become levels; its anchors are not used.
            rubric: what the judge is to look at; the scale's question unless given.

        Example:
            >>> from semscale.scales import load_scale
            >>> Template.from_scale(load_scale("quality")).scores.tolist()
            [0.0, 0.25, 0.5, 0.75, 1.0]
        """
        low, high = float(scale.values[0]), float(scale.values[-1])
        levels = tuple(
            Level(score=(point.value - low) / (high - low), label=point.label, number=point.value)
            for point in scale.points
        )
        asked = f"Judge where the answer stands on the scale “{scale.title}” ({scale.question})"
        return cls(name=scale.name, task=asked, levels=levels, rubric=rubric)


def load_template(name: "str | Template | Scale", *, rubric: str | None = None) -> Template:
    """Find a template: one that ships with Semscale, one made of a scale, or the one that is given.

    Args:
        name: one of ``TEMPLATES``, a template, a ``Scale``, or what ``load_scale`` takes.
        rubric: the user's own words on what is to be judged.

    Raises:
        UnknownNameError: neither a template nor a scale; the message gives the nearest.
        InputError: a scale's file cannot be read, or the rubric is no text.

    Example:
        >>> load_template("likert").scores.tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    if rubric is not None and not isinstance(rubric, str):
        raise InputError(f"rubric must be text, got {type(rubric).__name__}")
    template = _found(name)
    return template if rubric is None else template.model_copy(update={"rubric": rubric.strip()})


def _found(name: object) -> Template:
    if isinstance(name, Template):
        return name
    if isinstance(name, Scale):
        return Template.from_scale(name)
    if isinstance(name, str) and name in TEMPLATES:
        return Template(**read_yaml(name))
    try:
        return Template.from_scale(load_scale(name))  # type: ignore[arg-type]  # it checks the type itself
    except KeyError:
        from semscale.scales import scale_names

        raise unknown_name("template", str(name), [*TEMPLATES, *scale_names()]) from None


def read_yaml(name: str) -> dict[str, Any]:
    """Read one of this package's own YAML files as a mapping."""
    file = resources.files("semscale.judging.prompts") / f"{name}.yaml"
    content: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return content
