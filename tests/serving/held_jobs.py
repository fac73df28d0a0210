"""Queues of jobs whose work goes on when a test lets it."""

import threading


class HeldWork:
    """Work that goes on when it is told to, or ends when it is abandoned."""

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
