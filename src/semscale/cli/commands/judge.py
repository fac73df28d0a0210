"""The commands ``semscale judge`` and ``semscale judge audit``: answers scored by chat models."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from semscale.cli.options.calls import (
    CallSettings,
    Concurrency,
    DryRun,
    LedgerFile,
    MaxCalls,
    MaxCost,
    PerMinute,
)
from semscale.cli.options.model import option
from semscale.cli.options.table import (
    COLUMNS,
    OUTPUT,
    RUN,
    Encoding,
    Figures,
    File,
    FormatName,
    Interval,
    Json,
    PartRows,
    Report,
    Restart,
    Seed,
    Sheet,
)
from semscale.errors import InterruptedRunError

if TYPE_CHECKING:
    from semscale.cli.options.judges import JudgeChoice

_JUDGE = "Judge"

Question = Annotated[str, option(COLUMNS, "--question", "What was asked.", metavar="COLUMN")]
Answer = Annotated[str, option(COLUMNS, "--answer", "What is judged.", metavar="COLUMN")]
Reference = Annotated[
    list[str] | None,
    option(COLUMNS, "--reference", "Answers known to be right; can be repeated.", metavar="COLUMN"),
]
Human = Annotated[
    str | None,
    option(
        COLUMNS, "--human", "People's labels, as the judge gives them, or lists of them.", metavar="COLUMN"
    ),
]
ModelName = Annotated[
    str | None, option(_JUDGE, "--model", "A chat model's name, or local.", metavar="MODEL")
]
BaseUrl = Annotated[
    str | None,
    option(
        _JUDGE, "--base-url", "An OpenAI-compatible endpoint; keys come from OPENAI_API_KEY.", metavar="URL"
    ),
]
PanelFile = Annotated[
    Path | None, option(_JUDGE, "--panel", "YAML with judges: a list of models.", metavar="FILE")
]
TemplateName = Annotated[
    str,
    option(
        _JUDGE,
        "--template",
        "likert, continuous, true_false, true_false_uncertain, or a scale.",
        shown=True,
        metavar="NAME",
    ),
]
Rubric = Annotated[
    str | None,
    option(_JUDGE, "--rubric", "Your own words on what is judged; @FILE reads them.", metavar="TEXT"),
]
Order = Annotated[
    str,
    option(_JUDGE, "--order", "score-first, explanation-first or score-only.", shown=True, metavar="ORDER"),
]
Samples = Annotated[int, option(_JUDGE, "--samples", "Replies for each row.", shown=True, metavar="NUMBER")]
Out = Annotated[
    Path | None, option(OUTPUT, "--out", "Judged table: .parquet, .csv, .jsonl or .xlsx.", metavar="FILE")
]
Rows = Annotated[int, option(RUN, "--rows", "Rows to audit, from the first.", shown=True, metavar="NUMBER")]


def judge(  # noqa: PLR0913, PLR0917 - each is an option of the command
    file: File,
    question: Question,
    answer: Answer,
    reference: Reference = None,
    human: Human = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    panel: PanelFile = None,
    template: TemplateName = "likert",
    rubric: Rubric = None,
    order: Order = "score-first",
    samples: Samples = 1,
    concurrency: Concurrency = 16,
    per_minute: PerMinute = None,
    max_calls: MaxCalls = None,
    max_cost: MaxCost = None,
    ledger: LedgerFile = None,
    dry_run: DryRun = False,  # noqa: FBT002
    out: Out = None,
    report: Report = None,
    figures: Figures = None,
    json: Json = False,  # noqa: FBT002
    encoding: Encoding = None,
    format: FormatName = None,  # noqa: A002
    sheet: Sheet = None,
    interval: Interval = 0.95,
    seed: Seed = 0,
    part_rows: PartRows = 50_000,
    restart: Restart = False,  # noqa: FBT002
) -> None:
    """Let a chat model, or a panel of them, score answers to questions.

    [bold]semscale judge answers.csv --question question --answer answer --model gpt-4o-mini[/bold]

    Stopped at any moment, the same command goes on without paying for a reply twice; with --out it goes on
    after the last finished part.

    Texts that a spreadsheet would run as a formula get a leading apostrophe in CSV.
    """
    from semscale.cli.outputs import Outputs, present
    from semscale.cli.runs.judge import JudgeRun
    from semscale.judging.judge_columns import JudgeColumns
    from semscale.stats.intervals.estimates import IntervalPlan
    from semscale.store.table_run import PartSettings

    run = JudgeRun(
        columns=JudgeColumns(question, answer, tuple(reference or ()), human),
        choice=_choice(
            model, base_url, panel, template=template, rubric=rubric, order=order, samples=samples
        ),
        calls=CallSettings(concurrency, per_minute, max_calls, max_cost, ledger),
        plan=IntervalPlan(interval, seed=seed),
        outputs=Outputs(out, report, figures),
        parts=PartSettings(part_rows, restart),
    )
    run.check_options()
    kind = None if format is None else format.value
    if dry_run:
        present(run.preflight(file, encoding=encoding, format=kind, sheet=sheet), Outputs(), json=json)
        return
    summary = run.on(file, encoding=encoding, format=kind, sheet=sheet)
    present(summary, run.outputs, json=json)
    if summary.stopped:
        raise InterruptedRunError(summary.stopped)


def judge_audit(  # noqa: PLR0913, PLR0917 - each is an option of the command
    file: File,
    question: Question,
    answer: Answer,
    reference: Reference = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    panel: PanelFile = None,
    template: TemplateName = "likert",
    rubric: Rubric = None,
    order: Order = "score-first",
    rows: Rows = 50,
    concurrency: Concurrency = 16,
    per_minute: PerMinute = None,
    max_calls: MaxCalls = None,
    max_cost: MaxCost = None,
    ledger: LedgerFile = None,
    report: Report = None,
    figures: Figures = None,
    json: Json = False,  # noqa: FBT002
    encoding: Encoding = None,
    format: FormatName = None,  # noqa: A002
    sheet: Sheet = None,
    interval: Interval = 0.95,
    seed: Seed = 0,
) -> None:
    """Look for a judge's biases: the same rows in other forms, and what that does to the scores.

    The scale is turned round, levels are called by letters, answers are padded or ask for the highest score,
    references change their place. An unbiased judge's scores stay.
    """
    from semscale.cli.outputs import Outputs, present
    from semscale.cli.runs.judge import JudgeRun
    from semscale.judging.judge_columns import JudgeColumns
    from semscale.stats.intervals.estimates import IntervalPlan

    run = JudgeRun(
        columns=JudgeColumns(question, answer, tuple(reference or ())),
        choice=_choice(model, base_url, panel, template=template, rubric=rubric, order=order, samples=1),
        calls=CallSettings(concurrency, per_minute, max_calls, max_cost, ledger),
        plan=IntervalPlan(interval, seed=seed),
        outputs=Outputs(None, report, figures),
    )
    run.check_options()
    kind = None if format is None else format.value
    audits = run.audited(file, rows=rows, encoding=encoding, format=kind, sheet=sheet)
    present(audits, run.outputs, json=json)
    if audits.stopped:
        raise InterruptedRunError(audits.stopped)


def _choice(
    model: str | None, base_url: str | None, panel: Path | None, *, rubric: str | None, **settings: object
) -> "JudgeChoice":
    from semscale.cli.options.judges import JudgeChoice
    from semscale.errors import InputError

    if rubric is not None and rubric.startswith("@"):
        try:
            rubric = Path(rubric[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "not UTF-8"
            raise InputError(f"rubric file {rubric[1:]!r} cannot be read: {why}") from None
    return JudgeChoice(model, base_url, panel, {"rubric": rubric, **settings})
