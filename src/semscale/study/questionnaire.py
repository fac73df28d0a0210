"""Designs of studies: concepts, types of questions, personas, models, settings, and YAML files."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

import numpy as np
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from semscale.chat.decision_formats import (
    ChoiceQuestion,
    Option,
    PredicateQuestion,
    Question,
    ScoreQuestion,
)
from semscale.chat.messages import DecisionAnswer, ImagePart, Part, TextPart
from semscale.chat.runner import Running
from semscale.chat.settings import Budget, Limits
from semscale.drift.asking import PromptTemplate
from semscale.endpoints import KEY_VARIABLE
from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.rating.decisions import check_points
from semscale.scales import Scale, load_scale
from semscale.signature import Signature
from semscale.study.panel import (
    ID,
    MOST_PERSONAS,
    SyntheticPanel,
    draw_panel,
    joint_shares,
    rake_panel,
    read_panel,
    validate_shares,
)
from semscale.types import Floats
from semscale.yaml_reading import YamlFile

Method = Literal["ssr", "flr", "dlr", "decision"]
"""Method that turns an answer into a rating.

``ssr``: free text, rated by its similarity to anchors. ``flr``: free text, and a second call that picks a
point for it. ``dlr``: the persona picks a point. ``decision``: a probability for each point or option.
"""

METHODS: tuple[Method, ...] = get_args(Method)

TEXT_METHODS = ("ssr", "flr")
"""Methods that measure a free-text answer."""

TypeName = Literal["scale", "choice", "choices", "number", "ranking"]
"""Names of the types of questions; ``TYPES`` describes each."""

Exposure = Literal["separate", "sequence"]
"""``separate``: one conversation per concept and question. ``sequence``: one conversation."""

Rotation = Literal["latin-square", "random", "none"]
"""Rules for the orders of concepts and questions with the exposure ``sequence``."""

FEWEST_OPTIONS, MOST_OPTIONS = 2, 10
MOST_SAMPLES = 100
MOST_GROUPS = 1_000
"""Limits on the number of concepts, and of values of an attribute with reported groups."""


_DECIDED = "answer"
"""Name of the only question of a decision."""

_LIKELY = 0.5

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
ShortName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
Whole = Annotated[int, Field(strict=True)]
Real = Annotated[float, Field(strict=True)]
Cap = Annotated[Real, Field(ge=0, allow_inf_nan=False)]


class Keys(BaseModel):
    """Keys of a study's file; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelChoice(Keys):
    """A model that answers, and its settings.

    Attributes:
        name: name for ``load_chat_model``.
        base_url: address of an OpenAI-compatible endpoint.
        key_variable: environment variable with that endpoint's key; without it, no key is sent.
        temperature: temperature of the personas' replies; by default the model's.
        max_tokens: greatest length of a free-text answer, in tokens.
    """

    name: Text
    base_url: Text | None = None
    key_variable: Text | None = None
    temperature: Real | None = Field(default=None, ge=0, le=100)
    max_tokens: Whole = Field(default=200, ge=1)

    @model_validator(mode="after")
    def _names_endpoint_of_key(self) -> Self:
        if self.key_variable is not None and self.base_url is None:
            raise ValueError("key_variable belongs to base_url: name the endpoint that gets the key as well")
        return self


class Caps(Keys):
    """Limits on the spending and the rate of a run; ``None`` for no limit.

    Attributes:
        max_cost: greatest cost, in the currency of the price table.
        max_calls: greatest number of calls sent.
        max_total_tokens: greatest number of tokens in prompts and replies.
        concurrency: greatest number of simultaneous calls.
        per_minute: greatest number of calls per minute.
    """

    max_cost: Cap | None = None
    max_calls: Whole | None = Field(default=None, ge=0)
    max_total_tokens: Whole | None = Field(default=None, ge=0)
    concurrency: Whole = Field(default=16, ge=1, le=1000)
    per_minute: Real | None = Field(default=None, gt=0)

    @property
    def limits(self) -> Limits:
        """Limits on the rate of calls."""
        return Limits(concurrency=self.concurrency, requests_per_minute=self.per_minute)

    @property
    def budget(self) -> Budget:
        """Budget for the calls."""
        return Budget(calls=self.max_calls, tokens=self.max_total_tokens, money=self.max_cost)


