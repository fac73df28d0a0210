"""Static pages of a history: the runs with their trend, and a page for each run, linked to each other."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from semscale.drift.history_summary import DatasetHistory, HistorySummary
from semscale.drift.review import RunReview
from semscale.history.runs import RunSummary, now
from semscale.report.document import Figure, stamp
from semscale.report.drift_history import baseline_line, trend_figure
from semscale.report.drift_review import ListedRun, list_runs
from semscale.report.formatting import cell_text
from semscale.report.html import template_environment
from semscale.report.parts import quote_file_name
from semscale.spelling import as_option, spelled
from semscale.store.atomic import replacing
from semscale.version import __version__

MOST_RUNS = 200
"""Greatest number of runs of a dataset that pages list."""

_INDEX = "index.html"


@dataclass(frozen=True)
class ListedDataset:
    """A dataset in a list of runs.

    Attributes:
        name: its name.
        baseline: its baseline in a line.
        runs: its latest runs, the latest first.
        n_more: number of earlier runs, which are not listed.
        trend: drift of the runs that were compared alike; ``None`` with fewer than two.
    """

    name: str
    baseline: str
    runs: tuple[ListedRun, ...]
    n_more: int
    trend: Figure | None


def list_dataset(dataset: DatasetHistory) -> ListedDataset:
    """Return what a page shows of a dataset."""
    runs = list_runs(dataset, MOST_RUNS)
    n = sum(run.rerun_of is None for run in dataset.runs)
    return ListedDataset(
        dataset.name, spelled(baseline_line(dataset), as_option), runs, n - len(runs), trend_figure(dataset)
    )


def listed_runs(summary: HistorySummary) -> list[RunSummary]:
    """Return the runs that have a page."""
    return [listed.run for dataset in summary.datasets for listed in list_runs(dataset, MOST_RUNS)]


def write_site(summary: HistorySummary, reviews: Mapping[str, RunReview], folder: Path) -> Path:
    """Write the pages of a history, which need no server, no script and no network.

    Args:
        summary: the history.
        reviews: the runs of ``listed_runs``, by id.
        folder: folder of the pages; created if it does not exist. Its other files stay.

    Returns:
        The page with the list of runs.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    template = template_environment().get_template("drift_site.html.j2")
    about = {
        "version": __version__,
        "where": cell_text(quote_file_name(summary.where)),
        "written": stamp(now()),
        "address": lambda run: page_name(run.id),
    }
    for name, review in reviews.items():
        _write(folder / page_name(name), template.render(about, document=review.document(), datasets=()))
    datasets = tuple(map(list_dataset, summary.datasets))
    _write(folder / _INDEX, template.render(about, document=None, datasets=datasets))
    return folder / _INDEX


def page_name(run_id: str) -> str:
    """Return the name of a run's page.

    Examples:
        >>> page_name("4f9ce8981d4c4f0a8c2f1f1f0a8c2f1f"), page_name("../index")
        ('run-4f9ce8981d4c4f0a.html', 'run-dc8b8c2e23b0005b.html')
    """
    is_plain = len(run_id) == 32 and run_id.isascii() and run_id.isalnum()
    name = run_id if is_plain else hashlib.sha256(run_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"run-{name[:16].lower()}.html"


def _write(file: Path, text: str) -> None:
    with replacing(file) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
