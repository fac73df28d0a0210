"""Runs of ``semscale consistency --claims``: check the options, ask a model or read samples, judge claims."""

from dataclasses import replace

from semscale.answer_consistency.asking import AskedModel
from semscale.answer_consistency.claim_files import claim_consistency_file
from semscale.answer_consistency.claim_summary import AgreementSummary
from semscale.cli.options.consistency import ConsistencyOptions
from semscale.cli.progress import progress_bars
from semscale.cli.runs.consistency import checked_source
from semscale.cli.runs.groundedness import claim_judge
from semscale.matching.methods import check_method
from semscale.store.deriving.derived_columns import with_label


def measure_claims(options: ConsistencyOptions) -> AgreementSummary:
    """Judge the claims of a file's answers, write its table, and sum it up; where a cap is reached, so far.

    Raises:
        SemscaleError: options that do not go together, or what the table or a model cannot do.
    """
    columns, sampling = checked_source(options)
    nli, labels = options.measures.nli, options.measures.nli_label_list
    check_method("calibrated" if nli is None else "entailment", options.embedder.engine)
    options.outputs.check_run(options.file, restart=options.run.restart)
    table, by = with_label(options.table.open(options.file, is_reported=True), columns.by)
    with progress_bars() as progress:
        model = None
        if sampling is not None:
            model = AskedModel(sampling, options.calls.runner(options.asking.load(progress)))
        return claim_consistency_file(
            table,
            replace(columns, by=by),
            judge=claim_judge(options.embedder, nli, labels, progress),
            model=model,
            plan=options.run.plan,
            out=options.outputs.out,
            settings=options.run.parts,
            progress=progress,
        )
