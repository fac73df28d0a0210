"""A study that can be run: every persona is asked, and every answer measured."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from semscale.chat.costs.forecast import Forecast
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.runner import run_apart
from semscale.judging.asking import Running
from semscale.study.asking.asked_study import ask_study
from semscale.study.asking.forecasting import forecast_study
from semscale.study.asking.sent_prompts import prompt_frame
from semscale.study.design import StudyDesign
from semscale.study.measuring.answers import answer_frame
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

        Args:
            model: what ``load_chat_model`` takes; the one that the file names unless given.
            embedder: rates free text by similarity; the one that the file names unless given.
            running: how calls are made; the caps of the file and Semscale's own ledger unless given.
            progress: called as replies come, and while texts are embedded.

        Returns:
            All answers; those that were not asked for because of a cap have the status ``unfinished``.

        Raises:
            ReplyError: no call can succeed: the key is wrong, the model unknown, the account empty.
            ModelError: weights are missing.
        """
        design = self.design
        deciding = design.load_model(model, progress)
        asked = run_apart(ask_study(design, deciding, running or design.running, progress))
        rating = SimilarityRating(embedder or design.plan.embedder)
        answers = Measuring(design.questionnaire, design.panel, asked.replies).measure(rating.rate, progress)
        signature = (
            design.signature.with_settings("chat", dict(deciding.signature.fields))
            .with_settings("decision", {"decision": asked.facts.form} if design.decisions else {})
            .with_settings("ssr", rating.settings)
        )
        prompts = prompt_frame(asked.sent)
        return StudyResult(design, answer_frame(answers), signature, asked.facts, prompts)

    def forecast(self, model: object = None, *, ledger: Ledger | None = None) -> Forecast:
        """Forecast calls, tokens and cost of a run, and ask nobody.

        Args:
            model: what ``load_chat_model`` takes; the one that the file names unless given.
            ledger: outcomes of earlier calls, which cost nothing; Semscale's own unless given.
        """
        deciding = self.design.load_model(model)
        kept = ledger or Ledger()
        try:
            return run_apart(forecast_study(self.design, deciding, kept))
        finally:
            if ledger is None:
                kept.close()
