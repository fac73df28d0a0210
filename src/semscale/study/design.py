"""The design of a study: a questionnaire, a panel of personas, and how both are run."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from semscale.chat.calls.limits import Limits
from semscale.chat.costs.budget import Budget
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.decisions.decision_calls import decision_calls
from semscale.chat.decisions.loading import load_deciding_model
from semscale.chat.decisions.questions import DecisionRequest
from semscale.chat.loading import load_chat_model
from semscale.chat.messages import Message
from semscale.drift.asking.prompt_template import PromptTemplate
from semscale.errors import InputError
from semscale.judging.asking import Running
from semscale.signature import Signature
from semscale.study.asking.interviews import Interview, Stop, planned_interviews, planned_stops
from semscale.study.asking.prompts import Prompts, decision
from semscale.study.panel.synthetic_panel import SyntheticPanel
from semscale.study.questionnaire import Questionnaire, StudyPlan
from semscale.types import Progress


@dataclass(frozen=True)
class StudyDesign:
    """What is asked, whom, and how.

    Attributes:
        name: of the study.
        source: the file that it was read from.
        questionnaire: concepts and questions.
        panel: the personas.
        template: of the words that tell the model who a persona is.
        plan: model, caps, groups, seed.
        content: the bytes of the file, which are kept beside the answers; empty where there is none.
    """

    name: str
    source: str
    questionnaire: Questionnaire
    panel: SyntheticPanel
    template: PromptTemplate
    plan: StudyPlan
    content: bytes = field(default=b"", repr=False)

    @property
    def n_answers(self) -> int:
        """Answers that a whole run gives, each by one method and one model."""
        methods = sum(len(question.methods) for question in self.questionnaire.questions)
        asked = len(self.panel) * self.questionnaire.samples * len(self.plan.models)
        return asked * len(self.questionnaire.concepts) * methods

    @property
    def running(self) -> Running:
        """How calls are made, with the caps of the file and Semscale's own ledger."""
        caps = self.plan.caps
        return Running(
            limits=Limits(concurrency=caps.concurrency, requests_per_minute=caps.per_minute),
            budget=Budget(calls=caps.max_calls, tokens=caps.max_total_tokens, money=caps.max_cost),
        )

    @property
    def prompts(self) -> Prompts:
        """What writes the requests."""
        return Prompts(self.panel, self.template, self.plan.model, self.questionnaire.samples)

    @property
    def stops(self) -> list[list[Stop]]:
        """The order of concepts and questions of each interview; the samples of a persona stand together."""
        n = len(self.panel) * self.questionnaire.samples
        return planned_stops(self.questionnaire, n, seed=self.plan.seed)

    @property
    def decisions(self) -> list[DecisionRequest]:
        """A decision about each question that is measured so, as the first persona is asked."""
        role, concept = self.prompts.role(0), self.questionnaire.concepts[0]
        shown = Message("user", concept.parts)
        return [
            decision(question, (role, shown))
            for question in self.questionnaire.questions
            if "decision" in question.methods
        ]

    @property
    def by_model(self) -> tuple["StudyDesign", ...]:
        """The same for each model by itself, in the order of the file."""
        return tuple(
            replace(self, plan=replace(self.plan, model=each, further_models=())) for each in self.plan.models
        )

    def answered_by(self, names: Sequence[str], base_url: str | None = None) -> "StudyDesign":
        """Give the same design with other models, and the address of their endpoint.

        Args:
            names: of the models, with the settings of the file's first one; the file's own unless given.
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
        if twice := next((name for place, name in enumerate(names) if name in names[:place]), None):
            raise InputError(f"model {twice!r} is named twice: name it once")
        own = self.plan.models
        models = [replace(own[0], name=name) for name in names] or own
        first, *others = (replace(each, base_url=base_url) for each in models)
        return replace(self, plan=replace(self.plan, model=first, further_models=tuple(others)))

    def load_model(self, model: object = None, progress: Progress | None = None) -> DecidingChat:
        """Load the model that answers.

        Args:
            model: what ``load_deciding_model`` takes; the one that the file names unless given.
            progress: called while weights are pulled.

        Raises:
            InputError, ModelError, MissingExtraError: as ``load_deciding_model``.
        """
        if model is not None:
            return load_deciding_model(model)
        chosen = self.plan.model
        return load_deciding_model(load_chat_model(chosen.name, base_url=chosen.base_url, progress=progress))

    def interviews(self, form: str | None) -> list[Interview]:
        """List all conversations, with decisions in a form; without them where there is none."""
        return planned_interviews(self.prompts, self.questionnaire, self.stops, form=form)

    @property
    def signature(self) -> Signature:
        """What decides the answers, beside the models."""
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

    def most_calls(self, form: str | None) -> int:
        """Count the calls of a whole run, with decisions in a form; answers that decline need fewer."""
        n = len(self.panel) * self.questionnaire.samples * len(self.questionnaire.concepts)
        decisions = 0 if form is None else sum(len(decision_calls(each, form)) for each in self.decisions)
        others = sum(
            question.has_text + ("flr" in question.methods) + ("dlr" in question.methods)
            for question in self.questionnaire.questions
        )
        return n * (others + decisions)
