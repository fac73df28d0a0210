"""Studies in YAML files: their keys, and how a file becomes a design; errors name the line."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field, StringConstraints, field_validator

from semscale.chat.messages import ImagePart
from semscale.drift.asking.prompt_template import PromptTemplate
from semscale.errors import InputError
from semscale.messages import unknown_name
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
    FEWEST_OPTIONS,
    MOST_OPTIONS,
    TYPES,
    Caps,
    Concept,
    Exposure,
    Keys,
    Method,
    ModelChoice,
    Questionnaire,
    Real,
    Rotation,
    StudyDesign,
    StudyPlan,
    StudyQuestion,
    Text,
    TypeName,
    Whole,
    first_repeated,
)
from semscale.study.result import Study
from semscale.yaml_reading import YamlFile

MOST_SAMPLES = 100
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
    type: TypeName = "scale"
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
        """Accept a single model, and a name in place of a model's settings."""
        models = model if isinstance(model, list) else [model]
        return [{"name": choice} if isinstance(choice, str) else choice for choice in models]


def load(path: str | Path) -> Study:
    """Read a study from a YAML file; docs/studies.md lists its keys.

    Paths in the file are relative to the file's own folder.

    Args:
        path: of the file.

    Raises:
        InputError: it cannot be read, or something in it is wrong; the message has the line.
    """
    file = YamlFile.read(path, "study file")
    return Study(parse_study(file.content, source=file.source, folder=Path(path).parent))


def parse_study(content: bytes, *, source: str, folder: Path) -> StudyDesign:
    """Parse a study from the bytes of a YAML file.

    Args:
        content: the file, UTF-8.
        source: the file's name in messages.
        folder: that paths in the file are relative to.

    Raises:
        InputError: as ``load``.
    """
    file = YamlFile(content, source)
    keys = file.validated(StudyKeys, file.keys("a study, such as concepts and questions"))
    names = [model.name for model in keys.model]
    if twice := first_repeated(names):
        last = len(names) - 1 - names[::-1].index(twice)
        raise file.error(("model", last), f"model {twice!r} is named twice: take one out")
    questionnaire = _questionnaire(keys, file, folder)
    panel = _panel(keys, file, folder)
    template = PromptTemplate("persona", keys.persona)
    with file.located("persona"):
        template.check([*panel.fields, ID], f"the panel ({panel.source})")
    with file.located("panel", "file"):
        panel.check(template.columns)
    _check_groups(keys.groups, file, panel)
    plan = StudyPlan(tuple(keys.model), keys.budget, tuple(keys.groups), keys.seed, keys.embedder)
    return StudyDesign(keys.name, source, questionnaire, panel, template, plan, content)


def _questionnaire(keys: StudyKeys, file: YamlFile, folder: Path) -> Questionnaire:
    _check_different(file, "concepts", [concept.name for concept in keys.concepts], "name")
    _check_different(file, "questions", [question.name for question in keys.questions], "name")
    concepts = [_concept(concept, number, file, folder) for number, concept in enumerate(keys.concepts)]
    shown = [repr((concept.text, [image.url for image in concept.images])) for concept in concepts]
    _check_different(file, "concepts", shown, "text and images")
    questions = [_question(asked, number, file, folder) for number, asked in enumerate(keys.questions)]
    return Questionnaire(tuple(concepts), tuple(questions), keys.samples, keys.exposure, keys.rotation)


def _check_different(file: YamlFile, section: str, values: Sequence[str], what: str) -> None:
    for number, value in enumerate(values):
        if value in values[:number]:
            first, second = (f"{section[:-1]} {index + 1}" for index in (values.index(value), number))
            raise file.error(
                (section, number), f"{second} has the same {what} as {first}: change one, or take it out"
            )


def _concept(keys: ConceptKeys, number: int, file: YamlFile, folder: Path) -> Concept:
    images = []
    for image_number, source in enumerate(keys.images):
        with file.located("concepts", number, "images", image_number):
            is_address = source.startswith(("https://", "http://", "data:"))
            images.append(ImagePart.of(source if is_address else folder / source))
    if not keys.text.strip() and not images:
        raise file.error(("concepts", number), f"concept {keys.name!r} needs a text or images")
    return Concept(keys.name, keys.text.strip(), tuple(images))


