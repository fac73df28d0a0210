"""The service: its phase, the parts that its routes share, and the threads that it starts and ends."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from semscale.embedding.embedder import Embedder
from semscale.serving.batching import TaskThreads
from semscale.serving.instruments import (
    PART_ROWS,
    ConsistencyInstrument,
    Instrument,
    JobWork,
    MatchInstrument,
    RatingInstrument,
    warm_up,
)
from semscale.serving.jobs import JobQueue
from semscale.serving.models import ModelsToServe, ServedModels, ServiceMetrics
from semscale.serving.requests import ServiceLimits

QUIET = 0.5
"""Seconds without a request, after which no further one is expected."""

LONGEST = 5.0
"""Seconds after the last answer, after which requests that are turned away no longer delay the end."""


class Phase(StrEnum):
    """A phase of the service's life."""

    LOADING = "loading"
    READY = "ready"
    DRAINING = "draining"
    FAILED = "failed"


class ServiceState:
    """The service's phase, and the requests under way; used by the event loop's thread.

    Attributes:
        phase: of the service.
        under_way: requests that were accepted and have no answer yet.
        error: the reason why the models could not be loaded.
    """

    def __init__(self) -> None:
        self.phase = Phase.LOADING
        self.under_way = 0
        self.error: Exception | None = None
        self._last_event = time.monotonic()  # a request or an answer
        self._last_answer = self._last_event

    def set_loaded(self) -> None:
        """Note that the models are loaded."""
        if self.phase is Phase.LOADING:
            self.phase = Phase.READY

    def set_failed(self, error: Exception) -> None:
        """Note that the models cannot be loaded."""
        self.phase, self.error = Phase.FAILED, error

    def drain(self) -> None:
        """Accept no more requests."""
        if self.phase is not Phase.FAILED:
            self.phase = Phase.DRAINING
        self._last_answer = time.monotonic()
        self.note_request()

    @property
    def is_drained(self) -> bool:
        """True in a shutdown once nothing is under way and no more requests are expected.

        Clients that ask again and again, although they are turned away, do not delay the end for ever.
        """
        if self.phase is not Phase.DRAINING or self.under_way:
            return False
        return self.quiet_seconds > QUIET or time.monotonic() - self._last_answer > LONGEST

    def end_request(self) -> None:
        """Note that a request that was under way was answered."""
        self.under_way -= 1
        self._last_answer = time.monotonic()
        self.note_request()

    def note_request(self) -> None:
        """Note that a request came, or was answered."""
        self._last_event = time.monotonic()

    @property
    def quiet_seconds(self) -> float:
        """Seconds since a request came or was answered; 0 while one is under way."""
        return 0.0 if self.under_way else time.monotonic() - self._last_event


@dataclass
class Service:
    """The service.

    Attributes:
        choice: of the models that are served.
        limits: of requests and jobs.
        load_model: loads a model by its name; by default as ``choice`` does.
        models: once they are loaded.
        state: its phase.
        metrics: its figures.
        threads: for the work of requests.
        has_ended: true if ``close`` has ended all threads.
    """

    choice: ModelsToServe = field(default_factory=ModelsToServe)
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    load_model: Callable[[str], Embedder] | None = None
    models: ServedModels = field(default_factory=ServedModels)
    state: ServiceState = field(default_factory=ServiceState)
    metrics: ServiceMetrics = field(default_factory=ServiceMetrics)
    threads: TaskThreads = field(default_factory=TaskThreads)

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

    def open_jobs(self, home: Path, part_rows: int = PART_ROWS) -> None:
        """Run jobs, whose files are in a folder.

        Args:
            home: the folder.
            part_rows: rows of a job that are finished and stored at once.

        Raises:
            InputError: another service uses the folder, or a part without rows.
        """
        self.job_work = JobWork(self.models, part_rows)
        jobs = self.jobs = JobQueue(home, self.job_work.do, self.limits)
        self.metrics.watch("semscale_unfinished_jobs", "Jobs that wait or run.", lambda: jobs.n_unfinished)

    def start(self) -> threading.Thread:
        """Load the models in another thread, so that requests are answered meanwhile."""
        self._loading = threading.Thread(target=self._load, name="loading", daemon=True)
        self._loading.start()
        return self._loading

    def _load(self) -> None:
        try:
            self.models.load(self.choice, self.limits, self.metrics, self.load_model)
            for instrument in self.instruments.values():
                warm_up(instrument)
        except Exception as error:  # noqa: BLE001 - the server ends with it
            self.state.set_failed(error)
            return
        if self.jobs is not None:
            self.jobs.start()
        self.state.set_loaded()

    def stop_jobs(self) -> None:
        """Let jobs stop after the parts that are finished; they go on when the service starts again."""
        if self.jobs is not None:
            self.jobs.stop()

    def close(self) -> None:
        """End all threads."""
        self.stop_jobs()
        jobs_ended = self.jobs is None or self.jobs.close()
        models_ended = self.models.close()
        is_loading = self._loading is not None and self._loading.is_alive()
        self.has_ended = jobs_ended and models_ended and not is_loading
