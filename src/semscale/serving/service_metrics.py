"""Figures of the service in the form that Prometheus reads."""

from collections.abc import Callable, MutableMapping
from functools import cache
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_TEXTS = (1, 4, 16, 64, 128, 256, 512, 1024)


class ServiceMetrics:
    """Counts requests, texts and tokens."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "semscale_requests", "Requests by route and status.", ["route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "semscale_request_seconds",
            "Seconds from a request to the end of its answer.",
            ["route"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._batch_texts = Histogram(
            "semscale_batch_texts",
            "Texts that the model took at once.",
            ["model"],
            buckets=_TEXTS,
            registry=self._registry,
        )
        self._tokens = Counter(
            "semscale_tokens", "Tokens that the model read.", ["model"], registry=self._registry
        )
        self._waiting = Gauge(
            "semscale_waiting_texts", "Texts that wait for the model.", ["model"], registry=self._registry
        )

    def answered(self, scope: MutableMapping[str, Any], status: int | None, seconds: float) -> None:
        """Count an answer; a path that no route has is counted as ``other``."""
        route = getattr(scope.get("route"), "path", None) or "other"
        requests, durations = self._counted(route, "client-gone" if status is None else str(status))
        requests.inc()
        durations.observe(seconds)

    @cache  # noqa: B019 - the figures live as long as the service
    def _counted(self, route: str, status: str) -> tuple[Counter, Histogram]:
        return self._requests.labels(route, status), self._seconds.labels(route)

    def batch(self, model: str) -> Callable[[int, int | None], None]:
        """Give what counts the batches of a model, with texts and tokens."""
        batch_texts, all_tokens = self._batch_texts.labels(model), self._tokens.labels(model)

        def heard(texts: int, tokens: int | None) -> None:
            batch_texts.observe(texts)
            if tokens is not None:
                all_tokens.inc(tokens)

        return heard

    def watch(self, name: str, about: str, value: Callable[[], float]) -> None:
        """Show a value as it is when it is asked for."""
        Gauge(name, about, registry=self._registry).set_function(value)

    def watch_model(self, model: str, waiting: Callable[[], float]) -> None:
        """Show how many texts wait for a model."""
        self._waiting.labels(model).set_function(waiting)

    def page(self) -> bytes:
        """Write all figures."""
        written: bytes = generate_latest(self._registry)
        return written
