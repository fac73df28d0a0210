"""The command ``semscale consistency``: how far several answers to one prompt agree."""

from typing import TYPE_CHECKING, Any

from semscale.cli.options.calls import (
    CallSettings,
    Concurrency,
    DryRun,
    LedgerFile,
    MaxCalls,
    MaxCost,
    PerMinute,
)
from semscale.cli.options.consistency import (
    Answer,
    Ask,
    ChatName,
    ChatUrl,
    Confidence,
    Curve,
    CurveName,
    Embedder,
    ErrorRate,
    Fewest,
    Floor,
    Item,
    Label,
    LostRate,
    MaxTokens,
    Measures,
    Out,
    Prompt,
    Sample,
    StopAt,
    StopConfidence,
    System,
    Temperature,
)
from semscale.cli.options.model import Engine, NoCache, Precision, PrecisionName
from semscale.cli.options.table import (
    By,
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
from semscale.errors import InputError, InterruptedRunError

if TYPE_CHECKING:
    from semscale.cli.options.asking import AskingChoice


def consistency(  # noqa: PLR0913, PLR0917 - each is an option of the command
    file: File,
    prompt: Prompt = None,
    answer: Answer = None,
    sample: Sample = None,
    item: Item = None,
    label: Label = None,
    by: By = None,
    measure: Measures = None,
    floor: Floor = "auto",
    fewest_samples: Fewest = 1,
    ask: Ask = None,
    model: ChatName = None,
    base_url: ChatUrl = None,
    temperature: Temperature = 1.0,
    system: System = None,
    max_tokens: MaxTokens = None,
    stop_at: StopAt = None,
    stop_confidence: StopConfidence = 0.95,
    concurrency: Concurrency = 16,
    per_minute: PerMinute = None,
    max_calls: MaxCalls = None,
    max_cost: MaxCost = None,
    ledger: LedgerFile = None,
    dry_run: DryRun = False,  # noqa: FBT002
    curve: CurveName = Curve.PLATT,
    error_rate: ErrorRate = 0.05,
    lost_rate: LostRate = 0.2,
    confidence: Confidence = 0.95,
    out: Out = None,
    report: Report = None,
    figures: Figures = None,
    json: Json = False,  # noqa: FBT002
    embedder: Embedder = None,
    precision: PrecisionName = Precision.EXACT,
    engine: Engine = "openvino",
    no_cache: NoCache = False,  # noqa: FBT002
    encoding: Encoding = None,
    format: FormatName = None,  # noqa: A002
    sheet: Sheet = None,
    interval: Interval = 0.95,
    seed: Seed = 0,
    part_rows: PartRows = 50_000,
    restart: Restart = False,  # noqa: FBT002
) -> None:
    """Say how far several answers to one question agree, and which ones can be trusted.

    [bold]semscale consistency answers.csv --answer answer --sample again1 --sample again2[/bold]

    With --ask N --model NAME the answers come from a model. Replies are kept: stopped at any moment, the same
    command goes on and pays for nothing twice; with --out it goes on after the last finished part.
    """
    from semscale.cli.options.model_choice import ModelChoice
    from semscale.cli.outputs import Outputs, present
    from semscale.cli.runs.consistency import ConsistencyRun
    from semscale.self_consistency.correctness_probability import CorrectnessSettings
    from semscale.self_consistency.files.columns import AnswerColumns
    from semscale.self_consistency.scoring.measures import DEFAULT_MEASURES
    from semscale.stats.intervals.estimates import IntervalPlan
    from semscale.store.table_run import PartSettings

    run = ConsistencyRun(
        columns=AnswerColumns(prompt, answer, tuple(sample or ()), item, label, by),
        measures=tuple(measure or DEFAULT_MEASURES),
        model=ModelChoice(embedder, precision.value, engine, None, cache=not no_cache),
        plan=IntervalPlan(interval, seed=seed),
        asking=_asking(
            ask,
            model,
            None if stop_at is None else (stop_at, stop_confidence),
            base_url=base_url,
            max_tokens=max_tokens,
            calls=CallSettings(concurrency, per_minute, max_calls, max_cost, ledger),
            temperature=temperature,
            system=system,
        ),
        correctness=CorrectnessSettings(
            curve=curve.value,
            error_rate=error_rate,
            lost_rate=lost_rate,
            confidence=confidence,
            interval=interval,
            seed=seed,
        ),
        floor=_floor(floor),
        fewest=fewest_samples,
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


def _asking(
    ask: int | None,
    model: str | None,
    stopping: tuple[float, float] | None,
    *,
    base_url: str | None,
    max_tokens: int | None,
    calls: CallSettings,
    **settings: Any,  # noqa: ANN401 - of sampling
) -> "AskingChoice | None":
    if ask is None:
        if model is not None or stopping is not None:
            raise InputError("--model and --stop-at need --ask N; the embedding model is --embedder")
        return None
    if model is None:
        raise InputError("--ask needs --model NAME: whom to ask")
    from semscale.chat.messages import Parameters
    from semscale.cli.options.asking import AskingChoice
    from semscale.self_consistency.sampling import Sampling, Stopping

    sampling = Sampling(
        n_samples=ask,
        answer=Parameters(max_tokens=max_tokens),
        stopping=None if stopping is None else Stopping(*stopping),
        **settings,
    )
    return AskingChoice(model, sampling, base_url, calls)


def _floor(floor: str) -> float | str:
    try:
        return float(floor)
    except ValueError:
        return floor
