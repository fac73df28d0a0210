"""Other files of a project's folder that can be waves of its survey; their columns are compared meanwhile."""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import wait
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from semscale.errors import SemscaleError
from semscale.serving.background import BackgroundWork, Task, report_progress
from semscale.store.reading import open_table
from semscale.store.writing import is_reserved
from semscale.survey.wave_order import BY_NAMES, order_waves
from semscale.tabulation.basket import Basket
from semscale.workbench.project import Project
from semscale.workbench.survey_view import DETECTED, SurveyView

_MOST_FILES = 20  # whose columns are compared
_FEWEST = 0.5  # least share of the described columns that an earlier wave has
_SECONDS = 0.1  # after which the page is shown without the files


@dataclass(frozen=True)
class OtherWaves:
    """Files that can be other waves of the survey.

    Attributes:
        earlier: those that can be before the open file, the oldest first, and those that the basket names.
        compared: earlier waves with which the open file is compared, the oldest first.
        after: earlier waves of the basket that it lists after the open file, and which are not compared.
        later: compared waves that their names put after the open file.
        rebuilt: those of which the basket can be made again: none of its earlier waves, nor older ones.
        is_complete: False while files are being compared, which are not listed yet.
    """

    earlier: tuple[str, ...]
    compared: tuple[str, ...]
    after: tuple[str, ...]
    later: tuple[str, ...]
    rebuilt: tuple[str, ...]
    is_complete: bool


class OtherFiles:
    """Compares the columns of the other files of a project's folder with its survey, in a thread.

    Args:
        project: the project.
        work: the threads.
    """

    def __init__(self, project: Project, work: BackgroundWork) -> None:
        self._project, self._work = project, work
        self._shares: dict[object, float] = {}
        self._task: tuple[object, Task[None]] | None = None
        self._lock = threading.Lock()

    def waves(self, view: SurveyView, basket: Basket, seconds: float | None = _SECONDS) -> OtherWaves:
        """Return the files that can be waves, as far as they were compared.

        Args:
            view: the survey.
            basket: the basket, which names earlier waves.
            seconds: longest time to wait for files that are being compared; ``None`` for no limit.
        """
        shares = self._compare(view, seconds)
        alike = [name for name, share in (shares or {}).items() if share >= _FEWEST]
        equal = [name for name in alike if shares and shares[name] == 1]
        file, chosen = view.file.name, basket.earlier
        order = _order([*alike, file])
        before = alike if order is None else order[: order.index(file)]
        compared = earlier_waves(self._project, basket, view.file)
        order = _order([*compared, file])
        return OtherWaves(
            earlier=(*before, *(name for name in chosen if name not in (*before, file))),
            compared=compared,
            after=tuple(name for name in chosen if name not in (*compared, file)),
            later=() if order is None else tuple(order[order.index(file) + 1 :]),
            rebuilt=tuple(name for name in equal if name not in chosen and _is_latest(name, chosen)),
            is_complete=shares is not None,
        )

    def _compare(self, view: SurveyView, seconds: float | None) -> dict[str, float] | None:
        """Return the share of the described columns that each file has; ``None`` if that takes longer.

        Files with results have none.
        """
        names = [name for name in self._project.files() if name != view.file.name][:_MOST_FILES]
        keys = {name: _key(self._project.folder / name, view) for name in names}
        if any(key not in self._shares for key in keys.values()):
            task = self._comparison(view, keys)
            wait([task.future], seconds)
            if not task.future.done():
                return None
            task.future.result()  # raises what no file explains
        return {name: self._shares[key] for name, key in keys.items()}

    def _comparison(self, view: SurveyView, keys: Mapping[str, object]) -> Task[None]:
        """Return the task that compares files; one on other files or another description is cancelled."""
        with self._lock:
            if self._task is None or self._task[0] != keys:
                if self._task is not None:
                    self._task[1].cancel()
                self._task = keys, self._work.submit(self._add_shares, view, keys)
            return self._task[1]

    def _add_shares(self, view: SurveyView, keys: Mapping[str, object]) -> None:
        for number, (name, key) in enumerate(keys.items()):
            report_progress("comparing files", number, len(keys))
            if key not in self._shares:
                self._shares[key] = _share(self._project.folder / name, view)


def _key(file: Path, view: SurveyView) -> object:
    """Return what changes if a file, the described columns, or how files are read change."""
    state = file.stat()
    described = frozenset(view.survey.file_columns)
    return file, state.st_mtime_ns, state.st_size, described, view.reading.model_dump_json()


def _share(file: Path, view: SurveyView) -> float:
    described = {*view.survey.file_columns}
    try:
        if file.suffix.lower() == ".parquet" and view.reading == DETECTED:
            columns = {*pl.read_parquet_schema(file)}  # opening the file takes a process of its own
            present = columns & described
        else:
            table = open_table(file, **dict(view.reading))
            columns, present = {*table.columns}, set(filter(table.has, described))
    except (SemscaleError, PolarsError, OSError):  # it is no such file
        return 0.0
    return 0.0 if any(map(is_reserved, columns - described)) else len(present) / max(1, len(described))


def earlier_waves(project: Project, basket: Basket, latest: Path) -> tuple[str, ...]:
    """Return the names of the files with which a basket compares a file, the oldest first.

    Args:
        project: the project, in whose folder the basket is.
        basket: the basket.
        latest: the file.
    """
    paths = basket.earlier_than(latest, project.folder)
    return tuple(path.relative_to(project.folder).as_posix() for path in paths)


def _order(files: Sequence[str]) -> list[str] | None:
    """Return files from the first wave to the last; ``None`` if their names do not tell."""
    stems = {Path(name).stem: name for name in files}
    order, reason = order_waves(list(stems))
    return [stems[stem] for stem in order] if len(stems) == len(files) and reason == BY_NAMES else None


def _is_latest(name: str, earlier: Sequence[str]) -> bool:
    """Return whether a file can be the last wave, as far as names tell."""
    order = _order([*earlier, name])
    return order is None or order[-1] == name
