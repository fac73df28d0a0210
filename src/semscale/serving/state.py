"""State of the service, and its metrics."""

import time
from enum import StrEnum

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from semscale.serving.batching import OnBatch

_QUIET_SECONDS = 0.5  # without a request, after which no further one is expected
_LONGEST_SECONDS = 5.0  # after the last answer, in which refused requests delay the end
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_TEXTS = (1, 4, 16, 64, 128, 256, 512, 1024)


class Phase(StrEnum):
    """Phase of the service, from start to shutdown."""

    LOADING = "loading"
    READY = "ready"
    DRAINING = "draining"
    FAILED = "failed"


class ServiceState:
    """Phase and open requests of the service; only the event loop's thread uses it.

    Attributes:
        phase: current phase.
        under_way: number of accepted requests that are not answered yet.
        error: the reason why the models could not be loaded.
    """

    def __init__(self) -> None:
        self.phase = Phase.LOADING
        self.under_way = 0
        self.error: Exception | None = None
        self._last_event = time.monotonic()  # a request or an answer
        self._last_answer = self._last_event

    def set_loaded(self) -> None:
        """Record that the models are loaded."""
        if self.phase is Phase.LOADING:
            self.phase = Phase.READY

    def set_failed(self, error: Exception) -> None:
        """Record that the models cannot be loaded."""
        self.phase, self.error = Phase.FAILED, error

    def drain(self) -> None:
        """Stop accepting requests."""
        if self.phase is not Phase.FAILED:
            self.phase = Phase.DRAINING
        self._last_answer = self._last_event = time.monotonic()

    @property
    def is_ready(self) -> bool:
        """True if requests are answered."""
        return self.phase is Phase.READY

    @property
    def is_draining(self) -> bool:
        """True during a shutdown."""
        return self.phase is Phase.DRAINING

    @property
    def has_failed(self) -> bool:
        """True if the models could not be loaded."""
        return self.phase is Phase.FAILED

    @property
    def is_drained(self) -> bool:
        """True during a shutdown once no request is open and none is expected.

        Clients that repeat refused requests delay the end only for a limited time.
        """
        if self.phase is not Phase.DRAINING or self.under_way:
            return False
        now = time.monotonic()
        return now - self._last_event > _QUIET_SECONDS or now - self._last_answer > _LONGEST_SECONDS

    def end_request(self) -> None:
        """Record that an open request was answered."""
        self.under_way -= 1
        self._last_answer = self._last_event = time.monotonic()

    def note_request(self) -> None:
        """Record that a request arrived."""
        self._last_event = time.monotonic()


class ServiceMetrics:
    """Metrics of the service for Prometheus.

    Attributes:
        registry: registry of all metrics.
        requests: number of requests, by route and status.
        seconds: duration of requests in seconds, by route.
        texts: number of texts in batches, by model.
        tokens: number of tokens in batches, by model.
        waiting: number of waiting texts, by model.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "semscale_requests", "Requests by route and status.", ["route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "semscale_request_seconds",
            "Seconds from a request to the end of its answer.",
            ["route"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.texts = Histogram(
            "semscale_batch_texts",
            "Texts that the model took at once.",
            ["model"],
            buckets=_TEXTS,
            registry=self.registry,
        )
        self.tokens = Counter(
            "semscale_tokens", "Tokens that the model read.", ["model"], registry=self.registry
        )
        self.waiting = Gauge(
            "semscale_waiting_texts", "Texts that wait for the model.", ["model"], registry=self.registry
        )

    def batch_counter(self, model: str) -> OnBatch:
        """Return a function that counts a model's batches, texts and tokens."""
        n_texts, n_tokens = self.texts.labels(model), self.tokens.labels(model)

        def count(texts: int, tokens: int | None) -> None:
            n_texts.observe(texts)
            if tokens is not None:
                n_tokens.inc(tokens)

        return count