def _question(keys: QuestionKeys, number: int, file: YamlFile, folder: Path) -> StudyQuestion:
    needs = TYPES[keys.type].needs
    for key in needs:
        if getattr(keys, key) is None:
            kind = "a scale" if keys.type == "scale" else f"the type {keys.type}"
            message = f"question {keys.name!r} needs {key}, as every question with {kind}"
            raise file.error(("questions", number), message)
    for key in ("scale", "methods", "options"):
        if key not in needs and getattr(keys, key) is not None:
            message = f"{key} does not belong to a question of type {keys.type}: leave it out"
            raise file.error(("questions", number, key), message)
    if keys.scale is None:
        options, text = tuple(keys.options or ()), keys.text or ""
        with file.located("questions", number, "options"):
            _check_options(options, are_numbers=TYPES[keys.type].has_mean)
        return StudyQuestion(keys.name, text, type=keys.type, options=options)
    methods = tuple(keys.methods or ())
    with file.located("questions", number, "scale"):
        is_file = keys.scale.endswith((".yaml", ".yml"))
        scale = load_scale(folder / keys.scale if is_file else keys.scale)
        if "decision" in methods:
            check_points(scale)
    if twice := first_repeated(methods):
        raise file.error(("questions", number, "methods"), f"method {twice!r} is named twice")
    return StudyQuestion(keys.name, keys.text or scale.question, scale, methods)


def _check_options(options: Sequence[str], *, are_numbers: bool) -> None:
    if not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS:
        raise InputError(f"options must be {FEWEST_OPTIONS} to {MOST_OPTIONS}, got {len(options)}")
    if twice := first_repeated(options):
        raise InputError(f"option {twice!r} is named twice")
    if are_numbers:
        try:
            numbers = [float(option) for option in options]
        except ValueError:
            raise InputError(f"options of a number must be numbers, got {', '.join(options)}") from None
        if numbers != sorted(numbers) or not np.isfinite(numbers).all():
            raise InputError(f"options of a number must ascend, got {', '.join(options)}")


def _panel(keys: StudyKeys, file: YamlFile, folder: Path) -> SyntheticPanel:
    panel = keys.panel
    if (panel.file is None) == (panel.size is None):
        listed = "neither" if panel.file is None else "both"
        raise file.error(("panel",), f"panel needs file, or size with marginals or joint; got {listed}")
    if panel.file is None:
        return _drawn_panel(panel, keys.seed, file)
    if panel.joint:
        raise file.error(("panel", "joint"), "joint belongs to a drawn panel: leave it out beside file")
    with file.located("panel", "file"):
        personas = read_panel(folder / panel.file, name_column=panel.id)
    for name, levels in panel.marginals.items():
        with file.located("panel", "marginals", name):
            if name not in personas.fields:
                raise unknown_name("attribute of the panel", name, [*personas.fields])
            checked_shares(name, levels)
    with file.located("panel", "marginals"):
        return raked_panel(personas, panel.marginals) if panel.marginals else personas


def _drawn_panel(panel: PanelKeys, seed: int, file: YamlFile) -> SyntheticPanel:
    if panel.id is not None:
        raise file.error(("panel", "id"), "id belongs to a panel from a file: leave it out beside size")
    if not panel.marginals and not panel.joint:
        raise file.error(("panel",), "a drawn panel needs marginals, joint, or both")
    with file.located("panel", "joint"):
        joint = joint_shares(panel.joint) if panel.joint else None
    margins: Mapping[str, dict[str, float]] = panel.marginals
    for name, levels in margins.items():
        with file.located("panel", "marginals", name):
            checked_shares(name, levels)
    with file.located("panel", "marginals" if margins else "joint"):
        return drawn_panel(panel.size or 0, margins=margins, joint=joint, seed=seed)


def _check_groups(groups: Sequence[str], file: YamlFile, panel: SyntheticPanel) -> None:
    for number, name in enumerate(groups):
        with file.located("groups", number):
            if name in groups[:number]:
                raise InputError(f"group {name!r} is named twice")
            if name not in panel.fields:
                raise unknown_name("attribute of the panel", name, [*panel.fields])
            n = len(set(panel.fields[name]))
            if n > MOST_GROUPS:
                raise InputError(f"{name!r} has {n:,} values, and {MOST_GROUPS:,} groups are the most")
