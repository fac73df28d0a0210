"""Templates and rubrics: the task of a judge, its levels, and the criteria that one score combines."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from semscale.errors import InputError
from semscale.judging.settings import DATA, TEMPLATES
from semscale.messages import unknown_name
from semscale.scales import Scale, load_scale
from semscale.settings import NumbersModel
from semscale.types import Floats
from semscale.yaml_reading import YamlFile

RULE = "weighted-mean"
"""The combination rule: the weighted mean of the criteria's scores, and of their expected scores."""

_WEIGHT_TOLERANCE = 1e-6
_FEWEST_LEVELS = 2


class Level(BaseModel):
    """A level that a judge can choose.

    Attributes:
        score: from 0 to 1.
        label: its name, which a reply may state instead of its number.
        number: number that the judge is asked to write; ``None`` for levels that have only names.
        meaning: when to choose the level.
        also: other unambiguous names.
        keyed: names that are accepted only after a keyword such as ``Score``, because a bare "True" may be an
            answer to the question.
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
        name: name for ``load_template``, or the scale's name.
        version: version of the wording.
        task: instructions to the judge on what to judge.
        levels: from low to high; empty for a range.
        highest: upper end of the range; ``None`` for levels.
        rubric: instructions of the user, which take precedence over the task where they differ.
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
        """True if the judge is asked for a number."""
        return self.highest is not None or all(level.number is not None for level in self.levels)

    @property
    def content_hash(self) -> str:
        """Hash (8 hex digits of SHA-256) of everything that the judge reads of it."""
        content = json.dumps(self.model_dump(exclude={"name"}), sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    @classmethod
    def from_scale(cls, scale: Scale, *, rubric: str = "") -> Self:
        """Build a template from a scale: one level per point, with the points' values rescaled to 0 to 1.

        Args:
            scale: its points become levels; its anchors are not used.
            rubric: instructions on what to judge; by default the scale's question.

        Examples:
            >>> from semscale.scales import load_scale
            >>> Template.from_scale(load_scale("quality")).scores.tolist()
            [0.0, 0.25, 0.5, 0.75, 1.0]
        """
        low, high = float(scale.values[0]), float(scale.values[-1])
        levels = tuple(
            Level(score=(point.value - low) / (high - low), label=point.label, number=point.value)
            for point in scale.points
        )
        task = f"Judge the position of the answer on the scale “{scale.title}” ({scale.question})"
        return cls(name=scale.name, task=task, levels=levels, rubric=rubric)


def load_template(name: "str | Template | Scale", *, rubric: str | None = None) -> Template:
    """Load a template of Semscale, build one from a scale, or return a template unchanged.

    Args:
        name: one of ``TEMPLATES``, a template, a ``Scale``, or an argument of ``load_scale``.
        rubric: the user's instructions on what to judge.

    Raises:
        UnknownNameError: neither a template nor a scale; the message gives the nearest.
        InputError: a scale's file cannot be read, or the rubric is not text.

    Examples:
        >>> load_template("likert").scores.tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    if rubric is not None and not isinstance(rubric, str):
        raise InputError("rubric", f"must be text, got {type(rubric).__name__}")
    template = _template(name)
    return template if rubric is None else template.model_copy(update={"rubric": rubric.strip()})


def side_by_side_template(rubric: str = "") -> Template:
    """Load the template of a judge that compares two answers.

    Args:
        rubric: instructions of the user on what makes an answer better.

    Examples:
        >>> side_by_side_template().scores.tolist()
        [0.0, 0.5, 1.0]
    """
    return Template(**{**read_data("side_by_side"), "rubric": rubric.strip()})


def even_template(name: str, question: str, levels: Sequence[tuple[str, str]]) -> Template:
    """Build a template from a question and levels from low to high, with scores evenly spaced from 0 to 1.

    Args:
        name: name of the criterion.
        question: question that the judge answers.
        levels: two or more labels, each with its meaning, which may be empty.

    Raises:
        InputError: fewer than two levels, or two with the same label.

    Examples:
        >>> levels = [("rude", ""), ("neutral", ""), ("kind", "warm words")]
        >>> even_template("tone", "How kind?", levels).scores.tolist()
        [0.0, 0.5, 1.0]
    """
    labels = [label for label, _ in levels]
    if len(set(labels)) < max(len(labels), _FEWEST_LEVELS):
        raise InputError(
            f"criterion {name!r} needs two or more levels with different labels, got {labels!r:.80}"
        )
    spaced = tuple(
        Level(score=index / (len(levels) - 1), number=index + 1, label=label, meaning=meaning)
        for index, (label, meaning) in enumerate(levels)
    )
    return Template(name=name, task=question, levels=spaced)


