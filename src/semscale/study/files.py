"""Studies in YAML files: their keys, how a file becomes a design, and errors with the line."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, StringConstraints, ValidationError, field_validator

from semscale.chat.messages import ImagePart
from semscale.drift.asking.prompt_template import PromptTemplate
from semscale.errors import InputError
from semscale.messages import did_you_mean, first_mistake, shortened, unknown_name
from semscale.rating.decided import check_points
from semscale.scales import load_scale
from semscale.study.panel import (
    ID,
    MOST_PERSONAS,
    SyntheticPanel,
    checked_shares,
    drawn_panel,
    joint_shares,
    raked_panel,
    read_panel,
)
from semscale.study.questionnaire import (
    AnyQuestion,
    Caps,
    Concept,
    Exposure,
    Keys,
    Method,
    ModelChoice,
    OptionQuestion,
    OptionType,
    Questionnaire,
    Real,
    Rotation,
    StudyDesign,
    StudyPlan,
    SurveyQuestion,
    Text,
    Whole,
)
from semscale.study.result import Study
from semscale.yaml_reading import line_of, parse_yaml

MOST_SAMPLES = 100
FEWEST_OPTIONS, MOST_OPTIONS = 2, 10
MOST_GROUPS = 1_000
"""Concepts, and values of an attribute whose groups are reported."""

ShortName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]


class ConceptKeys(Keys):
    """An entry of ``concepts``: a name, and a text or images."""

    name: ShortName
    text: str = ""
    images: list[Text] = []


Number = Annotated[
    Text,
    BeforeValidator(lambda cell: f"{cell:g}" if type(cell) in {int, float} else cell),  # as YAML reads it
]


class QuestionKeys(Keys):
    """An entry of ``questions``: a scale and methods, or a type and options.

    Without a text, a question has that of its scale.
    """

    name: ShortName
    scale: Text | None = None
    methods: list[Method] | None = Field(default=None, min_length=1)
    text: Text | None = None
    type: Literal["scale"] | OptionType = "scale"
    options: list[Number] | None = None


class PanelKeys(Keys):
    """``panel``: a file of personas, or a size with the shares of their attributes."""

    file: Text | None = None
    id: Text | None = None
    size: Whole | None = Field(default=None, ge=1, le=MOST_PERSONAS)
    marginals: dict[str, dict[str, Real]] = {}
    joint: list[dict[str, Any]] = []


class StudyKeys(Keys):
    """A complete file."""

    name: ShortName
    model: list[ModelChoice] = Field(min_length=1)
    panel: PanelKeys
    persona: Text
    concepts: list[ConceptKeys] = Field(min_length=1, max_length=MOST_GROUPS)
    questions: list[QuestionKeys] = Field(min_length=1)
    samples: Whole = Field(default=1, ge=1, le=MOST_SAMPLES)
    exposure: Exposure = "separate"
    rotation: Rotation = "latin-square"
    groups: list[Text] = []
    budget: Caps = Caps()
    embedder: Text | None = None
    seed: Whole = Field(default=0, ge=0, le=2**32 - 1)

    @field_validator("model", mode="before")
    @classmethod
    def _listed(cls, model: object) -> object:
        """Accept a single model, and a name in the place of a model's settings."""
        models = model if isinstance(model, list) else [model]
        return [{"name": choice} if isinstance(choice, str) else choice for choice in models]


SECTIONS: dict[Literal["", "concepts", "questions", "panel", "model", "budget"], type[Keys]] = {
    "": StudyKeys,
    "concepts": ConceptKeys,
    "questions": QuestionKeys,
    "panel": PanelKeys,
    "model": ModelChoice,
    "budget": Caps,
}
"""The keys of each part of a file, by the key that begins it."""


def load(path: str | Path) -> Study:
    """Read a study from a YAML file; docs/studies.md lists its keys.

    Paths in the file are relative to the file's own folder.

    Args:
        path: of the file.

    Raises:
        InputError: it cannot be read, or something in it is wrong; the message has the line.
    """
    file = Path(path)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError(f"study file {str(path)!r} cannot be read: {error.strerror or error}") from None
    return Study(parse_study(content, source=str(path), folder=file.parent))


