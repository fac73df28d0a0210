"""Runs of ``semscale match --context``: check the options, load the model, judge claims, write."""

from collections.abc import Sequence

from semscale.answer_consistency.claim_files import groundedness_file
from semscale.answer_consistency.claim_summary import GroundingSummary
from semscale.answer_consistency.claims import ClaimJudge
from semscale.cli.options.matching import MatchOptions
from semscale.cli.options.model import ModelOptions
from semscale.cli.progress import progress_bars
from semscale.matching.bertscore import token_encoder
from semscale.matching.entailment import chosen_model
from semscale.matching.methods import check_method
from semscale.matching.settings import GroundingColumns
from semscale.types import Progress


def ground_table(options: MatchOptions) -> GroundingSummary:
    """Judge the answers of a file by the passages beside them, write its table, and sum it up.

    Raises:
        InputError: an engine that does not serve, or an extension, folder or file that does not.
        SemscaleError: what the table or the model cannot do.
    """
    named = options.columns
    columns = GroundingColumns(prediction=named.prediction, context=tuple(named.context or ()), by=named.by)
    nli, nli_labels = options.matching.nli, options.matching.nli_labels
    check_method("calibrated" if nli is None else "entailment", options.model.engine)
    options.outputs.check_run(options.file, restart=options.run.restart)
    table = options.table.open(options.file)
    with progress_bars() as progress:
        return groundedness_file(
            table,
            columns,
            judge=claim_judge(options.model, nli, nli_labels, progress),
            plan=options.run.plan,
            out=options.outputs.out,
            settings=options.run.parts,
            progress=progress,
        )


def claim_judge(
    model: ModelOptions, nli: str | None, labels: Sequence[str] | None, progress: Progress | None
) -> ClaimJudge:
    """Load the model that judges claims.

    Args:
        model: the embedding model, its precision and cache.
        nli: name of a model of entailment that decides in its place.
        labels: order of that model's labels.
        progress: called while weights are pulled.
    """
    if nli is None:
        encoder = token_encoder(
            model.chosen_name, model.precision, progress, engine=model.engine, device=model.device
        )
        return ClaimJudge(embedder=encoder)
    entailment = chosen_model(
        nli,
        labels,
        precision=model.precision,
        cache=not model.no_cache,
        progress=progress,
    )
    return ClaimJudge(nli=entailment)
