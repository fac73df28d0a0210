"""What ``semscale match evaluate`` does between its options and its output."""

from dataclasses import dataclass

from semscale.cli.options.corpus import read_corpus
from semscale.cli.options.model_choice import ModelChoice
from semscale.cli.outputs import Outputs
from semscale.cli.progress import progress_bars
from semscale.matching.cliniqlink.evaluation_summary import EvaluationSummary
from semscale.matching.cliniqlink.submission_scores import evaluate_submission
from semscale.matching.methods import check_method
from semscale.store.writing import write_table


@dataclass(frozen=True)
class EvaluateRun:
    """One call of ``semscale match evaluate``.

    Attributes:
        method: of matching.
        model: which model.
        corpus: file and column of the corpus, if one is named.
        seed: of what is drawn.
        outputs: files to write.
    """

    method: str
    model: ModelChoice
    corpus: tuple[str, str | None] | None = None
    seed: int = 0
    outputs: Outputs = Outputs()

    def on(self, folder: str) -> EvaluationSummary:
        """Score a folder, write its table of items, and sum it up.

        Raises:
            SemscaleError: what the folder, the model or the method cannot do.
        """
        check_method(self.method)
        self.outputs.check()
        with progress_bars() as progress:
            scores = evaluate_submission(
                folder,
                method=self.method,
                embedder=self.model.chosen_name,
                precision=self.model.precision,
                corpus=None if self.corpus is None else read_corpus(*self.corpus),
                seed=self.seed,
                progress=progress,
            )
        if self.outputs.out is not None:
            write_table(scores.items, self.outputs.out)
        return EvaluationSummary(folder, scores)
