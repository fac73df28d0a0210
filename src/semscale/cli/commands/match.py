"""The commands ``semscale match`` and ``semscale match evaluate``: texts compared with references."""

from semscale.cli.options.groups import grouped
from semscale.cli.options.matching import EvaluationOptions, MatchOptions


@grouped
def match(options: MatchOptions) -> None:
    """Measure how far predictions say the same as their references, and show why.

    [bold]semscale match answers.csv --prediction answer --reference expected --report match.html[/bold]

    Where there are several references, the highest score counts. With --context in the place of --reference
    each sentence of a prediction is supported, contradicted or not found in the passages of its row.

    If it is stopped, the same command with --out goes on after the last finished part.

    Texts that a spreadsheet would run as a formula get a leading apostrophe in CSV.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.claims import ground_table
    from semscale.cli.runs.match import match_table

    summary = ground_table(options) if options.columns.context else match_table(options)
    with options.outputs.told_if_stopped():
        present(summary, options.outputs)


@grouped
def evaluate(options: EvaluationOptions) -> None:
    """Score a submission to ClinIQLink: closed questions by rule, open ones by matching.

    Each task file holds {"inputs": [...], "responses": [...]}; files that are not there are left out.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.evaluate import evaluate_folder

    summary = evaluate_folder(options)
    with options.outputs.told_if_stopped():
        present(summary, options.outputs)
