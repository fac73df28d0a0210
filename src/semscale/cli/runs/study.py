"""Runs of ``semscale study``: ask the panel of a file, compare it with people, start a file."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from semscale.chat.costs.budget import Budget
from semscale.chat.costs.forecast import Forecast
from semscale.chat.costs.forecast_summary import ForecastSummary
from semscale.cli.options.study import StudyCompareOptions, StudyOutputs, StudyRunOptions
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.errors import InputError
from semscale.store.atomic import check_folder
from semscale.study.asking import personas_within
from semscale.study.comparison import StudyComparison, compare
from semscale.study.result import Study, load

if TYPE_CHECKING:
    from semscale.study.summary import StudySummary


def run_study(options: StudyRunOptions, outputs: StudyOutputs) -> "StudySummary":
    """Ask the panel of a study, and store personas, answers and summary in a folder.

    Raises:
        InputError: the file or the folder cannot be used.
        ReplyError: no call can succeed.
    """
    from semscale.stats.intervals.estimates import IntervalPlan

    study = _read(options)
    plan = IntervalPlan(options.settings.interval, seed=study.design.plan.seed)
    folder = Path(str(outputs.folder))
    check_folder(folder, "out")
    folder.mkdir(parents=True, exist_ok=True)
    outputs.check()
    with progress_bars() as progress:
        running = options.asking.running(study.design.plan.caps)
        result = study.run(running=running, progress=progress)
    result.save(folder, plan=plan)
    return result.summary(plan=plan)


def forecast_run(options: StudyRunOptions) -> ForecastSummary:
    """Forecast the calls of a run, without asking.

    Raises:
        InputError: the file cannot be used.
    """
    study = _read(options)
    with closing(options.asking.calls.open_ledger()) as ledger:
        forecasts = study.forecasts(ledger=ledger)
    design = study.design
    budget = options.asking.running(design.plan.caps).divided(len(forecasts), "models").budget
    cautions = tuple(_caps(forecasts, budget, len(design.panel)))
    return ForecastSummary(design.source, forecasts, design.n_answers, {}, "answer", cautions=cautions)


def _caps(forecasts: Mapping[str, Forecast], budget: Budget, n: int) -> Iterator[str]:
    """State which caps would end the run early, of which models, and how many of n personas they allow.

    Args:
        forecasts: by model.
        budget: the part of each model.
        n: how many personas there are.
    """
    caps = {name: "; ".join(forecast.beyond(budget)) for name, forecast in forecasts.items()}
    reached = {name: cap for name, cap in caps.items() if cap}
    if not reached:
        return
    allowed = {
        name: f"about {personas_within(forecasts[name], budget, n):,} of {n:,} personas" for name in reached
    }
    if len(forecasts) == 1:
        name, cap = next(iter(reached.items()))
        effect = f" ({cap}): it allows {allowed[name]}"
    else:
        listed = ", ".join(f"{name} {allowed[name]} ({cap})" for name, cap in reached.items())
        effect = f", as each of {len(forecasts)} models may use an equal part: it allows {listed}"
    remedy = "Raise it in the file or by an option, or make the panel smaller."
    yield f"A cap would end the run early{effect}. {remedy}"


def compare_study(options: StudyCompareOptions) -> StudyComparison:
    """Compare the answers of a study with those of people.

    Raises:
        InputError: a file, a name or a value that cannot be used.
    """
    options.outputs.check()
    check_input(options.human, options.outputs.report)
    table = options.table.open(options.human)
    return compare(options.answers, table, plan=options.run.plan, **dict(options.settings))


def start_study(file: Path) -> None:
    """Write a commented study that runs as it is.

    Raises:
        InputError: the file exists, cannot be written, or has another ending.
    """
    from importlib import resources

    if file.suffix.lower() not in {".yaml", ".yml"}:
        raise InputError(f"FILE must end in .yaml, got {file.name!r}")
    template = (resources.files("semscale.cli") / "new_study.yaml.txt").read_text(encoding="utf-8")
    try:
        with file.open("x", encoding="utf-8", newline="\n") as output:
            output.write(template)
    except FileExistsError:
        raise InputError(f"FILE must not exist, but {file} does: choose another name") from None
    except OSError as error:
        raise InputError(f"FILE cannot be written: {file}: {error.strerror or error}") from None


def _read(options: StudyRunOptions) -> Study:
    check_input(str(options.file))
    study = load(options.file)
    return replace(study, design=study.design.answered_by(options.settings.model, options.settings.base_url))
