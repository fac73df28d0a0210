"""``/health``, ``/ready`` and ``/metrics``: is the service alive, does it answer, and how is it doing."""

from starlette.requests import Request
from starlette.responses import Response

from semscale.serving.json_answers import json_answer
from semscale.serving.refusals import UNAVAILABLE
from semscale.serving.service import Service
from semscale.serving.service_state import Phase
from semscale.version import __version__


class StatusRoutes:
    """Says how the service is doing.

    Args:
        service: whose state and figures are shown.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    async def health(self, _: Request) -> Response:
        """Say that the process is alive."""
        return json_answer({"status": "alive", "version": __version__})

    async def ready(self, _: Request) -> Response:
        """Say whether the models are loaded and requests are answered: 200, or else 503."""
        phase = self._service.state.phase
        is_ready = phase is Phase.READY
        return json_answer(
            {"status": str(phase), "models": list(self._service.models.by_name)},
            200 if is_ready else UNAVAILABLE,
            {} if is_ready else {"Retry-After": "5"},
        )

    async def metrics(self, _: Request) -> Response:
        """Give all figures in the form that Prometheus reads."""
        metrics = self._service.metrics
        return Response(metrics.page(), media_type=metrics.content_type)
