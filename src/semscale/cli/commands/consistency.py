"""The command ``semscale consistency``: how far several answers to one prompt agree."""

from time import monotonic

from semscale.cli.options.consistency import ConsistencyOptions
from semscale.cli.options.groups import grouped


@grouped
def consistency(options: ConsistencyOptions) -> None:
    """Measure how far several answers to one question agree, and which can be trusted.

    [bold]semscale consistency answers.csv --answer answer --sample again1 --sample again2[/bold]

    With --ask N --model NAME the answers come from a model. Replies are kept: if it is stopped, the same
    command goes on and repeats no paid call; with --out it goes on after the last finished part.

    With --claims each sentence of an answer is judged by the samples, and the least supported are shown.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.claims import measure_claims
    from semscale.cli.runs.consistency import forecast_samples, measure_table

    if options.calls.dry_run:
        present(forecast_samples(options), options.outputs.of_forecast)
    else:
        began = monotonic()
        summary = measure_claims(options) if options.claims else measure_table(options)
        seconds = monotonic() - began
        with options.outputs.told_if_stopped():
            present(summary, options.outputs, stopped=summary.stopped, failed=summary.failed, seconds=seconds)
