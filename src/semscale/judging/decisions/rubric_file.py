"""Rubrics in YAML files that users write."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from semscale.errors import InputError
from semscale.judging.decisions.rubric import RULE, Criterion, Rubric, alone, spread
from semscale.judging.prompts.template import Template, load_template
from semscale.messages import first_mistake, shortened
from semscale.yaml_reading import parse_yaml


class _WrittenLevel(BaseModel):
    model_config = ConfigDict(extra="forbid")

    label: str = Field(min_length=1)
    meaning: str = ""


class _WrittenCriterion(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=60)
    question: str = Field(min_length=1)
    levels: str | list[str | _WrittenLevel]
    weight: float | None = None


class _WrittenRubric(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1)
    rule: Literal["weighted-mean"] = RULE  # type: ignore[assignment]  # the one rule
    criteria: list[_WrittenCriterion] = Field(min_length=1)


_KEYS = ("name", "rule", "criteria", "question", "levels", "weight", "label", "meaning")


def load_rubric(path: str | Path) -> Rubric:
    """Read a rubric from a YAML file.

    The file has ``name``, ``rule`` (``weighted-mean``, which is also what applies without it) and
    ``criteria``. Each criterion has ``name``, ``question``, ``weight`` and ``levels``: labels from low to
    high, or the name of a template or a scale. Without any weight all criteria count alike.

    Raises:
        InputError: it cannot be read, is no rubric, or its weights do not sum to 1.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"rubric file {str(path)!r} cannot be read: {error.strerror or error}") from None
    return parse_rubric(content, source=str(path))


def loaded_rubric(criteria: Rubric | str | Path | None, template: Template) -> Rubric:
    """Give a rubric as it is, read it from its file, or make one of a template.

    Raises:
        InputError: as ``load_rubric``.
    """
    if criteria is None:
        return alone(template)
    return criteria if isinstance(criteria, Rubric) else load_rubric(criteria)


def parse_rubric(content: bytes, *, source: str) -> Rubric:
    r"""Parse a rubric from the bytes of a YAML file.

    Args:
        content: the file, UTF-8.
        source: the file's name in messages.

    Raises:
        InputError: as ``load_rubric``.

    Example:
        >>> text = b"name: mine\ncriteria: [{name: tone, question: kind, levels: [rude, kind]}]"
        >>> parse_rubric(text, source="mine.yaml").weights
        {'tone': 1.0}
    """
    fields = parse_yaml(content, source=source)
    if not isinstance(fields, dict):
        raise InputError(
            f"{source!r} must hold the keys of a rubric, name and criteria, got {shortened(fields)}"
        )
    _check_quoted(fields.get("criteria"), source)
    try:
        written = _WrittenRubric(**{str(key): value for key, value in fields.items()})
    except ValidationError as error:
        raise InputError(f"{source!r}: {first_mistake(error, _KEYS)}") from None
    try:
        return Rubric(written.name, tuple(_criteria(written)))
    except InputError as error:
        raise InputError(f"{source!r}: {error}") from None


def _check_quoted(criteria: object, source: str) -> None:
    """Check that no label is what YAML takes for a number or for yes and no."""
    for criterion in criteria if isinstance(criteria, list) else []:
        levels = criterion.get("levels") if isinstance(criterion, dict) else None
        labels = [each.get("label") if isinstance(each, dict) else each for each in levels or []]
        if isinstance(levels, list) and any(isinstance(label, bool | int | float) for label in labels):
            said = ", ".join(f'"{_as_written(label)}"' for label in labels)
            name = criterion.get("name")
            raise InputError(f"{source!r}: criterion {name!r}: write levels in quotes: {said:.80}")


def _as_written(label: object) -> str:
    return ("yes" if label else "no") if isinstance(label, bool) else str(label)


def _criteria(written: _WrittenRubric) -> list[Criterion]:
    weights = [each.weight for each in written.criteria]
    if all(weight is None for weight in weights):
        weights = [1 / len(weights)] * len(weights)
    without = next(
        (each.name for each, weight in zip(written.criteria, weights, strict=True) if weight is None), None
    )
    if without is not None:
        raise InputError(f"criterion {without!r} has no weight: give one to each, or to none")
    return [
        Criterion(each.name, _template(each), float(weight or 0))
        for each, weight in zip(written.criteria, weights, strict=True)
    ]


def _template(written: _WrittenCriterion) -> Template:
    if isinstance(written.levels, str):
        known = load_template(written.levels)
        if known.highest is not None:
            raise InputError(f"criterion {written.name!r} needs levels, and {known.name!r} has a range")
        return known.model_copy(update={"name": written.name, "task": written.question, "rubric": ""})
    levels = [(each, "") if isinstance(each, str) else (each.label, each.meaning) for each in written.levels]
    return spread(written.name, written.question, levels)
