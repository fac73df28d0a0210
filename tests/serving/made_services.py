"""A service in this process, and a client of it."""

import asyncio

MODEL = "all-MiniLM-L6-v2"


class Client:
    """Sends requests to an application in this process."""

    def __init__(self, gate) -> None:
        self.gate = gate

    def send(self, verb, path, **said):
        import httpx

        async def one():
            transport = httpx.ASGITransport(self.gate, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return await client.request(verb, path, **said)

        return asyncio.run(one())

    def post(self, path, **said):
        return self.send("POST", path, **said)

    def get(self, path, **said):
        return self.send("GET", path, **said)


def loaded_service(embedder, *, home=None, **limits):
    """A service whose models are loaded."""
    from semscale.serving.application import Service
    from semscale.serving.models import ModelsToServe
    from semscale.serving.requests import ServiceLimits

    service = Service(ModelsToServe(MODEL), ServiceLimits(**limits), load_model=lambda _: embedder)
    if home is not None:
        service.open_jobs(home)
    service.start().join()
    assert service.state.error is None
    return service
