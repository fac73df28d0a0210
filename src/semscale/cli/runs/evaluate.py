"""Runs of ``semscale match evaluate``: check the options, score the folder, write the table of items."""

from semscale.cli.options.matching import EvaluationOptions
from semscale.cli.progress import progress_bars
from semscale.errors import InputError
from semscale.matching.cliniqlink import EvaluationSummary, evaluate_submission
from semscale.matching.matcher import check_method
from semscale.store.writing import write_table


def evaluate_folder(options: EvaluationOptions) -> EvaluationSummary:
    """Score a folder, write its table of items, and sum it up.

    Raises:
        SemscaleError: what the folder, the model or the method cannot do.
    """
    check_method(options.method)
    if options.method == "entailment":
        raise InputError(
            "method must be one that needs no further model, got 'entailment': see semscale match"
        )
    options.outputs.check()
    with progress_bars() as progress:
        summary = evaluate_submission(
            options.folder,
            method=options.method,
            embedder=options.model.chosen_name,
            precision=options.model.precision,
            corpus=options.corpus.read(),
            seed=options.run.seed,
            progress=progress,
        )
    if options.outputs.out is not None:
        write_table(summary.items, options.outputs.out)
    return summary