def parse_study(content: bytes, *, source: str, folder: Path) -> StudyDesign:
    """Parse a study from the bytes of a YAML file.

    Args:
        content: the file, UTF-8.
        source: the file's name in messages.
        folder: that paths in the file are relative to.

    Raises:
        InputError: as ``load``.
    """
    fields = parse_yaml(content, source=source)
    if not isinstance(fields, dict):
        raise InputError(
            f"{source!r} must hold the keys of a study, such as concepts and questions, "
            f"got {shortened(fields)}"
        )
    text = _StudyText(content, source)
    try:
        keys = StudyKeys(**{str(key): value for key, value in fields.items()})
    except ValidationError as error:
        raise text.validation_error(error) from None
    for number, name in enumerate(names := [model.name for model in keys.model]):
        if name in names[:number]:
            raise text.error(("model", number), f"model {name!r} is named twice: take one out")
    questionnaire = _questionnaire(keys, text, folder)
    panel = _panel(keys, text, folder)
    template = PromptTemplate("persona", keys.persona)
    with text.located("persona"):
        template.check([*panel.fields, ID], f"the panel ({panel.source})")
    with text.located("panel", "file"):
        panel.check(template.columns)
    groups = _groups(keys, text, panel)
    first, *further = keys.model
    plan = StudyPlan(first, keys.budget, groups, keys.seed, keys.embedder, tuple(further))
    return StudyDesign(keys.name, source, questionnaire, panel, template, plan, content)


@dataclass(frozen=True)
class _StudyText:
    """The content of a study's file, and its name in messages."""

    content: bytes
    source: str

    def error(self, path: Sequence[str | int], message: str) -> InputError:
        """Make the error about the value at a path of keys and positions: file, line, and what is wrong."""
        line = line_of(self.content, path)
        if path[:1] == ("model",):  # a single model is no list in the file, and has no position there
            line = max(line, line_of(self.content, ["model", *path[2:]]))
        return InputError(f"{self.source!r}, line {line}: {message}")

    def validation_error(self, error: ValidationError) -> InputError:
        """Make the error about the first mistake; an unknown key goes first, as it explains a missing one."""
        details = error.errors()
        unknown = next((detail for detail in details if detail["type"] == "extra_forbidden"), None)
        if unknown is None:
            return self.error(details[0]["loc"], first_mistake(error, ()))
        path = unknown["loc"]
        key, section = str(path[-1]), str(path[0]) if len(path) > 1 else ""
        known = [name for part, keys in SECTIONS.items() if part == section for name in keys.model_fields]
        where = f" in {section}" if section else ""
        return self.error(
            path, f"unknown key {key!r}{where}{did_you_mean(key, known)} (known: {', '.join(known)})"
        )

    @contextmanager
    def located(self, *path: str | int) -> Iterator[None]:
        """Add file and line to the errors that the use of a value raises."""
        try:
            yield
        except InputError as error:
            raise self.error(path, str(error)) from error


def _questionnaire(keys: StudyKeys, text: _StudyText, folder: Path) -> Questionnaire:
    _check_different(text, "concepts", [concept.name for concept in keys.concepts], "name")
    _check_different(text, "questions", [question.name for question in keys.questions], "name")
    concepts = tuple(_concept(concept, number, text, folder) for number, concept in enumerate(keys.concepts))
    shown = [repr((concept.text, [image.url for image in concept.images])) for concept in concepts]
    _check_different(text, "concepts", shown, "text and images")
    questions = tuple(
        _question(question, number, text, folder) for number, question in enumerate(keys.questions)
    )
    return Questionnaire(concepts, questions, keys.samples, keys.exposure, keys.rotation)


def _check_different(text: _StudyText, section: str, values: Sequence[str], what: str) -> None:
    for number, value in enumerate(values):
        if value in values[:number]:
            first, second = (f"{section[:-1]} {at + 1}" for at in (values.index(value), number))
            raise text.error(
                (section, number), f"{second} has the same {what} as {first}: change one, or take it out"
            )


def _concept(keys: ConceptKeys, number: int, text: _StudyText, folder: Path) -> Concept:
    images = []
    for image_number, source in enumerate(keys.images):
        with text.located("concepts", number, "images", image_number):
            is_address = source.startswith(("https://", "http://", "data:"))
            images.append(ImagePart.of(source if is_address else folder / source))
    if not keys.text.strip() and not images:
        raise text.error(("concepts", number), f"concept {keys.name!r} needs a text or images")
    return Concept(keys.name, keys.text.strip(), tuple(images))


