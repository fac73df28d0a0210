"""File systems behind URLs, through fsspec; their errors become one sentence without secrets."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from semscale.errors import InputError, MissingExtraError, SemscaleError, UnreachableError
from semscale.store.places.urls import scheme_of, shown, without_secrets_of

_OF_EXTRA = {"s3": "s3fs", "s3a": "s3fs", "http": "aiohttp", "https": "aiohttp"}
_TO_INSTALL = {
    "gs": "gcsfs", "gcs": "gcsfs",
    "az": "adlfs", "abfs": "adlfs", "abfss": "adlfs", "adl": "adlfs",
}  # fmt: skip
_NOT_THERE, _NOT_ALLOWED = (404, 410), (401, 403)  # statuses of HTTP
_LONGEST = 200


def open_filesystem(url: str, doing: str) -> tuple[Any, str]:
    """Find the file system of a URL, and the path in it.

    Args:
        url: with its scheme.
        doing: ``read`` or ``written``, for messages.

    Returns:
        fsspec's file system, which keeps no lists of files, and the path.

    Raises:
        MissingExtraError: ``semscale[cloud]`` is not installed.
        InputError: no package reads such URLs, or the URL is none.
    """
    from fsspec.core import url_to_fs

    scheme = scheme_of(url)
    try:
        with reached(url, doing):
            system, path = url_to_fs(url, use_listings_cache=False)
    except ImportError as error:
        if scheme in _OF_EXTRA:
            raise MissingExtraError(_OF_EXTRA[scheme], "cloud") from error
        package = _TO_INSTALL.get(scheme)
        remedy = f"pip install {package}" if package else "install the package that fsspec names for it"
        raise InputError(f"{shown(url)} needs a package that is not installed: {remedy}") from error
    return system, str(path)


@contextmanager
def reached(url: str, doing: str) -> Iterator[None]:
    """Turn errors of a file system behind a URL into one sentence.

    Args:
        url: as the user gave it; secrets in it are not shown.
        doing: ``read`` or ``written``, for the message.

    Raises:
        UnreachableError: it cannot be read or written, with the service's reason.
    """
    try:
        yield
    except (SemscaleError, ImportError):
        raise
    except Exception as error:  # each service has errors of its own, without a common class
        failure = _failure(error)
        raise UnreachableError(
            f"{shown(url)} cannot be {doing} ({_reason(failure, url)}); {_remedy(failure, url)}"
        ) from error


def _failure(error: Exception) -> BaseException:
    """What went wrong: over HTTP fsspec calls each failure a missing file, with the real one as its cause."""
    cause = error.__cause__
    if isinstance(error, FileNotFoundError) and cause and _status(cause) not in _NOT_THERE:
        return cause
    return error


def _status(failure: BaseException) -> int | None:
    """The status of HTTP that an error names."""
    status = getattr(failure, "status", None)
    return status if isinstance(status, int) else None


def _reason(failure: BaseException, url: str) -> str:
    if isinstance(failure, FileNotFoundError):
        return "it does not exist"
    words = without_secrets_of(url, " ".join(str(failure).split())) or type(failure).__name__
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."


def _remedy(failure: BaseException, url: str) -> str:
    if isinstance(failure, FileNotFoundError):
        is_web = scheme_of(url) in ("http", "https")
        return "check the address" if is_web else "check the name, and that its bucket is there"
    is_refused = isinstance(failure, PermissionError) or _status(failure) in _NOT_ALLOWED
    if is_refused or "redential" in type(failure).__name__:
        return "check the credentials of this machine and what they may do"
    return "check the name, the network and the credentials"
