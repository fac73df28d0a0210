"""Locations of files: URLs and their file systems, copies, and local or remote outputs."""

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import urlsplit

from semscale.errors import InputError, MissingExtraError, SemscaleError, UnreachableError
from semscale.store.atomic import (
    NO_LINK,
    check_folder,
    check_writable,
    refuse_special,
    replacing,
    special_error,
)
from semscale.version import install_command

if TYPE_CHECKING:
    from semscale.types import Progress  # imports NumPy, which help of commands does not need

_URL = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+)://")
_WITH_USER = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+://)[^/\s@]*(?:@[^/\s@]*)*@")
_QUERY = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+://[^\s?#]*)[?#][^\s'\"]*")


def is_url(text: str) -> bool:
    """Return whether a text begins like a URL; a Windows path with a drive does not.

    Examples:
        >>> is_url("s3://bucket/rated.parquet"), is_url("rated.parquet")
        (True, False)
    """
    return _URL.match(text) is not None


def scheme_of(url: str) -> str:
    """Return the scheme of a URL in lower case.

    Examples:
        >>> scheme_of("S3://bucket/rated.parquet")
        's3'
    """
    return urlsplit(url).scheme.lower()


def redact(text: str) -> str:
    """Remove possible secrets from the URLs in a text: user, password, query and fragment.

    Every message, report, signature, progress and file of a run shows URLs by this function.

    Args:
        text: a URL, or a message that contains some.

    Examples:
        >>> redact("https://ann:pass@host/answers.csv?X-Amz-Signature=1f")
        'https://host/answers.csv?...'
        >>> redact("s3://bucket/rated.parquet")
        's3://bucket/rated.parquet'
    """
    return _QUERY.sub(r"\1?...", _WITH_USER.sub(r"\1", text))


def without_secrets_of(url: str, words: str) -> str:
    """Remove a URL's secrets from a message, even if the message has only a piece of the URL.

    Args:
        url: the URL that failed.
        words: a library's error message.

    Examples:
        >>> without_secrets_of("s3://ann:pass@b/x", "Invalid bucket name 'ann:pass@b'")
        "Invalid bucket name '...@b'"
    """
    parts = urlsplit(url)
    user = parts.netloc.rpartition("@")[0]
    secrets = [user, *user.split(":", 1)[1:], parts.query, parts.fragment]
    secrets += [value for _, _, value in (pair.partition("=") for pair in parts.query.split("&"))]
    message = redact(words)
    for secret in sorted({part for part in secrets if part}, key=len, reverse=True):
        message = message.replace(secret, "...")
    return message


def url_name(url: str) -> str:
    """Return the last part of a URL's path, without its query; for a folder, the folder's name.

    Examples:
        >>> url_name("https://host/files/answers.csv?key=1")
        'answers.csv'
        >>> url_name("s3://bucket/rated/")
        'rated'
    """
    path = _QUERY.sub(r"\1", url).rstrip("/")
    return path.rpartition("/")[2]


_OF_EXTRA = {"s3": "s3fs", "s3a": "s3fs", "http": "aiohttp", "https": "aiohttp"}
_TO_INSTALL = {
    "gs": "gcsfs", "gcs": "gcsfs",
    "az": "adlfs", "abfs": "adlfs", "abfss": "adlfs", "adl": "adlfs",
}  # fmt: skip
_NOT_THERE, _NOT_ALLOWED = (404, 410), (401, 403)  # statuses of HTTP
_LONGEST = 200


