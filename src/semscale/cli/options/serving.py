"""Options of ``semscale serve``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from semscale.cli.options.groups import option_group
from semscale.cli.options.model import PrecisionName
from semscale.cli.options.panels import MODEL, option, setting
from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.serving.models import ModelsToServe
    from semscale.serving.requests import ServiceLimits

LISTENING, LIMITS, JOBS = "Listening", "Limits", "Jobs"
_MIB = 1024 * 1024


@option_group
class LimitOptions:
    """Limits of requests, as ``ServiceLimits`` takes them."""

    texts: Annotated[int, option(LIMITS, "Texts in a request.", "NUMBER", name="--max-texts", shown=True)] = (
        2048
    )
    characters: Annotated[
        int, option(LIMITS, "Characters in a text.", "NUMBER", name="--max-characters", shown=True)
    ] = 100_000
    body_mib: Annotated[
        int, option(LIMITS, "MiB in the body of a request.", "NUMBER", name="--max-body", shown=True)
    ] = 32
    seconds: Annotated[
        float, option(LIMITS, "Seconds until a request is answered.", "NUMBER", name="--timeout", shown=True)
    ] = 60.0
    waiting_tokens: Annotated[
        int,
        option(LIMITS, "Tokens that may wait for the model.", "NUMBER", name="--max-waiting", shown=True),
    ] = 1_000_000
    batch_tokens: Annotated[
        int,
        setting(LIMITS, "Tokens that the model takes at once; up to four times as many of many requests."),
    ] = 8192
    jobs: Annotated[
        int, option(JOBS, "Jobs that may wait or run.", "NUMBER", name="--max-jobs", shown=True)
    ] = 100
    job_mib: Annotated[
        int,
        option(JOBS, "MiB that the files of all jobs may have.", "NUMBER", name="--jobs-disk", shown=True),
    ] = 10_240

    @property
    def limits(self) -> "ServiceLimits":
        """The limits.

        Raises:
            InputError: one is below 1.
        """
        from semscale.serving.requests import ServiceLimits

        self._check()
        return ServiceLimits(
            texts=self.texts,
            characters=self.characters,
            body_bytes=self.body_mib * _MIB,
            seconds=self.seconds,
            waiting_tokens=self.waiting_tokens,
            batch_tokens=self.batch_tokens,
            jobs=self.jobs,
            job_bytes=self.job_mib * _MIB,
        )

    def _check(self) -> None:
        """Refuse a limit below 1 by the name of its option."""
        by_option = {
            "--max-texts": self.texts,
            "--max-characters": self.characters,
            "--max-body": self.body_mib,
            "--timeout": self.seconds,
            "--max-waiting": self.waiting_tokens,
            "--batch-tokens": self.batch_tokens,
            "--max-jobs": self.jobs,
            "--jobs-disk": self.job_mib,
        }
        for option_name, value in by_option.items():
            if not value >= 1:
                raise InputError(f"{option_name} must be at least 1, got {value}")


@option_group
class ServeOptions:
    """All options of ``semscale serve``.

    Raises:
        InputError: a value out of range.
    """

    host: Annotated[str, option(LISTENING, "Address to listen on.", "HOST", shown=True)] = "127.0.0.1"
    port: Annotated[int, setting(LISTENING, "Port to listen on; 0 for any free one.", "PORT")] = 8000
    limit: LimitOptions
    jobs: Annotated[
        Path | None,
        option(JOBS, "Folder for the files of jobs; without it there are no jobs.", "FOLDER"),
    ] = None
    part_rows: Annotated[int, setting(JOBS, "Rows of a job that are finished and kept at once.")] = 5_000
    model: Annotated[
        str | None,
        option(
            MODEL,
            "One model for everything; by default ratings have e5-small, all else all-MiniLM-L6-v2.",
            "MODEL",
        ),
    ] = None
    precision: PrecisionName = "exact"
    engine: Annotated[Literal["openvino", "torch"], option(MODEL, "What runs the model.", shown=True)] = (
        "openvino"
    )

    @property
    def choice(self) -> "ModelsToServe":
        """Which models are served."""
        from semscale.serving.models import ModelsToServe

        return ModelsToServe(self.model, self.precision, self.engine)
