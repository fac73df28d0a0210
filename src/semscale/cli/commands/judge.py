"""The commands ``semscale judge``, ``judge audit`` and ``judge compare``: answers judged by chat models."""

from collections.abc import Callable
from time import monotonic
from typing import Any

from semscale.cli.interrupts import said_if_stopped
from semscale.cli.options.groups import grouped
from semscale.cli.options.judging import AuditOptions, JudgeLabelOptions, JudgeOptions, SystemCompareOptions


@grouped
def judge(options: JudgeOptions) -> None:
    """Let a chat model, or a panel of them, score answers to questions.

    [bold]semscale judge answers.csv --question question --answer answer --model gpt-4o-mini[/bold]

    If it is stopped, the same command continues and never repeats a paid call; with --out it continues after
    the last finished part.

    Texts that a spreadsheet would run as a formula get a leading apostrophe in CSV.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.judge import forecast_judges, judge_table

    if options.calls.dry_run:
        present(forecast_judges(options), options.outputs.of_forecast)
    else:
        began = monotonic()
        summary = judge_table(options)
        seconds = monotonic() - began
        with options.outputs.told_if_stopped():
            present(summary, options.outputs, stopped=summary.stopped, failed=summary.failed, seconds=seconds)


@grouped
def judge_audit(options: AuditOptions) -> None:
    """Look for a judge's biases: show it the same rows in other forms, and compare the scores.

    The scale is reversed, levels are called by letters, answers are padded or ask for the highest score,
    references change their position. The scores of an unbiased judge stay the same.
    """
    from semscale.cli.runs.judge import audit_judges, forecast_audits

    _ask_and_present(options, audit_judges, forecast_audits)


@grouped
def judge_compare(options: SystemCompareOptions) -> None:
    """Let a chat model compare answers of two systems or more, each pair in both orders.

    [bold]semscale judge compare answers.csv --question question --a old --b new --model gpt-4o-mini[/bold]

    It reports wins, ties and losses, the win rate with its interval, how far the order of two answers moves
    the judge, and a ranking of several systems.
    """
    from semscale.cli.runs.judge import compare_answers, forecast_comparison

    _ask_and_present(options, compare_answers, forecast_comparison)


@grouped
def judge_label(options: JudgeLabelOptions) -> None:
    """Draw rows for people to label, those more often that the judge is least sure of.

    [bold]semscale judge label answers.csv --question q --answer a --model gpt-4o-mini --out labels.csv[/bold]

    The table has the drawn rows first, with an empty column for labels and the probability of each draw. When
    it is filled in, [bold]semscale judge labels.csv --human human --inclusion inclusion[/bold] corrects the
    mean by it.
    """
    from semscale.cli.runs.judge import draw_for_labels, forecast_draw

    if options.calls.dry_run:
        from semscale.cli.outputs import Outputs, present

        present(forecast_draw(options), Outputs())
    else:
        draw_for_labels(options)


def _ask_and_present(options: Any, run: Callable[[Any], Any], forecast: Callable[[Any], Any]) -> None:  # noqa: ANN401 - options of any subcommand
    """Ask the judges and show the summary, or with --dry-run a forecast of the calls."""
    from semscale.cli.outputs import present

    if options.calls.dry_run:
        present(forecast(options), options.outputs.of_forecast)
        return
    with said_if_stopped(
        "stopped; replies that came stay in the ledger, and the same command goes on from there"
    ):
        began = monotonic()
        summary = run(options)
        seconds = monotonic() - began
        present(summary, options.outputs, stopped=summary.stopped, failed=summary.failed, seconds=seconds)
