"""Designs of studies: concepts and questions, personas, the models that answer, and how a run is made."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Annotated, Literal, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from semscale.chat.calls.limits import Limits
from semscale.chat.costs.budget import Budget
from semscale.chat.decisions.answers import DecisionAnswer
from semscale.chat.decisions.questions import (
    ChoiceQuestion,
    Option,
    PredicateQuestion,
    Question,
    ScoreQuestion,
)
from semscale.chat.messages import ImagePart, Part, TextPart
from semscale.chat.runner import Running
from semscale.drift.asking.prompt_template import PromptTemplate
from semscale.errors import InputError
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.study.panel import SyntheticPanel
from semscale.types import Floats

Method = Literal["ssr", "flr", "dlr", "decision"]
"""The way from an answer to a rating.

``ssr``: free text, rated by its similarity with anchors. ``flr``: free text, and a further call that picks a
point for it. ``dlr``: the persona picks a point. ``decision``: a probability for each point.
"""

METHODS: tuple[Method, ...] = get_args(Method)

TEXT_METHODS = ("ssr", "flr")
"""Methods that measure an answer in free words."""

OptionType = Literal["choice", "choices", "number", "ranking"]
"""``choice``: one option. ``choices``: any number of options. ``number``: one of several numbers.
``ranking``: an order of all options."""

Exposure = Literal["separate", "sequence"]
"""``separate``: a conversation of its own for each concept and question. ``sequence``: one conversation."""

Rotation = Literal["latin-square", "random", "none"]
"""Orders of concepts and questions over interviews with the exposure ``sequence``."""

_DECIDED = "answer"
"""Name of the only question of a decision."""

_LIKELY = 0.5

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Whole = Annotated[int, Field(strict=True)]
Real = Annotated[float, Field(strict=True)]
Cap = Annotated[Real, Field(ge=0, allow_inf_nan=False)]


class Keys(BaseModel):
    """Keys of a study's file; unknown ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelChoice(Keys):
    """A model that answers, and its settings.

    Attributes:
        name: as ``load_chat_model`` takes it.
        base_url: of an OpenAI-compatible endpoint.
        temperature: of the personas' replies; the model's default unless given.
        max_tokens: length at which an answer in free words is cut.
    """

    name: Text
    base_url: Text | None = None
    temperature: Real | None = Field(default=None, ge=0, le=100)
    max_tokens: Whole = Field(default=200, ge=1)


class Caps(Keys):
    """Limits of a run, and its pace; ``None`` for no limit.

    Attributes:
        max_cost: money, in the currency of the price table.
        max_calls: calls that are sent.
        max_total_tokens: tokens of prompts and replies.
        concurrency: simultaneous calls.
        per_minute: calls per minute.
    """

    max_cost: Cap | None = None
    max_calls: Whole | None = Field(default=None, ge=0)
    max_total_tokens: Whole | None = Field(default=None, ge=0)
    concurrency: Whole = Field(default=16, ge=1, le=1000)
    per_minute: Real | None = Field(default=None, gt=0)

    @property
    def limits(self) -> Limits:
        """The pace of calls."""
        return Limits(concurrency=self.concurrency, requests_per_minute=self.per_minute)

    @property
    def budget(self) -> Budget:
        """The caps on what is sent."""
        return Budget(calls=self.max_calls, tokens=self.max_total_tokens, money=self.max_cost)