@dataclass(frozen=True)
class Concept:
    """Description or images that a persona sees.

    Attributes:
        name: short, unique in the study.
        text: its description; empty for images alone.
        images: images shown after the text.
    """

    name: str
    text: str = ""
    images: tuple[ImagePart, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """Parts of a message that show the concept."""
        return (*([TextPart(self.text)] if self.text else []), *self.images)


# Types of questions


@dataclass(frozen=True)
class QuestionType:
    """Behaviour of a type of question: its keys in a file, decisions, measures and replies.

    Attributes:
        needs: required keys of such a question in a file, besides its name.
        decide: returns the typed decisions for a text and labels, by name.
        measure: returns the figures of k labels from the answers to these decisions, shape (k,).
        reply: returns the likeliest answer as a persona would reply, from labels and figures.
        figure: meaning of the figures: the probability of a label, 0 to 1, or its rank from 1, the best.
        has_mean: true if labels are numbers, so that the answers have a mean.
        note: explanation below the question's table in a report; empty for a scale.
    """

    needs: tuple[str, ...]
    decide: Callable[[str, Sequence[str]], dict[str, Question]]
    measure: Callable[[Mapping[str, DecisionAnswer], int], Floats]
    reply: Callable[[Sequence[str], Floats], str]
    figure: Literal["share", "mean_rank"] = "share"
    has_mean: bool = False
    note: str = ""


def _about_levels(text: str, labels: Sequence[str]) -> dict[str, Question]:
    return {_DECIDED: ScoreQuestion(text, tuple(map(Option, labels)))}


def _about_choice(text: str, labels: Sequence[str]) -> dict[str, Question]:
    return {_DECIDED: ChoiceQuestion(text, tuple(map(Option, labels)))}


def _about_options(text: str, labels: Sequence[str]) -> dict[str, Question]:
    return {
        f"option_{number}": PredicateQuestion(f"{text}\n\nIs “{label}” part of the answer?")
        for number, label in enumerate(labels)
    }


def _about_pairs(text: str, labels: Sequence[str]) -> dict[str, Question]:
    options = tuple(map(Option, labels))
    return {
        f"pair_{first}_{second}": ChoiceQuestion(
            f"{text}\n\nWhich of these two ranks higher?", (options[first], options[second])
        )
        for first, second in combinations(range(len(options)), 2)
    }


def _masses(answers: Mapping[str, DecisionAnswer], _k: int) -> Floats:
    return np.array(answers[_DECIDED].masses)


def _yes_masses(answers: Mapping[str, DecisionAnswer], k: int) -> Floats:
    return np.array([answers[f"option_{number}"].masses[1] for number in range(k)])


def _ranks_from_pairs(answers: Mapping[str, DecisionAnswer], k: int) -> Floats:
    """Return 1 plus the sum of the probabilities that each other option ranks higher."""
    ranks = np.ones(k)
    for first, second in combinations(range(k), 2):
        first_higher, second_higher = answers[f"pair_{first}_{second}"].masses
        ranks[first] += second_higher
        ranks[second] += first_higher
    return ranks


def _likeliest(labels: Sequence[str], masses: Floats) -> str:
    return labels[int(np.argmax(masses))]


def _all_likely(labels: Sequence[str], masses: Floats) -> str:
    chosen = [label for label, mass in zip(labels, masses, strict=True) if mass >= _LIKELY]
    return ", ".join(chosen) or "none of these"


def _in_order(labels: Sequence[str], ranks: Floats) -> str:
    return ", ".join(labels[number] for number in np.argsort(ranks, kind="stable"))


_OPTION_KEYS = ("text", "options")

TYPES: dict[TypeName, QuestionType] = {
    "scale": QuestionType(("scale", "methods"), _about_levels, _masses, _likeliest, has_mean=True),
    "choice": QuestionType(
        _OPTION_KEYS,
        _about_choice,
        _masses,
        _likeliest,
        note="A share is the mean probability of the option over personas; shares sum to 100 %.",
    ),
    "choices": QuestionType(
        _OPTION_KEYS,
        _about_options,
        _yes_masses,
        _all_likely,
        note="A share is the mean probability that the option is part of the answer; each by itself.",
    ),
    "number": QuestionType(
        _OPTION_KEYS,
        _about_levels,
        _masses,
        _likeliest,
        has_mean=True,
        note="A share is the mean probability of a number over personas; the mean is of expected numbers.",
    ),
    "ranking": QuestionType(
        _OPTION_KEYS,
        _about_pairs,
        _ranks_from_pairs,
        _in_order,
        figure="mean_rank",
        note="Mean rank over personas, from probabilities that one option ranks above another; 1: best.",
    ),
}
"""All types of questions, by their name in a study's file."""


@dataclass(frozen=True)
class StudyQuestion:
    """A question about each concept.

    Attributes:
        name: short, unique in the study.
        text: the question.
        scale: its points are the answers; ``None`` for a question about options.
        methods: methods that measure the answers, at least one.
        type: type of the question, a name in ``TYPES``.
        options: the answers of a question without a scale: at least two, all different; ascending numbers if
            the answer is a number.
    """

    name: str
    text: str
    scale: Scale | None = None
    methods: tuple[Method, ...] = ("decision",)
    type: TypeName = "scale"
    options: tuple[str, ...] = ()

    @property
    def kind(self) -> QuestionType:
        """Behaviour of the question's type."""
        return TYPES[self.type]

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the scale's points, or the options."""
        return self.options if self.scale is None else tuple(self.scale.labels)

    @property
    def values(self) -> Floats | None:
        """Values of the points or numeric options, shape (k,); ``None`` if the labels are not numbers."""
        if self.scale is not None:
            return self.scale.values
        return np.array([float(option) for option in self.options]) if self.kind.has_mean else None

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest possible figure of a label: a share, or a mean rank."""
        return (0.0, 1.0) if self.kind.figure == "share" else (1.0, float(len(self.labels)))

    @property
    def decisions(self) -> dict[str, Question]:
        """Typed decisions about the question, by name."""
        return self.kind.decide(self.text, self.labels)

    def figures(self, answers: Mapping[str, DecisionAnswer]) -> Floats:
        """Return the probability, or the expected rank, of each label from the decisions, shape (k,)."""
        return self.kind.measure(answers, len(self.labels))

    def reply(self, answers: Mapping[str, DecisionAnswer]) -> str:
        """Return the likeliest answer, as a persona would reply."""
        return self.kind.reply(self.labels, self.figures(answers))

    @property
    def content(self) -> list[object]:
        """Everything that is shown and asked, as input of a hash."""
        if self.scale is None:
            return [self.name, self.text, self.type, self.options]
        return [self.name, self.text, self.scale.content_hash, self.scale.labels, self.methods]


# Designs


@dataclass(frozen=True)
class Questionnaire:
    """Concepts, questions, and how they are presented to personas.

    Attributes:
        concepts: at least one.
        questions: at least one.
        samples: number of times that every persona is asked.
        exposure: ``sequence`` if the conversation includes earlier concepts and answers, otherwise
            ``separate``.
        rotation: rule for the orders of concepts and questions; only with the exposure ``sequence``.
    """

    concepts: tuple[Concept, ...]
    questions: tuple[StudyQuestion, ...]
    samples: int = 1
    exposure: Exposure = "separate"
    rotation: Rotation = "latin-square"

    @property
    def scales(self) -> dict[str, Scale]:
        """Scales by the names of the questions that have one."""
        return {asked.name: asked.scale for asked in self.questions if asked.scale is not None}

    @property
    def content_hash(self) -> str:
        """Eight hex digits of the SHA-256 of everything that is shown and asked."""
        concepts = [[item.name, item.text, [image.url for image in item.images]] for item in self.concepts]
        content = json.dumps([concepts, [question.content for question in self.questions]])
        return hashlib.sha256(content.encode()).hexdigest()[:8]


@dataclass(frozen=True)
class StudyDesign:
    """Questionnaire, panel of personas, and settings of the run.

    Attributes:
        name: name of the study.
        source: file of the study.
        questionnaire: concepts and questions.
        panel: the personas.
        template: template of the prompt that describes the persona to the model.
        models: models, at least one; each answers for the whole panel.
        caps: limits on the spending of a run.
        groups: attributes of personas that define the reported groups.
        seed: seed of the panel, the orders and the intervals.
        embedder: model that rates free text by similarity; ``None`` for the default.
        content: bytes of the file, which are stored with the answers; empty without a file.
    """

    name: str
    source: str
    questionnaire: Questionnaire
    panel: SyntheticPanel
    template: PromptTemplate
    models: tuple[ModelChoice, ...]
    caps: Caps = field(default_factory=Caps)
    groups: tuple[str, ...] = ()
    seed: int = 0
    embedder: str | None = None
    content: bytes = field(default=b"", repr=False)

    @property
    def n_interviews(self) -> int:
        """Number of interviews with one model: personas times samples."""
        return len(self.panel) * self.questionnaire.samples

    @property
    def n_answers(self) -> int:
        """Number of answers of a complete run, each by one method and one model."""
        methods = sum(len(question.methods) for question in self.questionnaire.questions)
        return self.n_interviews * len(self.models) * len(self.questionnaire.concepts) * methods

    @property
    def running(self) -> Running:
        """Limits and budget of calls from the file; replies are stored in Semscale's ledger."""
        return Running(limits=self.caps.limits, budget=self.caps.budget)

    def running_with(self, calls: Running) -> Running:
        """Return settings of calls with the pace and the caps of the file.

        Args:
            calls: the settings; its caps override those of the file, and its time limits hold.
        """
        stated = {name: cap for name, cap in calls.budget if cap is not None}
        own = calls.limits
        limits = self.caps.limits.with_values(timeout=own.timeout, give_up_after=own.give_up_after)
        return replace(calls, limits=limits, budget=self.caps.budget.with_values(**stated))

    def with_models(self, names: Sequence[str], base_url: str | None = None) -> "StudyDesign":
        """Return a copy of the design with other models or another endpoint.

        Args:
            names: names of the models, which get the settings of the file's first model; by default the
                file's models.
            base_url: address of the endpoint; with ``names``, by default none.

        Raises:
            InputError: a model is named twice, or has an empty name.
        """
        if not names and base_url is None:
            return self
        if any(not name.strip() for name in names):
            raise InputError(
                "model", "must name a model, got an empty name: leave it out to take the file's own"
            )
        if twice := first_repeated(names):
            raise InputError(f"model {twice!r} is named twice: name it once")
        models = [self.models[0].model_copy(update={"name": name}) for name in names] or self.models
        # An endpoint that the caller names gets the default key, not the key variable of the file.
        endpoint = {"base_url": base_url, "key_variable": None if base_url is None else KEY_VARIABLE}
        return replace(self, models=tuple(model.model_copy(update=endpoint) for model in models))

    @property
    def signature(self) -> Signature:
        """Signature of the settings that affect the answers, without the models' names."""
        asked, first = self.questionnaire, self.models[0]
        return Signature.of(
            "study",
            questionnaire=asked.content_hash,
            persona=self.template.content_hash,
            panel=self.panel.content_hash,
            personas=len(self.panel),
            samples=asked.samples,
            exposure=asked.exposure,
            rotation=asked.rotation if asked.exposure == "sequence" else None,
            seed=self.seed,
            temperature=first.temperature,
            max_tokens=first.max_tokens,
        )


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first repeated name in a list; ``None`` if all differ."""
    return next((name for number, name in enumerate(names) if name in names[:number]), None)


# Files


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

    A question without a text has the text of its scale.
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
    def _list_models(cls, model: object) -> object:
        """Accept a single model, and a name in place of a model's settings."""
        models = model if isinstance(model, list) else [model]
        return [{"name": choice} if isinstance(choice, str) else choice for choice in models]


def parse_study(content: bytes, *, source: str, folder: Path) -> StudyDesign:
    """Parse a study from the bytes of a YAML file.

    Args:
        content: the file, UTF-8.
        source: the file's name in messages.
        folder: base folder of relative paths in the file.

    Raises:
        InputError: the content is not a valid study; the message states the line.
    """
    file = YamlFile(content, source)
    keys = file.validate(StudyKeys, file.keys("a study, such as concepts and questions"))
    names = [model.name for model in keys.model]
    if twice := first_repeated(names):
        last = len(names) - 1 - names[::-1].index(twice)
        raise file.error(("model", last), f"model {twice!r} is named twice: take one out")
    questionnaire = _questionnaire(keys, file, folder)
    panel = _panel(keys, file, folder)
    template = PromptTemplate("persona", keys.persona)
    with file.locate_errors("persona"):
        template.check([*panel.fields, ID], f"the panel ({panel.source})")
    with file.locate_errors("panel", "file"):
        panel.check(template.columns)
    _check_groups(keys.groups, file, panel)
    return StudyDesign(
        keys.name,
        source,
        questionnaire,
        panel,
        template,
        models=tuple(keys.model),
        caps=keys.budget,
        groups=tuple(keys.groups),
        seed=keys.seed,
        embedder=keys.embedder,
        content=content,
    )


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
        with file.locate_errors("concepts", number, "images", image_number):
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
        with file.locate_errors("questions", number, "options"):
            _check_options(options, are_numbers=TYPES[keys.type].has_mean)
        return StudyQuestion(keys.name, text, type=keys.type, options=options)
    methods = tuple(keys.methods or ())
    with file.locate_errors("questions", number, "scale"):
        is_file = keys.scale.endswith((".yaml", ".yml"))
        scale = load_scale(folder / keys.scale if is_file else keys.scale)
        if "decision" in methods:
            check_points(scale)
    if twice := first_repeated(methods):
        raise file.error(("questions", number, "methods"), f"method {twice!r} is named twice")
    return StudyQuestion(keys.name, keys.text or scale.question, scale, methods)


def _check_options(options: Sequence[str], *, are_numbers: bool) -> None:
    if not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS:
        raise InputError("options", f"must be {FEWEST_OPTIONS} to {MOST_OPTIONS}, got {len(options)}")
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
        return _draw_panel(panel, keys.seed, file)
    if panel.joint:
        raise file.error(("panel", "joint"), "joint belongs to a drawn panel: leave it out with file")
    with file.locate_errors("panel", "file"):
        personas = read_panel(folder / panel.file, name_column=panel.id)
    for name, levels in panel.marginals.items():
        with file.locate_errors("panel", "marginals", name):
            if name not in personas.fields:
                raise unknown_name("attribute of the panel", name, [*personas.fields])
            validate_shares(name, levels)
    with file.locate_errors("panel", "marginals"):
        return rake_panel(personas, panel.marginals) if panel.marginals else personas


def _draw_panel(panel: PanelKeys, seed: int, file: YamlFile) -> SyntheticPanel:
    if panel.id is not None:
        raise file.error(("panel", "id"), "id belongs to a panel from a file: leave it out with size")
    if not panel.marginals and not panel.joint:
        raise file.error(("panel",), "a drawn panel needs marginals, joint, or both")
    with file.locate_errors("panel", "joint"):
        joint = joint_shares(panel.joint) if panel.joint else None
    margins: Mapping[str, dict[str, float]] = panel.marginals
    for name, levels in margins.items():
        with file.locate_errors("panel", "marginals", name):
            validate_shares(name, levels)
    with file.locate_errors("panel", "marginals" if margins else "joint"):
        return draw_panel(panel.size or 0, margins=margins, joint=joint, seed=seed)


def _check_groups(groups: Sequence[str], file: YamlFile, panel: SyntheticPanel) -> None:
    for number, name in enumerate(groups):
        with file.locate_errors("groups", number):
            if name in groups[:number]:
                raise InputError(f"group {name!r} is named twice")
            if name not in panel.fields:
                raise unknown_name("attribute of the panel", name, [*panel.fields])
            n = len(set(panel.fields[name]))
            if n > MOST_GROUPS:
                raise InputError(f"{name!r} has {n:,} values, and {MOST_GROUPS:,} groups are the most")