def _question(keys: QuestionKeys, number: int, text: _StudyText, folder: Path) -> AnyQuestion:
    of_scale, of_options = ["scale", "methods"], ["text", "options"]
    needed, refused = (of_scale, ["options"]) if keys.type == "scale" else (of_options, of_scale)
    for key in needed:
        if getattr(keys, key) is None:
            kind = "a scale" if keys.type == "scale" else f"the type {keys.type}"
            message = f"question {keys.name!r} needs {key}, as every question with {kind}"
            raise text.error(("questions", number), message)
    for key in refused:
        if getattr(keys, key) is not None:
            message = f"{key} does not belong to a question of type {keys.type}: leave it out"
            raise text.error(("questions", number, key), message)
    if keys.type != "scale":
        with text.located("questions", number, "options"):
            return _option_question(keys, keys.type)
    return _scale_question(keys, number, text, folder)


def _option_question(keys: QuestionKeys, kind: OptionType) -> OptionQuestion:
    options = tuple(keys.options or ())
    if not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS:
        raise InputError(f"options must be {FEWEST_OPTIONS} to {MOST_OPTIONS}, got {len(options)}")
    if twice := next((option for at, option in enumerate(options) if option in options[:at]), None):
        raise InputError(f"option {twice!r} is named twice")
    if kind == "number":
        try:
            numbers = [float(option) for option in options]
        except ValueError:
            raise InputError(f"options of a number must be numbers, got {', '.join(options)}") from None
        if numbers != sorted(numbers) or not np.isfinite(numbers).all():
            raise InputError(f"options of a number must ascend, got {', '.join(options)}")
    return OptionQuestion(keys.name, keys.text or "", kind, options)


def _scale_question(keys: QuestionKeys, number: int, text: _StudyText, folder: Path) -> SurveyQuestion:
    name, methods = keys.scale or "", keys.methods or []
    with text.located("questions", number, "scale"):
        is_file = name.endswith((".yaml", ".yml"))
        scale = load_scale(folder / name if is_file else name)
        if "decision" in methods:
            check_points(scale)
    twice = next((method for at, method in enumerate(methods) if method in methods[:at]), None)
    if twice is not None:
        raise text.error(("questions", number, "methods"), f"method {twice!r} is named twice")
    return SurveyQuestion(keys.name, keys.text or scale.question, scale, tuple(methods))


def _panel(keys: StudyKeys, text: _StudyText, folder: Path) -> SyntheticPanel:
    panel = keys.panel
    if (panel.file is None) == (panel.size is None):
        listed = "neither" if panel.file is None else "both"
        raise text.error(("panel",), f"panel needs file, or size with marginals or joint; got {listed}")
    if panel.file is None:
        return _drawn_panel(panel, keys.seed, text)
    if panel.joint:
        raise text.error(("panel", "joint"), "joint belongs to a drawn panel: leave it out beside file")
    with text.located("panel", "file"):
        personas = read_panel(folder / panel.file, name_column=panel.id)
    for name, levels in panel.marginals.items():
        with text.located("panel", "marginals", name):
            if name not in personas.fields:
                raise unknown_name("attribute of the panel", name, [*personas.fields])
            checked_shares(name, levels)
    with text.located("panel", "marginals"):
        return raked_panel(personas, panel.marginals) if panel.marginals else personas


def _drawn_panel(panel: PanelKeys, seed: int, text: _StudyText) -> SyntheticPanel:
    if panel.id is not None:
        raise text.error(("panel", "id"), "id belongs to a panel from a file: leave it out beside size")
    if not panel.marginals and not panel.joint:
        raise text.error(("panel",), "a drawn panel needs marginals, joint, or both")
    with text.located("panel", "joint"):
        joint = joint_shares(panel.joint) if panel.joint else None
    margins: Mapping[str, dict[str, float]] = panel.marginals
    for name, levels in margins.items():
        with text.located("panel", "marginals", name):
            checked_shares(name, levels)
    with text.located("panel", "marginals" if margins else "joint"):
        return drawn_panel(panel.size or 0, margins=margins, joint=joint, seed=seed)


def _groups(keys: StudyKeys, text: _StudyText, panel: SyntheticPanel) -> tuple[str, ...]:
    for number, name in enumerate(keys.groups):
        with text.located("groups", number):
            if name in keys.groups[:number]:
                raise InputError(f"group {name!r} is named twice")
            if name not in panel.fields:
                raise unknown_name("attribute of the panel", name, [*panel.fields])
            n = len(set(panel.fields[name]))
            if n > MOST_GROUPS:
                raise InputError(f"{name!r} has {n:,} values, and {MOST_GROUPS:,} groups are the most")
    return tuple(keys.groups)
