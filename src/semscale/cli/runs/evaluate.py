"""What ``semscale match evaluate`` does between its options and its output."""

from dataclasses import dataclass
from pathlib import Path

from semscale.cli.options.corpus import read_corpus
from semscale.cli.options.model_choice import ModelChoice
from semscale.cli.progress import progress_bars
from semscale.matching.cliniqlink.submission_scores import SubmissionScores, evaluate_submission
from semscale.matching.methods import check_method
from semscale.store.atomic import check_writable
from semscale.store.writing import output_format, write_table


@dataclass(frozen=True)
class EvaluatedFolder:
    """What came of one call of ``semscale match evaluate``.

    Attributes:
        folder: what was scored.
        scores: each task's score.
        out: where the table of items was written, if it was.
    """

    folder: str
    scores: SubmissionScores
    out: Path | None = None


@dataclass(frozen=True)
class EvaluateRun:
    """One call of ``semscale match evaluate``.

    Attributes:
        method: of matching.
        model: which model.
        corpus: file and column of the corpus, if one is named.
        seed: of what is drawn.
        out: file for the table of items.
    """

    method: str
    model: ModelChoice
    corpus: tuple[str, str | None] | None = None
    seed: int = 0
    out: Path | None = None

    def on(self, folder: str) -> EvaluatedFolder:
        """Score a folder and write what was asked for.

        Raises:
            SemscaleError: what the folder, the model or the method cannot do.
        """
        check_method(self.method)
        if self.out is not None:
            output_format(self.out)
            check_writable(self.out, "out")
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
        if self.out is not None:
            write_table(scores.items, self.out)
        return EvaluatedFolder(folder, scores, self.out)
