"""Runs of ``semscale study``: read the file, ask the panel, keep everything."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from semscale.chat.costs.budget import Budget
from semscale.chat.costs.forecast import Forecast
from semscale.chat.costs.forecast_summary import ForecastSummary
from semscale.cli.options.study import StudyOutputs, StudyRunOptions
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.errors import InputError
from semscale.store.atomic import check_folder
from semscale.study.asking import personas_within
from semscale.study.files import load
from semscale.study.result import Study

if TYPE_CHECKING:
    from semscale.study.summary import StudySummary


def run_study(options: StudyRunOptions, outputs: StudyOutputs) -> "StudySummary":
    """Ask the panel of a study, and keep personas, answers and summary in a folder.

    Raises:
        InputError: the file or a folder does not serve.
        ReplyError: no call can succeed.
    """
    from semscale.stats.intervals.estimates import IntervalPlan

    study = _read(options)
    plan = IntervalPlan(options.interval, seed=study.design.plan.seed)
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
        InputError: the file does not serve.
    """
    study = _read(options)
    with closing(options.asking.calls.open_ledger()) as ledger:
        found = study.forecasts(ledger=ledger)
    design = study.design
    budget = options.asking.running(design.plan.caps).divided(len(found), "models").budget
    return ForecastSummary(
        design.source,
        found,
        design.n_answers,
        {},
        "answer",
        cautions=tuple(_caps(found, budget, len(design.panel))),
    )


def _caps(found: Mapping[str, Forecast], budget: Budget, n: int) -> Iterator[str]:
    """Say whether caps would end the run early, of which models, and how many of n personas they allow.

    Args:
        found: by model.
        budget: the part of each model.
        n: how many personas there are.
    """
    beyond = {name: said for name, one in found.items() if (said := "; ".join(one.beyond(budget)))}
    within = {name: personas_within(found[name], budget, n) for name in beyond}
    if not beyond:
        return
    if len(found) == 1:
        said = "".join(
            f" ({beyond[name]}): it allows about {k:,} of {n:,} personas" for name, k in within.items()
        )
    else:
        each = ", ".join(
            f"{name} about {k:,} of {n:,} personas ({beyond[name]})" for name, k in within.items()
        )
        said = f", as each of {len(found)} models may use an equal part: it allows {each}"
    remedy = "Raise it in the file or by an option, or make the panel smaller."
    yield f"A cap would end the run early{said}. {remedy}"


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
    return replace(study, design=study.design.answered_by(options.model or (), options.base_url))
