"""``/v1/embeddings`` and ``/v1/models`` as OpenAI's interface has them."""

from base64 import b64encode
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from semscale.embedding.embedder import Embeddings
from semscale.serving.batching.waiting_requests import embedded
from semscale.serving.json_answers import json_answer
from semscale.serving.refusals import invalid
from semscale.serving.requests.fields import EmbeddingFields, check_filled, check_texts, parsed
from semscale.serving.requests.reading import read_body, while_connected
from semscale.serving.service import Service


class EmbeddingRoutes:
    """Turns texts into vectors.

    Args:
        service: its models and limits.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    async def embeddings(self, request: Request) -> Response:
        """Turn texts into vectors, as OpenAI's interface does.

        Raises:
            RefusedRequestError: a wrong field, or a limit that is exceeded.
        """
        limits = self._service.limits
        fields = parsed(EmbeddingFields, await read_body(request, limits.body_bytes))
        check_texts(fields.input, "input", limits)
        check_filled(fields.input, "input")
        model = self._service.models.named(fields.model)
        width = model.embedder.dimensions
        if fields.dimensions not in (None, width):
            raise invalid(
                f"dimensions must be {width} with this model, got {fields.dimensions}", "dimensions"
            )
        found = await while_connected(request, embedded(model.batcher, fields.input))
        return json_answer(_answer(found, model.name, fields.encoding_format))

    async def models(self, _: Request) -> Response:
        """List the models."""
        known = [
            {"id": name, "object": "model", "created": 0, "owned_by": "semscale"}
            for name in self._service.models.by_name
        ]
        return json_answer({"object": "list", "data": known})


def _answer(found: Embeddings, model: str, encoding: str) -> dict[str, Any]:
    vectors = found.vectors.astype("<f4", copy=False)
    written = [b64encode(vector).decode() for vector in vectors] if encoding == "base64" else vectors.tolist()
    tokens = None if found.tokens is None else int(found.tokens.sum())
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": place, "embedding": vector}
            for place, vector in enumerate(written)
        ],
        "model": model,
        # Null where the engine does not count tokens: 0 would be a count.
        "usage": None if tokens is None else {"prompt_tokens": tokens, "total_tokens": tokens},
    }