@dataclass(frozen=True)
class Concept:
    """A description or pictures that a persona sees.

    Attributes:
        name: short, unique in the study.
        text: its description; empty for images alone.
        images: pictures after the text.
    """

    name: str
    text: str = ""
    images: tuple[ImagePart, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of a message that show it."""
        return (*([TextPart(self.text)] if self.text else []), *self.images)


@dataclass(frozen=True)
class SurveyQuestion:
    """A question about each concept.

    Attributes:
        name: short, unique in the study.
        text: the question.
        scale: the answers are rated on its points.
        methods: how answers are measured, at least one.
    """

    name: str
    text: str
    scale: Scale
    methods: tuple[Method, ...]

    @property
    def decisions(self) -> dict[str, Question]:
        """The decision about it: a probability for each point."""
        options = tuple(Option(label) for label in self.scale.labels)
        return {_DECIDED: ScoreQuestion(self.text, options)}

    def masses(self, answers: Mapping[str, DecisionAnswer]) -> Floats:
        """Return the masses (k,) of the points."""
        return np.array(answers[_DECIDED].masses)

    def reply(self, answers: Mapping[str, DecisionAnswer]) -> str:
        """Return the label of the likeliest point, as a persona would reply."""
        return self.scale.labels[int(np.argmax(self.masses(answers)))]


@dataclass(frozen=True)
class OptionQuestion:
    """A question about options without a scale, measured by typed decisions.

    Attributes:
        name: short, unique in the study.
        text: the question.
        type: of its answers.
        options: at least two, all different; ascending numbers where the answer is a number.
    """

    name: str
    text: str
    type: OptionType
    options: tuple[str, ...]
    methods: tuple[Method, ...] = field(default=("decision",), init=False)

    @property
    def numbers(self) -> Floats | None:
        """The options as numbers, shape (k,); ``None`` for other types."""
        return np.array([float(option) for option in self.options]) if self.type == "number" else None

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest figure of an option: a share, or a mean rank."""
        return (1.0, float(len(self.options))) if self.type == "ranking" else (0.0, 1.0)

    @property
    def decisions(self) -> dict[str, Question]:
        """The decisions about it: one for all options, for each option, or for each pair of them."""
        options = tuple(Option(option) for option in self.options)
        if self.type == "choice":
            return {_DECIDED: ChoiceQuestion(self.text, options)}
        if self.type == "number":
            return {_DECIDED: ScoreQuestion(self.text, options)}
        if self.type == "choices":
            return {
                f"option_{number}": PredicateQuestion(f"{self.text}\n\nIs “{option}” part of the answer?")
                for number, option in enumerate(self.options)
            }
        return {
            f"pair_{first}_{second}": ChoiceQuestion(
                f"{self.text}\n\nWhich of these two ranks higher?", (options[first], options[second])
            )
            for first, second in combinations(range(len(options)), 2)
        }

    def masses(self, answers: Mapping[str, DecisionAnswer]) -> Floats:
        """Return the probability of each option, shape (k,); for a ranking its expected rank, 1 for the best.

        The expected rank of an option is 1 plus the sum of the probabilities that each other ranks higher.
        """
        if self.type in {"choice", "number"}:
            return np.array(answers[_DECIDED].masses)
        if self.type == "choices":
            return np.array([answers[name].masses[1] for name in self.decisions])
        ranks = np.ones(len(self.options))
        for first, second in combinations(range(len(ranks)), 2):
            first_higher, second_higher = answers[f"pair_{first}_{second}"].masses
            ranks[first] += second_higher
            ranks[second] += first_higher
        return ranks

    def reply(self, answers: Mapping[str, DecisionAnswer]) -> str:
        """Return the likeliest answer, as a persona would reply."""
        masses = self.masses(answers)
        if self.type == "ranking":
            return ", ".join(self.options[number] for number in np.argsort(masses, kind="stable"))
        if self.type == "choices":
            chosen = [option for option, mass in zip(self.options, masses, strict=True) if mass >= _LIKELY]
            return ", ".join(chosen) or "none of these"
        return self.options[int(np.argmax(masses))]


AnyQuestion = SurveyQuestion | OptionQuestion


@dataclass(frozen=True)
class Questionnaire:
    """Concepts, questions, and how they are put to personas.

    Attributes:
        concepts: at least one.
        questions: at least one.
        samples: times that every persona is asked.
        exposure: whether earlier concepts and answers are in view.
        rotation: how the orders of concepts and questions change; only with the exposure ``sequence``.
    """

    concepts: tuple[Concept, ...]
    questions: tuple[AnyQuestion, ...]
    samples: int = 1
    exposure: Exposure = "separate"
    rotation: Rotation = "latin-square"

    @property
    def scale_questions(self) -> tuple[SurveyQuestion, ...]:
        """The questions that are rated on a scale."""
        return tuple(question for question in self.questions if isinstance(question, SurveyQuestion))

    @property
    def option_questions(self) -> tuple[OptionQuestion, ...]:
        """The questions about options."""
        return tuple(question for question in self.questions if isinstance(question, OptionQuestion))

    @property
    def content_hash(self) -> str:
        """Eight hex digits of the SHA-256 of all that is shown and asked."""
        content = [
            [[item.name, item.text, [image.url for image in item.images]] for item in self.concepts],
            [
                [asked.name, asked.text, asked.scale.content_hash, asked.scale.labels, asked.methods]
                if isinstance(asked, SurveyQuestion)
                else [asked.name, asked.text, asked.type, asked.options]
                for asked in self.questions
            ],
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:8]


@dataclass(frozen=True)
class StudyPlan:
    """Settings of a run and its report.

    Attributes:
        model: answers for the whole panel.
        caps: what a run may spend.
        groups: attributes of personas by which results are shown.
        seed: of the panel, the orders and the intervals.
        embedder: model that rates free text by similarity; the default unless given.
        further_models: each answers for the whole panel, too.
    """

    model: ModelChoice
    caps: Caps = field(default_factory=Caps)
    groups: tuple[str, ...] = ()
    seed: int = 0
    embedder: str | None = None
    further_models: tuple[ModelChoice, ...] = ()

    @property
    def models(self) -> tuple[ModelChoice, ...]:
        """All models that answer, in the order of the file."""
        return (self.model, *self.further_models)


@dataclass(frozen=True)
class StudyDesign:
    """A questionnaire, a panel of personas, and how both are run.

    Attributes:
        name: of the study.
        source: the file that it was read from.
        questionnaire: concepts and questions.
        panel: the personas.
        template: of the text that tells the model which persona it plays.
        plan: models, caps, groups, seed.
        content: the bytes of the file, which are stored with the answers; empty where there is none.
    """

    name: str
    source: str
    questionnaire: Questionnaire
    panel: SyntheticPanel
    template: PromptTemplate
    plan: StudyPlan
    content: bytes = field(default=b"", repr=False)

    @property
    def n_interviews(self) -> int:
        """Number of interviews with one model: each persona once for each sample."""
        return len(self.panel) * self.questionnaire.samples

    @property
    def n_answers(self) -> int:
        """Number of answers of a complete run, each by one method and one model."""
        methods = sum(len(question.methods) for question in self.questionnaire.questions)
        return self.n_interviews * len(self.plan.models) * len(self.questionnaire.concepts) * methods

    @property
    def running(self) -> Running:
        """Limits and budget of calls from the file; replies go to Semscale's ledger."""
        return Running(limits=self.plan.caps.limits, budget=self.plan.caps.budget)

    @property
    def by_model(self) -> tuple["StudyDesign", ...]:
        """The same design for each model alone, in the order of the file."""
        return tuple(
            replace(self, plan=replace(self.plan, model=model, further_models=()))
            for model in self.plan.models
        )

    def answered_by(self, names: Sequence[str], base_url: str | None = None) -> "StudyDesign":
        """Return the same design with other models, and the address of their endpoint.

        Args:
            names: of the models, with the settings of the file's first one; the file's models unless given.
            base_url: of the endpoint; with names, none unless given.

        Raises:
            InputError: a model is named twice, or has an empty name.
        """
        if not names and base_url is None:
            return self
        if any(not name.strip() for name in names):
            raise InputError(
                "model must name a model, got an empty name: leave it out to take the file's own"
            )
        if twice := next((name for number, name in enumerate(names) if name in names[:number]), None):
            raise InputError(f"model {twice!r} is named twice: name it once")
        in_file = self.plan.models
        models = [in_file[0].model_copy(update={"name": name}) for name in names] or in_file
        first, *rest = (model.model_copy(update={"base_url": base_url}) for model in models)
        return replace(self, plan=replace(self.plan, model=first, further_models=tuple(rest)))

    @property
    def signature(self) -> Signature:
        """The settings that decide the answers, apart from the models."""
        asked = self.questionnaire
        return Signature.of(
            "study",
            questionnaire=asked.content_hash,
            persona=self.template.content_hash,
            panel=self.panel.content_hash,
            personas=len(self.panel),
            samples=asked.samples,
            exposure=asked.exposure,
            rotation=asked.rotation if asked.exposure == "sequence" else None,
            seed=self.plan.seed,
            temperature=self.plan.model.temperature,
            max_tokens=self.plan.model.max_tokens,
        )
