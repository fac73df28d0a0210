"""The service: its models, instruments, jobs and limits, which routes and tools use."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prometheus_client import Gauge

from semscale.embedding.embedder import Embedder
from semscale.serving.background import BackgroundWork, Outcome
from semscale.serving.batching import WORKERS
from semscale.serving.instruments import PART_ROWS, JobWork, instruments
from semscale.serving.jobs import JobQueue
from semscale.serving.judging import JudgeCalls
from semscale.serving.middleware import (
    Backlog,
    BodyRoom,
)
from semscale.serving.models import ServedModels
from semscale.serving.requests import ServiceLimits
from semscale.serving.state import ServiceMetrics, ServiceState

_LARGE_BODY = 100_000  # bytes, parsed in a millisecond
_READERS = 2  # threads that parse larger bodies: more of them would only delay other requests
_MEASURED_ROWS = 64  # from which the first rate is measured


_BODIES = 8  # of the largest size that may be in memory at once


@dataclass
class Service:
    """Objects that all routes share, and the start and end of their threads.

    Attributes:
        load_model: loads a model by its name.
        limits: limits of requests and jobs.
        model: name of one model for everything, instead of the default ones.
        workers: number of batches that a model runs at once.
        judge: calls a chat model; without it there is no route ``/judge``.
        models: the models; ``None`` until they are loaded.
        state: the service's phase and open requests.
        metrics: metrics for Prometheus.
        threads: threads that do the work of requests.
        readers: threads that parse large bodies, so that the event loop can answer others.
        backlog: tokens of the requests under way, and the rate at which the service answers.
        bodies: memory of the bodies of the requests under way.
        has_ended: true if ``close`` has ended all threads.
    """

    load_model: Callable[[str], Embedder]
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    model: str | None = None
    workers: int = WORKERS
    judge: JudgeCalls | None = None
    models: ServedModels = field(default_factory=ServedModels)
    state: ServiceState = field(default_factory=ServiceState)
    metrics: ServiceMetrics = field(default_factory=ServiceMetrics)
    threads: BackgroundWork = field(default_factory=BackgroundWork)
    readers: BackgroundWork = field(default_factory=lambda: BackgroundWork(_READERS))
    has_ended: bool = False

    def __post_init__(self) -> None:
        models = self.models
        self.backlog = Backlog(self.limits)
        self.bodies = BodyRoom(_BODIES * self.limits.body_bytes)
        self.instruments = instruments(
            rating=lambda: models.rating.embedder,
            embedding=lambda: models.embedding.embedder,
            encoder=lambda: models.embedding.encoder,
        )
        self.jobs: JobQueue | None = None
        self.job_work: JobWork | None = None
        self._loading = threading.Thread(target=self._load, name="loading", daemon=True)

    def open_jobs(self, home: Path, part_rows: int = PART_ROWS) -> None:
        """Start to accept jobs, and store their files in a folder.

        Args:
            home: the folder.
            part_rows: rows of a job that are measured and stored at a time.

        Raises:
            InputError: another service uses the folder, or ``part_rows`` is below 1.
        """
        self.job_work = JobWork(
            self.instruments,
            lambda: self.models.embedding.embedder,
            part_rows=part_rows,
            most_rows=self.limits.max_job_rows,
        )
        jobs = self.jobs = JobQueue(home, self.job_work.do, self.limits)
        unfinished = Gauge(
            "semscale_unfinished_jobs", "Jobs that wait or run.", registry=self.metrics.registry
        )
        unfinished.set_function(lambda: jobs.n_unfinished)

    async def parse(self, body: bytes, work: Callable[..., Outcome], *arguments: Any) -> Outcome:
        """Parse a body; a large one in a thread."""
        if len(body) <= _LARGE_BODY:
            return work(*arguments)
        return await self.readers.run(work, *arguments)

    def start(self) -> threading.Thread:
        """Load the models in another thread, so that the service already answers requests."""
        self._loading.start()
        return self._loading

    def _load(self) -> None:
        try:
            if self.judge is not None:
                self.judge.load()
            self.models.load(
                self.load_model, self.limits, self.metrics, name=self.model, workers=self.workers
            )
            for instrument in self.instruments.values():
                instrument.warm_up()
                started = time.monotonic()
                tokens = instrument.warm_up(_MEASURED_ROWS)
                self.backlog.record_rate(tokens, time.monotonic() - started)
        except Exception as error:
            self.state.set_failed(error)
            return
        if self.jobs is not None:
            self.jobs.start()
        self.state.set_loaded()

    def stop_jobs(self) -> None:
        """Stop the jobs after the current part; they continue when the service starts again."""
        if self.jobs is not None:
            self.jobs.stop()

    def close(self) -> None:
        """End all threads."""
        self.stop_jobs()
        jobs_ended = self.jobs is None or self.jobs.close()
        work_ended = all([work.close() for work in (self.threads, self.readers)])
        models_ended = self.models.close()
        self.has_ended = jobs_ended and work_ended and models_ended and not self._loading.is_alive()
