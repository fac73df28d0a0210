"""Limits of the service: what one request may ask for, and how much may wait."""

from dataclasses import dataclass, fields

from semscale.errors import InputError


@dataclass(frozen=True)
class ServiceLimits:
    """Limits of the service, each at least 1.

    Attributes:
        texts: in one request; each line of a stream counts.
        characters: in one text.
        body_bytes: in the body of a request, jobs aside.
        seconds: from a request's arrival to its answer.
        waiting_tokens: tokens, estimated, that may wait for the model; more are turned away.
        batch_tokens: tokens, estimated, that the model takes at once; up to four times as many where many
            requests wait.
        job_bytes: on disk, for the files of all jobs and their results.
        jobs: that may wait or run.
    """

    texts: int = 2048
    characters: int = 100_000
    body_bytes: int = 32 * 1024 * 1024
    seconds: float = 60.0
    waiting_tokens: int = 1_000_000
    batch_tokens: int = 8192
    job_bytes: int = 10 * 1024**3
    jobs: int = 100

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not value >= 1:
                raise InputError(f"{each.name} must be at least 1, got {value}")
