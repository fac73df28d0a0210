"""The command ``semscale consistency``: how far several answers to one prompt agree."""

from typing import TYPE_CHECKING, Any

import typer

from semscale.cli.options.consistency import (
    Answer,
    Ask,
    ChatName,
    ChatUrl,
    Concurrency,
    Confidence,
    Curve,
    CurveName,
    DryRun,
    Embedder,
    ErrorRate,
    Fewest,
    Floor,
    Item,
    Label,
    LedgerFile,
    LostRate,
    MaxCalls,
    MaxCost,
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
    File,
    FormatName,
    Interval,
    Json,
    Report,
    Seed,
    Sheet,
)

if TYPE_CHECKING:
    from semscale.cli.options.asking import AskingChoice
    from semscale.cli.runs.consistency import ConsistencyRun, ConsistentFile


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
) -> None:
    """Say how far several answers to one question agree, and which ones can be trusted.

    [bold]semscale consistency answers.csv --answer answer --sample again1 --sample again2[/bold]

    With --ask N --model NAME the answers come from a model. Replies are kept: stopped at any moment, the same
    command goes on and pays for nothing twice.
    """
    from semscale.cli.options.model_choice import ModelChoice
    from semscale.cli.runs.consistency import ConsistencyRun, TrustChoice
    from semscale.self_consistency.columns import AnswerColumns
    from semscale.self_consistency.measures import DEFAULT_MEASURES
    from semscale.stats.intervals.estimates import IntervalPlan

    asking = _asking(
        ask,
        {"model": model, "base_url": base_url, "concurrency": concurrency, "calls": max_calls}
        | {"money": max_cost, "ledger": None if ledger is None else str(ledger)},
        {"temperature": temperature, "system": system},
        max_tokens,
        None if stop_at is None else (stop_at, stop_confidence),
    )
    run = ConsistencyRun(
        columns=AnswerColumns(prompt, answer, tuple(sample or ()), item, label, by),
        measures=tuple(measure or DEFAULT_MEASURES),
        model=ModelChoice(embedder, precision.value, engine, None, cache=not no_cache),
        plan=IntervalPlan(interval, seed=seed),
        asking=asking,
        trust=TrustChoice(curve.value, error_rate, lost_rate, confidence),
        floor=_floor(floor),
        fewest=fewest_samples,
        out=out,
        report=report,
    )
    run.check_options()
    settings: dict[str, Any] = {
        "encoding": encoding,
        "format": None if format is None else format.value,
        "sheet": sheet,
    }
    if dry_run:
        _preflight(run, file, settings, as_json=json)
        return
    _present(run.on(file, **settings), as_json=json)


def _asking(
    ask: int | None,
    who: dict[str, Any],
    how: dict[str, Any],
    max_tokens: int | None,
    stopping: tuple[float, float] | None,
) -> "AskingChoice | None":
    from semscale.errors import InputError

    if ask is None:
        if who["model"] is not None or stopping is not None:
            raise InputError("--model and --stop-at need --ask N; the embedding model is --embedder")
        return None
    if who["model"] is None:
        raise InputError("--ask needs --model NAME: whom to ask")
    from semscale.chat.messages import Parameters
    from semscale.cli.options.asking import AskingChoice
    from semscale.self_consistency.sampling import Sampling, Stopping

    sampling = Sampling(
        n_samples=ask,
        answer=Parameters(max_tokens=max_tokens),
        stopping=None if stopping is None else Stopping(*stopping),
        **how,
    )
    return AskingChoice(sampling=sampling, **who)


def _floor(floor: str) -> float | str:
    try:
        return float(floor)
    except ValueError:
        return floor


def _preflight(run: "ConsistencyRun", file: str, settings: dict[str, Any], *, as_json: bool) -> None:
    from semscale.errors import InputError

    if run.asking is None:
        raise InputError("--dry-run says what asking would take: give --ask N and --model NAME")
    cells, _ = run.read(file, **settings)
    taken = run.asking.preflight(cells.prompts)
    if as_json:
        from json import dumps

        typer.echo(dumps(taken, ensure_ascii=False, indent=2))
        return
    from semscale.cli.runs.consistency_view import show_preflight

    show_preflight(taken)


def _present(measured: "ConsistentFile", *, as_json: bool) -> None:
    if as_json:
        from semscale.cli.runs.consistency_json import consistency_json

        typer.echo(consistency_json(measured))
        return
    from semscale.cli.runs.consistency_view import show_consistency

    show_consistency(measured)