def open_filesystem(url: str, doing: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it.

    Args:
        url: URL with its scheme.
        doing: ``read`` or ``written``, for messages.

    Returns:
        fsspec's file system, which caches no lists of files, and the path.

    Raises:
        MissingExtraError: ``semscale[cloud]`` is not installed.
        InputError: no package reads such URLs, or the URL is invalid.
    """
    from fsspec.core import url_to_fs

    scheme = scheme_of(url)
    try:
        with explain_errors(url, doing):
            system, path = url_to_fs(url, use_listings_cache=False)
    except ImportError as error:
        if scheme in _OF_EXTRA:
            raise MissingExtraError(_OF_EXTRA[scheme], "cloud") from error
        package = _TO_INSTALL.get(scheme)
        remedy = install_command(package) if package else "install the package that fsspec names for it"
        raise InputError(f"{redact(url)} needs a package that is not installed: {remedy}") from error
    return system, str(path)


@contextmanager
def explain_errors(url: str, doing: str) -> Iterator[None]:
    """Turn errors of a remote file system into one sentence.

    Args:
        url: the user's URL; its secrets are not shown.
        doing: ``read`` or ``written``, for the message.

    Raises:
        UnreachableError: it cannot be read or written, with the service's reason.
    """
    try:
        yield
    except (SemscaleError, ImportError):
        raise
    except Exception as error:  # each service has its own errors, without a common class
        failure = _failure(error)
        raise UnreachableError(
            f"{redact(url)} cannot be {doing} ({_reason(failure, url)}); {_remedy(failure, url)}"
        ) from error


def _failure(error: Exception) -> BaseException:
    """Return the real failure: fsspec reports every HTTP failure as a missing file, with it as cause."""
    cause = error.__cause__
    if isinstance(error, FileNotFoundError) and cause and _status(cause) not in _NOT_THERE:
        return cause
    return error


def _status(failure: BaseException) -> int | None:
    """Return the HTTP status in an error."""
    status = getattr(failure, "status", None)
    return status if isinstance(status, int) else None


def _reason(failure: BaseException, url: str) -> str:
    if isinstance(failure, FileNotFoundError):
        return "it does not exist"
    message = without_secrets_of(url, " ".join(str(failure).split())) or type(failure).__name__
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."


def _remedy(failure: BaseException, url: str) -> str:
    if isinstance(failure, FileNotFoundError):
        is_web = scheme_of(url) in ("http", "https")
        return "check the address" if is_web else "check the name, and that its bucket exists"
    is_refused = isinstance(failure, PermissionError) or _status(failure) in _NOT_ALLOWED
    if is_refused or "redential" in type(failure).__name__:
        return "check the credentials of this machine and their permissions"
    return "check the name, the network and the credentials"


FETCHING = "fetching "
"""Prefix of the progress stage while a file is copied; its amounts are bytes."""

_BLOCK = 1 << 20
_MARKS = ("ETag", "etag", "md5Hash", "content_md5", "ContentMD5", "generation", "LastModified",
          "last_modified", "mtime", "updated", "created")  # fmt: skip


def fetch(url: str, system: Any, path: str, folder: Path, progress: "Progress | None") -> Path:
    """Copy a file behind a URL into a folder, block by block.

    Args:
        url: its URL, for messages.
        system: fsspec's file system.
        path: the path in it.
        folder: an empty folder.
        progress: called with the number of copied bytes, and the total if known.

    Returns:
        Path of the copy, which has the file's name.

    Raises:
        InputError: it cannot be read.
        OSError: the copy cannot be written.
    """
    copy, done = folder / (url_name(url) or "input"), 0
    with explain_errors(url, "read"):
        size = system.info(path).get("size")
        source = cast(BinaryIO, system.open(path, "rb"))
    with source, copy.open("wb") as target:
        while block := _read(source, url):
            target.write(block)
            done += len(block)
            if progress:
                progress(FETCHING + redact(url), done, size)
    return copy


def _read(source: BinaryIO, url: str) -> bytes:
    with explain_errors(url, "read"):
        return source.read(_BLOCK)


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Create a folder for copies, which is removed with the returned object."""
    return tempfile.TemporaryDirectory(prefix="semscale-")


def identity(info: Mapping[str, Any]) -> str:
    """Hash a service's information on a file: its size, and its hash or else its modification time.

    Returns:
        32 hex digits, which change when the file is replaced.

    Examples:
        >>> identity({"size": 3, "ETag": "a"}) == identity({"size": 3, "ETag": "b"})
        False
    """
    mark = next((f"{name}={info[name]}" for name in _MARKS if info.get(name)), "")
    return hashlib.blake2b(f"{info.get('size')}\0{mark}".encode(), digest_size=16).hexdigest()


_PARTS = ".parts"
_SEPARATORS = ("/", os.sep)


@dataclass(frozen=True)
class OutputPlace:
    """A local or remote folder of partitions, or a remote file.

    Attributes:
        address: the user's URL or path; it may have secrets, which ``str`` does not show.
        is_folder: whether partitions are written.
    """

    address: str
    is_folder: bool

    @property
    def is_remote(self) -> bool:
        """True if it is behind a URL."""
        return is_url(self.address)

    @property
    def name(self) -> str:
        """Its last part."""
        return url_name(self.address) if self.is_remote else Path(self.address).name

    @property
    def suffix(self) -> str:
        """The extension of its files."""
        return ".parquet" if self.is_folder else PurePosixPath(self.name).suffix

    def __str__(self) -> str:
        return redact(self.address) if self.is_remote else self.address

    def check(self, parameter: str) -> None:
        """Check before a run that files can be written here and removed again.

        Args:
            parameter: name of the parameter, for messages.

        Raises:
            InputError: they cannot.
            MissingExtraError: the URL needs ``semscale[cloud]``.
        """
        if self.is_remote and scheme_of(self.address) in ("http", "https"):
            raise InputError(parameter, f": {self} can only be read; name a file, or a URL such as s3://")
        if not self.is_remote:
            check_folder(Path(self.address), parameter)
            return
        system, path = open_filesystem(self.address, "written")
        probe = f"{path.rstrip('/')}.probe-{os.getpid()}-{os.urandom(4).hex()}"
        with explain_errors(self.address, "written"):
            system.pipe_file(probe, b"")
            system.rm_file(probe)

    def upload(self, file: Path) -> None:
        """Upload a finished file here atomically.

        Raises:
            InputError: it cannot be written.
        """
        system, path = open_filesystem(self.address, "written")
        with explain_errors(self.address, "written"):
            system.put_file(str(file), path)


Target = Path | OutputPlace
"""Location of an output table."""


def target_of(text: str | Path) -> Target:
    """Parse the location of an output; a name that ends in ``/`` is a folder.

    Examples:
        >>> target_of("rated/"), target_of("s3://bucket/rated.parquet")  # doctest: +NORMALIZE_WHITESPACE
        (OutputPlace(address='rated/', is_folder=True),
         OutputPlace(address='s3://bucket/rated.parquet', is_folder=False))
    """
    if isinstance(text, Path):
        return text
    if is_url(text) and scheme_of(text) == "file":
        from urllib.request import url2pathname  # slow to import, and every command checks its outputs

        text = url2pathname(urlsplit(text).path)
    if text.endswith(_SEPARATORS):
        return OutputPlace(text, is_folder=True)
    return OutputPlace(text, is_folder=False) if is_url(text) else Path(text)


def check_target(out: Target, parameter: str) -> None:
    """Check before a run that an output can be written.

    Raises:
        InputError: it cannot.
        MissingExtraError: the URL needs ``semscale[cloud]``.
    """
    if isinstance(out, OutputPlace):
        out.check(parameter)
    else:
        check_writable(out, parameter)


def refuse_folder(out: Target) -> None:
    """Refuse a folder as the location of a single file.

    Raises:
        InputError: it is a folder.
    """
    if isinstance(out, OutputPlace) and out.is_folder:
        raise InputError("out", f"must be a file here, got the folder {out}; add a file name")


@dataclass(frozen=True)
class LocalFiles:
    """A local folder; names of files may include a subfolder.

    The folder may have come with a project of somebody else, so no file in it may be a link, which would lead
    reading and writing elsewhere, or a pipe, which would be waited for.

    Attributes:
        folder: the folder, for messages.
        real: its absolute path without links, by which files are reached.
    """

    folder: Path
    real: Path

    def names(self) -> set[str]:
        """List all files below the folder.

        Raises:
            InputError: something below is neither a file nor a folder.
        """
        names = set()
        for folder, subfolders, files in os.walk(self.real):
            for path in (Path(folder, name) for name in (*subfolders, *files)):
                with suppress(FileNotFoundError):  # removed in the meantime
                    mode = path.lstat().st_mode
                    inner = path.relative_to(self.real)
                    if stat.S_ISREG(mode):
                        names.add(inner.as_posix())
                    elif not stat.S_ISDIR(mode):
                        raise special_error(self.folder / inner, mode)
        return names

    def read(self, name: str) -> bytes | None:
        """Read a small file; ``None`` if it is missing."""
        with suppress(FileNotFoundError), open(self._plain(name), "rb", opener=_open_file) as content:
            return content.read()
        return None

    def write(self, name: str, content: bytes) -> None:
        """Write or replace a small file."""
        (self.real / name).parent.mkdir(exist_ok=True)
        with self.writing(name) as temporary:
            temporary.write_bytes(content)

    @contextmanager
    def local(self, name: str) -> Iterator[Path]:
        """Yield the path of the file."""
        yield self._plain(name)

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """Yield a temporary path, which replaces the file at the end of the block."""
        with replacing(self._plain(name), follow=False) as temporary:
            yield temporary

    def remove(self, name: str) -> None:
        """Remove a file, and its subfolder if it was the last file there."""
        path = self.real / name
        path.unlink(missing_ok=True)
        if path.parent != self.real:
            with suppress(OSError):
                path.parent.rmdir()

    def _plain(self, name: str) -> Path:
        """Return the path of a file, which is missing or a plain file."""
        path = self.real / name
        refuse_special(path)
        return path


def _open_file(path: str, flags: int) -> int:
    return os.open(path, flags | NO_LINK)


@dataclass(frozen=True)
class RemoteFiles:
    """A folder behind a URL, like ``LocalFiles``; an interrupted upload leaves nothing behind."""

    url: str
    system: Any
    path: str

    @classmethod
    def of(cls, url: str) -> "RemoteFiles":
        """Return the folder behind a URL.

        Raises:
            InputError: no package writes such URLs.
            MissingExtraError: ``semscale[cloud]`` is not installed.
        """
        system, path = open_filesystem(url, "written")
        return cls(url, system, path.rstrip("/"))

    def names(self) -> set[str]:
        """List all files below the folder."""
        start = f"{self.path}/"
        with explain_errors(self.url, "read"):
            return {
                found_path.removeprefix(start)
                for found_path in self.system.find(self.path)
                if found_path.startswith(start)
            }

    def read(self, name: str) -> bytes | None:
        """Read a small file; ``None`` if it is missing."""
        with explain_errors(self.url, "read"), suppress(FileNotFoundError):
            return bytes(self.system.cat_file(f"{self.path}/{name}"))
        return None

    def write(self, name: str, content: bytes) -> None:
        """Write or replace a small file."""
        with explain_errors(self.url, "written"):
            self.system.pipe_file(f"{self.path}/{name}", content)

    @contextmanager
    def local(self, name: str) -> Iterator[Path]:
        """Yield the path of a copy, which is removed after the block."""
        with temporary_folder() as folder:
            copy = Path(folder, "part")
            with explain_errors(self.url, "read"):
                self.system.get_file(f"{self.path}/{name}", str(copy))
            yield copy

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """Yield the path of a file that is uploaded at the end of the block."""
        with temporary_folder() as folder:
            file = Path(folder, "part")
            yield file
            with explain_errors(self.url, "written"):
                self.system.put_file(str(file), f"{self.path}/{name}")

    def remove(self, name: str) -> None:
        """Remove a file if it exists."""
        with explain_errors(self.url, "written"), suppress(FileNotFoundError):
            self.system.rm_file(f"{self.path}/{name}")


PartFiles = LocalFiles | RemoteFiles
"""The folder of a run's parts."""


def files_of(place: OutputPlace, *, follow: bool = True) -> PartFiles:
    """Return the folder of a location: the folder of partitions, or the folder with a file's parts.

    Args:
        place: the location.
        follow: whether links to a local folder are followed now; otherwise its path must be absolute and
            without links.

    Raises:
        InputError: no package writes such URLs.
        MissingExtraError: ``semscale[cloud]`` is not installed.
    """
    if place.is_remote:
        return RemoteFiles.of(place.address if place.is_folder else f"{place.address}{_PARTS}")
    path = Path(place.address)
    if place.is_folder:
        return LocalFiles(path, _real(path) if follow else path)
    parts = parts_folder(path)  # is no link itself, which is checked before it is locked
    return LocalFiles(parts, _real(parts.parent) / parts.name if follow else parts)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def parts_folder(path: Path) -> Path:
    """Return the folder of the unfinished parts of a local file.

    Examples:
        >>> parts_folder(Path("rated.csv")).name
        'rated.csv.parts'
    """
    return Path(f"{path}{_PARTS}")
