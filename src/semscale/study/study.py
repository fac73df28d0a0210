"""A study that can be run: every persona is asked, and every answer measured."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from semscale.chat.costs.forecast import Forecast
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.runner import run_apart
from semscale.errors import InputError
from semscale.judging.asking import Running
from semscale.signature import Signature
from semscale.study.asking.asked_study import AskedStudy, ask_study
from semscale.study.asking.forecasting import forecast_study
from semscale.study.asking.run_facts import RunFacts
from semscale.study.asking.sent_prompts import prompt_frame
from semscale.study.design import StudyDesign
from semscale.study.measuring.answers import StudyAnswer, answer_frame
from semscale.study.measuring.measuring import Measuring
from semscale.study.measuring.similarity import SimilarityRating
from semscale.study.result import StudyResult
from semscale.types import Progress

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder


@dataclass(frozen=True)
class Study:
    """A study; ``semscale.study.load`` reads one from a YAML file.

    Attributes:
        design: what is asked, whom, and how.
    """

    design: StudyDesign

    def __repr__(self) -> str:
        asked = self.design.questionnaire
        return (
            f"Study({self.design.name!r}, personas={len(self.design.panel):,}, "
            f"concepts={len(asked.concepts)}, questions={len(asked.questions)})"
        )

    def run(
        self,
        model: object = None,
        *,
        embedder: "str | Embedder | None" = None,
        running: Running | None = None,
        progress: Progress | None = None,
    ) -> StudyResult:
        """Ask every persona, and measure every answer; a run that was stopped goes on from the ledger.

        Several models are asked one after the other, each with an equal part of what is left of the budget.

        Args:
            model: what ``load_chat_model`` takes, or a list with one for each model of the file; those that
                the file names unless given. A single one answers alone.
            embedder: rates free text by similarity; the one that the file names unless given.
            running: how calls are made; the caps of the file and Semscale's own ledger unless given.
            progress: called as replies come, and while texts are embedded.

        Returns:
            All answers; those that were not asked for because of a cap have the status ``unfinished``.

        Raises:
            ReplyError: no call can succeed: the key is wrong, the model unknown, the account empty.
            ModelError: weights are missing.
            InputError: a list of models that are not as many as in the file, or two of one name.
        """
        design = self.design
        asking = _asking(design, model, progress)
        if len(asking) < len(design.plan.models):
            design = asking[0].design
        rating = SimilarityRating(embedder or design.plan.embedder)
        left = running or design.running
        answers: list[StudyAnswer] = []
        asked: list[AskedStudy] = []
        for place, one in enumerate(asking):
            part = left.divided(len(asking) - place, "models")
            found = run_apart(ask_study(one.design, one.model, part, progress))
            left = left.after(found.spent)
            asked.append(found)
            measuring = Measuring(design.questionnaire, design.panel, found.replies, one.name)
            answers += measuring.measure(rating.rate, progress)
        signature = _signature(design, asking, asked).with_settings("ssr", rating.settings)
        prompts = prompt_frame({prompt: calls for each in asked for prompt, calls in each.sent.items()})
        facts = RunFacts.joined([each.facts for each in asked])
        return StudyResult(design, answer_frame(answers), signature, facts, prompts)

    def forecast(self, model: object = None, *, ledger: Ledger | None = None) -> Forecast:
        """Forecast calls, tokens and cost of a run on one model, and ask nobody.

        Args:
            model: what ``load_chat_model`` takes; the one that the file names unless given.
            ledger: outcomes of earlier calls, which cost nothing; Semscale's own unless given.

        Raises:
            InputError: the file names several models; ``forecasts`` has one forecast for each.
        """
        found = self.forecasts(model, ledger=ledger)
        if len(found) > 1:
            raise InputError(
                f"the study has {len(found)} models: take forecasts(), which has a forecast of each"
            )
        return next(iter(found.values()))

    def forecasts(self, model: object = None, *, ledger: Ledger | None = None) -> dict[str, Forecast]:
        """Forecast calls, tokens and cost of a run for each model by its name, and ask nobody.

        Args:
            model: as ``run`` takes it.
            ledger: outcomes of earlier calls, which cost nothing; Semscale's own unless given.
        """
        asking = _asking(self.design, model)
        kept = ledger or Ledger()
        try:
            return {one.name: run_apart(forecast_study(one.design, one.model, kept)) for one in asking}
        finally:
            if ledger is None:
                kept.close()


@dataclass(frozen=True)
class _AskedModel:
    """A model that answers.

    Attributes:
        name: in the study's file, or its own where the caller gave it.
        model: the model.
        design: the study with this model alone.
    """

    name: str
    model: DecidingChat
    design: StudyDesign


def _asking(design: StudyDesign, given: object, progress: Progress | None = None) -> list[_AskedModel]:
    """Load all models, before any is asked."""
    own = design.by_model
    if given is None:
        return [_AskedModel(each.plan.model.name, each.load_model(None, progress), each) for each in own]
    listed = list(given) if isinstance(given, list | tuple) else [given]
    if len(listed) not in {1, len(own)}:
        raise InputError(f"model must have one for each of the {len(own)} models, got {len(listed)}")
    loaded = [each.load_model(one, progress) for each, one in zip(own, listed, strict=False)]
    names = [each.name for each in loaded]
    if len(set(names)) < len(names):
        raise InputError(f"models must have different names, got {', '.join(names)}")
    return [_AskedModel(one.name, one, each) for each, one in zip(own, loaded, strict=False)]


def _signature(design: StudyDesign, asking: list[_AskedModel], asked: list[AskedStudy]) -> Signature:
    """What was applied; settings of several models are numbered in the order of the file."""
    signature = design.signature
    for place, (one, found) in enumerate(zip(asking, asked, strict=True), start=1):
        number = "" if len(asking) == 1 else f"{place}_"
        settings = {
            f"{number}{name}": value
            for name, value in (
                *one.model.signature.fields,
                *([("decision", found.facts.form)] if design.decisions else []),
                *(one.design.plan.model.settings.items() if place > 1 else []),
            )
        }
        signature = signature.with_settings("chat", settings)
    return signature
