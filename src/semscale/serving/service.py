"""The parts of the service that its routes share."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from semscale.embedding.embedder import Embedder
from semscale.serving.errands import Errands
from semscale.serving.instruments.measuring import (
    ConsistencyInstrument,
    Instrument,
    MatchInstrument,
    RatingInstrument,
    warm_up,
)
from semscale.serving.jobs.job_queue import JobQueue
from semscale.serving.jobs.job_work import PART_ROWS, JobWork
from semscale.serving.limits import ServiceLimits
from semscale.serving.served_models import ModelsToServe, ServedModels
from semscale.serving.service_metrics import ServiceMetrics
from semscale.serving.service_state import ServiceState


@dataclass
class Service:
    """The service.

    Attributes:
        choice: which models are served.
        limits: of requests and jobs.
        load_model: loads a model by its name; by default as ``choice`` says.
        models: once they are loaded.
        state: its phase.
        metrics: its figures.
        errands: work that needs threads.
        has_ended: whether ``close`` has ended all threads.
    """

    choice: ModelsToServe = field(default_factory=ModelsToServe)
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    load_model: Callable[[str], Embedder] | None = None
    models: ServedModels = field(default_factory=ServedModels)
    state: ServiceState = field(default_factory=ServiceState)
    metrics: ServiceMetrics = field(default_factory=ServiceMetrics)
    errands: Errands = field(default_factory=Errands)

    def __post_init__(self) -> None:
        self.has_ended = False
        self._loading: threading.Thread | None = None
        self.jobs: JobQueue | None = None
        self.job_work: JobWork | None = None
        self.instruments: dict[str, Instrument] = {
            "rate": RatingInstrument(self.models),
            "match": MatchInstrument(self.models),
            "consistency": ConsistencyInstrument(self.models),
        }

    def keep_jobs(self, home: Path, part_rows: int = PART_ROWS) -> None:
        """Run jobs, whose files are in a folder.

        Args:
            home: the folder.
            part_rows: rows of a job that are finished and kept at once.

        Raises:
            InputError: another service uses the folder, or a part without rows.
        """
        self.job_work = JobWork(self.models, part_rows)
        self.jobs = JobQueue(home, self.job_work.do, self.limits)
        self.metrics.watch("semscale_unfinished_jobs", "Jobs that wait or run.", lambda: self.n_jobs)

    @property
    def n_jobs(self) -> int:
        """How many jobs wait or run."""
        return 0 if self.jobs is None else self.jobs.n_unfinished

    def stop_jobs(self) -> None:
        """Let jobs stop after what is finished; they go on when the service starts again."""
        if self.jobs is not None:
            self.jobs.stop()

    def close(self) -> None:
        """End all threads."""
        self.stop_jobs()
        jobs_ended = self.jobs is None or self.jobs.close()
        models_ended = self.models.close()
        is_loading = self._loading is not None and self._loading.is_alive()
        self.has_ended = jobs_ended and models_ended and not is_loading

    def start(self) -> threading.Thread:
        """Load the models in a thread of its own, so that requests are heard meanwhile."""
        self._loading = threading.Thread(target=self._load, name="loading", daemon=True)
        self._loading.start()
        return self._loading

    def _load(self) -> None:
        try:
            self.models.load(self.choice, self.limits, self.metrics, self.load_model)
            for instrument in self.instruments.values():
                warm_up(instrument)
        except Exception as error:  # noqa: BLE001 - the server ends with it
            self.state.failed(error)
            return
        if self.jobs is not None:
            self.jobs.start()
        self.state.loaded()
