"""Services and queues of jobs in this process, and a client of them."""

import asyncio
import json
import threading
import time

MODEL = "all-MiniLM-L6-v2"
TABLE = "id,comment\n1,I would buy it at once.\n2,\n3,Never.\n"
SECRET = "a-secret-of-20-chars"


def until(is_reached):
    """Wait until something is true."""
    end = time.monotonic() + 60
    while not is_reached():
        assert time.monotonic() < end
        threading.Event().wait(0.01)


class Client:
    """Sends requests to an application in this process."""

    def __init__(self, app) -> None:
        self.app = app

    def send(self, verb, path, **content):
        import httpx

        async def answer():
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return await client.request(verb, path, **content)

        return asyncio.run(answer())

    def post(self, path, **content):
        return self.send("POST", path, **content)

    def get(self, path, **content):
        return self.send("GET", path, **content)


def client_of(service, token=None):
    from semscale.serving.application import application

    return Client(application(service, token=token))


def loaded_service(embedder, *, home=None, **limits):
    """A service whose models are loaded."""
    from semscale.serving.requests import ServiceLimits
    from semscale.serving.service import Service

    service = Service(lambda _: embedder, ServiceLimits(**limits), model=MODEL)
    if home is not None:
        service.open_jobs(home)
    service.start().join()
    assert service.state.error is None
    return service


class HeldWork:
    """Work of jobs that goes on when a test lets it, or ends when it is cancelled."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.let = threading.Event()
        self.done: list[str] = []

    def __call__(self, job, progress):
        self.begun.release()
        while not self.let.wait(0.01):
            progress("rating rows", 1, 2)
        self.done.append(job.id)
        return Summary()


class Summary:
    def to_json(self):
        return "{}"


def queue_of(tmp_path, work, **limits):
    from semscale.serving.jobs import JobQueue
    from semscale.serving.requests import ServiceLimits

    return JobQueue(tmp_path / "jobs", work, ServiceLimits(**limits))


def added(queue):
    from semscale.serving.requests import EmbeddingJobFields

    with queue.uploading("embed", EmbeddingJobFields(text="comment")) as job:
        queue.add(job)
    return job


async def abandon(app, path, fields, has_begun):
    """Send a request of a client that goes away once its work has begun; return the status."""
    messages = iter([{"type": "http.request", "body": json.dumps(fields).encode(), "more_body": False}])
    gone, sent = asyncio.Event(), []

    async def receive():
        message = next(messages, None)
        if message is None:
            await gone.wait()
            return {"type": "http.disconnect"}
        return message

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [],
        "http_version": "1.1",
        "scheme": "http",
        "server": ("service", 80),
        "client": ("client", 1),
        "root_path": "",
    }
    answering = asyncio.ensure_future(app(scope, receive, send))
    while not has_begun():
        await asyncio.sleep(0)
    gone.set()
    await asyncio.wait_for(answering, 60)
    return sent[0]["status"]