@cache
def read_data(name: str) -> Any:
    """Read a YAML file of this package: a template, the surrounding wording, or injections."""
    return yaml.safe_load((DATA / f"{name}.yaml").read_text(encoding="utf-8"))


def _template(name: object) -> Template:
    if isinstance(name, Template):
        return name
    if isinstance(name, Scale):
        return Template.from_scale(name)
    if isinstance(name, str) and name in TEMPLATES:
        return Template(**read_data(f"templates/{name}"))
    try:
        return Template.from_scale(load_scale(name))  # type: ignore[arg-type]  # it checks the type itself
    except KeyError:
        from semscale.scales import scale_names

        raise unknown_name("template", str(name), [*TEMPLATES, *scale_names()]) from None


@dataclass(frozen=True)
class Criterion:
    """A criterion of a rubric.

    Attributes:
        name: name in columns and tables.
        template: its question and levels.
        weight: its share of the combined score, above 0 and up to 1.
    """

    name: str
    template: Template
    weight: float = 1.0


@dataclass(frozen=True)
class Rubric:
    """Criteria whose weights sum to 1.

    The combined score is the weighted mean of the criteria's scores, each the likeliest level; it is missing
    if a criterion's score is missing. The distribution is the mixture of the criteria's distributions with
    the same weights, so that the expected score is the weighted mean of the criteria's expected scores.

    Attributes:
        name: name of the rubric.
        criteria: one or more criteria.

    Raises:
        InputError: no criterion, two with the same name, names whose columns would be equal, or weights that
            do not sum to 1.
    """

    name: str
    criteria: tuple[Criterion, ...]

    def __post_init__(self) -> None:
        names = [criterion.name for criterion in self.criteria]
        if not names:
            raise InputError("a rubric needs at least one criterion, got none")
        twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
        if twice is not None:
            raise InputError("criteria", f"must have different names, got {twice!r} twice")
        columns = {name: {name, f"{name}_score", f"{name}_status"} for name in names}
        for left, right in combinations(names, 2):
            if columns[left] & columns[right]:
                raise InputError(
                    f"criteria {left!r} and {right!r} would have a column of the same name: rename one"
                )
        total = sum(criterion.weight for criterion in self.criteria)
        is_whole = abs(total - 1) <= _WEIGHT_TOLERANCE
        if not is_whole or not all(criterion.weight > 0 for criterion in self.criteria):
            raise InputError(
                "weights",
                f"must be above 0 and sum to 1, got {_list_weights(self.weights)}, which sum to {total:g}",
            )

    @classmethod
    def from_template(cls, template: Template) -> Self:
        """Build a rubric from a template: one criterion with weight 1."""
        return cls(template.name, (Criterion(template.name, template),))

    @property
    def weights(self) -> dict[str, float]:
        """The criteria's weights by their names."""
        return {criterion.name: criterion.weight for criterion in self.criteria}

    @cached_property
    def template(self) -> Template:
        """The template of the combined score: a level for every score that a criterion has.

        Examples:
            >>> tone = even_template("tone", "How kind?", [("rude", ""), ("kind", "")])
            >>> care = even_template("care", "How careful?", [("not", ""), ("fairly", ""), ("very", "")])
            >>> rubric = Rubric("mine", (Criterion("tone", tone, 0.5), Criterion("care", care, 0.5)))
            >>> rubric.template.scores.tolist()
            [0.0, 0.5, 1.0]
        """
        if len(self.criteria) == 1:
            return self.criteria[0].template
        scores = {score for criterion in self.criteria for score in criterion.template.scores.tolist()}
        levels = tuple(Level(score=score, label=f"{score:.4g}") for score in sorted(scores))
        return Template(name=self.name, task=f"{RULE} of {_list_weights(self.weights)}", levels=levels)

    @property
    def content_hash(self) -> str:
        """Hash (8 hex digits of SHA-256) of names, weights and everything that the judge reads."""
        content = [
            [criterion.name, criterion.weight, criterion.template.content_hash] for criterion in self.criteria
        ]
        return hashlib.sha256(json.dumps([RULE, *content]).encode()).hexdigest()[:8]

    def map_templates(self, change: Callable[[Template], Template]) -> "Rubric":
        """Return the rubric with each criterion's template changed by a function."""
        criteria = tuple(
            replace(criterion, template=change(criterion.template)) for criterion in self.criteria
        )
        return Rubric(self.name, criteria)


