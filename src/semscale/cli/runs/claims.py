"""Runs of ``semscale consistency --claims`` and ``semscale match --context``: claims judged in a table."""

from collections.abc import Sequence

from semscale.answer_consistency.asking import AskedModel
from semscale.answer_consistency.claim_tables import (
    AgreementSummary,
    GroundingSummary,
    claim_consistency_file,
    groundedness_file,
)
from semscale.answer_consistency.claims import ClaimJudge
from semscale.cli.options.consistency import ConsistencyOptions
from semscale.cli.options.matching import MatchOptions
from semscale.cli.options.model import ModelOptions
from semscale.cli.progress import progress_bars
from semscale.cli.runs.consistency import checked_source
from semscale.matching.bertscore import token_encoder
from semscale.matching.entailment import chosen_model
from semscale.matching.matcher import check_method
from semscale.matching.settings import GroundingColumns
from semscale.store.deriving.derived_columns import with_label
from semscale.types import Progress


def measure_claims(options: ConsistencyOptions) -> AgreementSummary:
    """Judge the claims of a file's answers, write its table, and sum it up; where a cap is reached, so far.

    Raises:
        SemscaleError: options that do not go together, or what the table or a model cannot do.
    """
    columns, sampling = checked_source(options)
    nli, labels = options.measures.nli, options.measures.nli_labels
    check_method("calibrated" if nli is None else "entailment", options.embedder.engine)
    options.outputs.check_run(options.file, restart=options.run.restart)
    table, by = with_label(options.table.open(options.file, is_reported=True), columns.by)
    with progress_bars() as progress:
        model = None
        if sampling is not None:
            model = AskedModel(sampling, options.calls.runner(options.asking.load(progress)))
        return claim_consistency_file(
            table,
            columns.changed(by=by),
            judge=_claim_judge(options.embedder, nli, labels, progress),
            model=model,
            plan=options.run.plan,
            out=options.outputs.out,
            settings=options.run.parts,
            progress=progress,
        )


def ground_table(options: MatchOptions) -> GroundingSummary:
    """Judge the answers of a file by the passages beside them, write its table, and sum it up.

    Raises:
        InputError: an engine that does not serve, or an extension, folder or file that does not.
        SemscaleError: what the table or the model cannot do.
    """
    named, nli = options.columns, options.matching.nli
    columns = GroundingColumns(prediction=named.prediction, context=tuple(named.context or ()), by=named.by)
    check_method("calibrated" if nli is None else "entailment", options.model.engine)
    options.outputs.check_run(options.file, restart=options.run.restart)
    table = options.table.open(options.file)
    with progress_bars() as progress:
        return groundedness_file(
            table,
            columns,
            judge=_claim_judge(options.model, nli, options.matching.nli_labels, progress),
            plan=options.run.plan,
            out=options.outputs.out,
            settings=options.run.parts,
            progress=progress,
        )


def _claim_judge(
    model: ModelOptions, nli: str | None, labels: Sequence[str] | None, progress: Progress | None
) -> ClaimJudge:
    """Load the model that judges claims: the embedding model, or one of entailment."""
    if nli is not None:
        entailment = chosen_model(
            nli, labels, precision=model.precision, cache=not model.no_cache, progress=progress
        )
        return ClaimJudge(nli=entailment)
    encoder = token_encoder(
        model.chosen_name, model.precision, progress, engine=model.engine, device=model.device
    )
    return ClaimJudge(embedder=encoder)
