"""What is asked in a study: concepts, questions, and the methods that measure the answers."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from semscale.chat.messages import ImagePart, Part, TextPart
from semscale.scales import Scale
from semscale.study.asking.rotation import Rotation

Method = Literal["ssr", "flr", "dlr", "decision"]
"""How an answer becomes a rating.

``ssr``: free text, rated by its similarity with anchors. ``flr``: free text, and a further call that picks a
point for it. ``dlr``: the persona picks a point. ``decision``: a probability for each point.
"""

METHODS: tuple[Method, ...] = ("ssr", "flr", "dlr", "decision")

Exposure = Literal["separate", "sequence"]
"""``separate``: a conversation of its own for each concept and question. ``sequence``: one conversation."""


@dataclass(frozen=True)
class Concept:
    """What is shown to a persona.

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
    """What is asked about each concept.

    Attributes:
        name: short, unique in the study.
        text: the question.
        scale: whose points the answers are rated on.
        methods: how answers are measured, at least one.
    """

    name: str
    text: str
    scale: Scale
    methods: tuple[Method, ...]

    @property
    def has_text(self) -> bool:
        """Whether a method needs an answer in free words."""
        return "ssr" in self.methods or "flr" in self.methods


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
    questions: tuple[SurveyQuestion, ...]
    samples: int = 1
    exposure: Exposure = "separate"
    rotation: Rotation = "latin-square"

    @property
    def content_hash(self) -> str:
        """Eight hex digits of the SHA-256 of all that is shown and asked."""
        content = [
            [[each.name, each.text, [image.url for image in each.images]] for each in self.concepts],
            [
                [each.name, each.text, each.scale.content_hash, each.scale.labels, each.methods]
                for each in self.questions
            ],
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:8]


@dataclass(frozen=True)
class ModelChoice:
    """The model that answers, and how it is asked.

    Attributes:
        name: as ``load_chat_model`` takes it.
        base_url: of an OpenAI-compatible endpoint.
        temperature: of the personas' replies; the model's own unless given.
        max_tokens: length at which an answer in free words is cut.
    """

    name: str
    base_url: str | None = None
    temperature: float | None = None
    max_tokens: int = 200

    @property
    def settings(self) -> Mapping[str, Any]:
        """What a signature says of it."""
        return {"temperature": self.temperature, "max_tokens": self.max_tokens}


@dataclass(frozen=True)
class Caps:
    """What a run may spend, and its pace; ``None`` for no limit.

    Attributes:
        max_cost: money, in the currency of the price table.
        max_calls: calls that are sent.
        max_total_tokens: tokens of prompts and replies.
        concurrency: calls at once.
        per_minute: calls a minute.
    """

    max_cost: float | None = None
    max_calls: int | None = None
    max_total_tokens: int | None = None
    concurrency: int = 16
    per_minute: float | None = None


@dataclass(frozen=True)
class StudyPlan:
    """How a study is run and reported, beside what it asks whom.

    Attributes:
        model: who answers.
        caps: what it may spend.
        groups: attributes of personas by which results are shown.
        seed: of the panel, the orders and the intervals.
        embedder: model that rates free text by similarity; the default one unless given.
        further_models: that answer, too, each for the whole panel; none unless given.
    """

    model: ModelChoice
    caps: Caps = field(default_factory=Caps)
    groups: tuple[str, ...] = ()
    seed: int = 0
    embedder: str | None = None
    further_models: tuple[ModelChoice, ...] = ()

    @property
    def models(self) -> tuple[ModelChoice, ...]:
        """Everyone who answers, in the order of the file."""
        return (self.model, *self.further_models)