def _list_weights(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {weight:g}" for name, weight in weights.items())


class _LevelEntry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    label: str = Field(min_length=1)
    meaning: str = ""


def _require_quotes(levels: object) -> object:
    """Refuse labels that YAML reads as numbers or as yes and no."""
    entries = levels if isinstance(levels, list) else []
    labels = [entry.get("label") if isinstance(entry, dict) else entry for entry in entries]
    if any(isinstance(label, bool | int | float) for label in labels):
        texts = {True: "yes", False: "no"}
        quoted = ", ".join(f'"{texts[label] if isinstance(label, bool) else label}"' for label in labels)
        raise ValueError(f"write levels in quotes: {quoted:.80}")
    return levels


class _CriterionEntry(NumbersModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=60)
    question: str = Field(min_length=1)
    levels: Annotated[str | list[str | _LevelEntry], BeforeValidator(_require_quotes)]
    weight: float | None = None


class _RubricFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1)
    rule: Literal["weighted-mean"] = RULE  # type: ignore[assignment]  # the only rule
    criteria: list[_CriterionEntry] = Field(min_length=1)


def load_rubric(path: str | Path | Rubric) -> Rubric:
    """Read a rubric from a YAML file, or return a rubric unchanged.

    The file has ``name``, ``rule`` (``weighted-mean``, which is also the default) and ``criteria``. Each
    criterion has ``name``, ``question``, ``weight`` and ``levels``: labels from low to high, or the name of a
    template or a scale. Without weights all criteria count equally.

    Raises:
        InputError: the file cannot be read, is not a rubric, or its weights do not sum to 1.
    """
    if isinstance(path, Rubric):
        return path
    if not isinstance(path, str | Path):
        raise InputError("criteria", f"must be a Rubric or its YAML file, got {type(path).__name__}")
    file = YamlFile.read(path, "rubric file")
    return parse_rubric(file.content, source=file.source)


def parse_rubric(content: bytes, *, source: str) -> Rubric:
    r"""Parse a rubric from the bytes of a YAML file.

    Args:
        content: the file, UTF-8.
        source: the file's name in messages.

    Raises:
        InputError: as ``load_rubric``; the message names the line.

    Examples:
        >>> text = b"name: mine\ncriteria: [{name: tone, question: kind, levels: [rude, kind]}]"
        >>> parse_rubric(text, source="mine.yaml").weights
        {'tone': 1.0}
    """
    file = YamlFile(content, source)
    keys = file.validate(_RubricFile, file.keys("a rubric, name and criteria"))
    with file.locate_errors("criteria"):
        return Rubric(keys.name, tuple(_criteria(keys.criteria)))


def _criteria(entries: Sequence[_CriterionEntry]) -> list[Criterion]:
    weights = [entry.weight for entry in entries]
    if all(weight is None for weight in weights):
        weights = [1 / len(weights)] * len(weights)
    criteria = []
    for entry, weight in zip(entries, weights, strict=True):
        if weight is None:
            raise InputError(f"criterion {entry.name!r} has no weight: give one to each, or to none")
        criteria.append(Criterion(entry.name, _criterion_template(entry), weight))
    return criteria


def _criterion_template(entry: _CriterionEntry) -> Template:
    if isinstance(entry.levels, str):
        template = load_template(entry.levels)
        if template.highest is not None:
            raise InputError(f"criterion {entry.name!r} needs levels, and {template.name!r} has a range")
        return template.model_copy(update={"name": entry.name, "task": entry.question, "rubric": ""})
    levels = [
        (level, "") if isinstance(level, str) else (level.label, level.meaning) for level in entry.levels
    ]
    return even_template(entry.name, entry.question, levels)
