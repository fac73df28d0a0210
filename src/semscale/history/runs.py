"""Runs of a model over a dataset, approvals of runs as baselines, and the lookup of names."""

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item
from semscale.messages import nearest_names
from semscale.signature import Signature

_NAMED = 5
SHOWN_OF_ID = 8
"""Number of characters of shortened IDs in output, unless more are needed to distinguish them."""

_SHORTEST = 4  # characters of an id that can name it
_SUGGESTED = 3


def new_id() -> str:
    """Draw a random, globally unique id: 32 hexadecimal digits."""
    return uuid.uuid4().hex


def short_id(id_: str) -> str:
    """Return the first characters of an ID, as in output; they are enough to name a run.

    Examples:
        >>> short_id("4f9ce8981d4c4f0a8c2f1f1f0a8c2f1f")
        '4f9ce898'
    """
    return id_[:SHOWN_OF_ID]


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Run:
    """All outputs of one model for one dataset at one time.

    Attributes:
        dataset: the dataset's name.
        model: the model's name, such as ``gpt-4o-2024-08-06``.
        items: the items in the order of the file.
        id: the run's id, the same in every history.
        recorded: time of recording, in UTC.
        rerun_of: id of the run that this one repeats with the same model and prompt; reruns show how far
            outputs differ by chance.
        revision: Git revision of the working tree of the run; ``None`` without one.
        note: a user's note.

    Raises:
        InputError: there are no items, an ID occurs twice, or dataset or model is empty.
    """

    dataset: str
    model: str
    items: tuple[Item, ...]
    id: str = field(default_factory=new_id)
    recorded: datetime = field(default_factory=now)
    rerun_of: str | None = None
    revision: str | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        for name in ("dataset", "model"):
            if not getattr(self, name).strip():
                raise InputError(name, f"must not be empty: name the {name} that the outputs are from")
        if not self.items:
            raise InputError("a run must have at least one item, got none")
        twice = [name for name, n in Counter(item.id for item in self.items).items() if n > 1]
        if twice:
            raise InputError(f"item ids must occur once in a run, got {list_names(twice)} more than once")

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Names of the outputs' numeric fields, sorted."""
        return tuple(
            sorted({name for item in self.items for output in item.outputs for name in output.fields})
        )

    @cached_property
    def group_kinds(self) -> tuple[str, ...]:
        """Kinds of the items' groups, sorted."""
        return tuple(sorted({kind for item in self.items for kind in item.groups}))

    @cached_property
    def dataset_version(self) -> str:
        """Hash of the IDs with their inputs, which identifies the dataset's version."""
        return short_hash(sorted((item.id, item.input) for item in self.items))

    @cached_property
    def signature(self) -> Signature:
        """Signature of dataset, IDs with inputs, and groups; runs must share it to be comparable."""
        belong = sorted((item.id, sorted(item.groups.items())) for item in self.items)
        return Signature.of(
            "run",
            dataset=short_hash(self.dataset) if set("|:") & set(self.dataset) else self.dataset,
            items=len(self.items),
            inputs=self.dataset_version,
            groups=short_hash(belong) if self.group_kinds else None,
        )


@dataclass(frozen=True)
class RunSummary:
    """A run without its items.

    Attributes:
        id: the run's id.
        dataset: the dataset's name.
        model: the model's name.
        recorded: time of recording, in UTC.
        rerun_of: id of the run that it repeats; ``None`` if it is no rerun.
        revision: Git revision of the run; ``None`` without one.
        note: a user's note.
        n_items: number of items.
        signature: the run's signature when it was recorded, as text.
    """

    id: str
    dataset: str
    model: str
    recorded: datetime
    rerun_of: str | None
    revision: str | None
    note: str | None
    n_items: int
    signature: str

    @property
    def dataset_version(self) -> str | None:
        """Hash of the ids with their inputs, from the signature; ``None`` if it has none."""
        name = "inputs:"
        parts = self.signature.split("|")
        return next((part.removeprefix(name) for part in parts if part.startswith(name)), None)


@dataclass(frozen=True)
class RunDecision:
    """What a person decided about a run.

    Attributes:
        run_id: id of the run.
        dataset: the run's dataset.
        by: name of the person.
        why: the reason.
        expires: time at which the decision ends, in UTC; ``None``: never.
        id: the decision's id, the same in every history.
    """

    run_id: str
    dataset: str
    by: str
    why: str
    expires: datetime | None = field(default=None, kw_only=True)
    id: str = field(default_factory=new_id, kw_only=True)

    def is_stale(self, at: datetime) -> bool:
        """Return whether the decision has ended at a given time."""
        return self.expires is not None and at >= self.expires


@dataclass(frozen=True)
class Approval(RunDecision):
    """An approval of a run as the baseline of its dataset.

    Attributes:
        approved: time of the approval, in UTC.
    """

    approved: datetime = field(default_factory=now)

    @property
    def decided(self) -> datetime:
        """Time of the decision."""
        return self.approved


@dataclass(frozen=True)
class Rejection(RunDecision):
    """A rejection of a run: gates fail its outputs, and it is no baseline.

    It holds for all runs of the dataset with the same model and outputs, until it expires or such a run is
    approved.

    Attributes:
        rejected: time of the rejection, in UTC.
    """

    rejected: datetime = field(default_factory=now)

    @property
    def decided(self) -> datetime:
        """Time of the decision."""
        return self.rejected


def list_names(names: Iterable[str]) -> str:
    """Write up to five names, and the number of further ones.

    Examples:
        >>> list_names(["a", "b"]), list_names("abcdefg")
        ("'a', 'b'", "'a', 'b', 'c', 'd', 'e' and 2 more")
    """
    listed = list(names)
    shown = ", ".join(repr(name) for name in listed[:_NAMED])
    return shown if len(listed) <= _NAMED else f"{shown} and {len(listed) - _NAMED} more"


def short_hash(content: object) -> str:
    """Return a hash of JSON values, 12 hexadecimal digits."""
    text = json.dumps(content, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def find_id(name: str, ids: Sequence[str], what: str) -> str:
    """Find the id that equals a name or begins with it.

    Args:
        name: the id, or at least its first 4 characters.
        ids: all ids.
        what: what the ids name, such as ``run``, for messages.

    Returns:
        The id.

    Raises:
        UnknownNameError: the name matches no ID or several.

    Examples:
        >>> find_id("5a1f", ["5a1f0c", "77aa21"], "run")
        '5a1f0c'
    """
    if name in ids:
        return name
    alike = [id_ for id_ in ids if id_.startswith(name)]
    if len(alike) > 1 and len(name) >= _SHORTEST:
        raise UnknownNameError(
            f"{what} {name!r} is ambiguous: {list_names(_short(alike))} begin with it; use more characters"
        )
    if alike and len(name) < _SHORTEST:
        raise UnknownNameError(
            f"{what} must be an id or at least its first {_SHORTEST} characters, got {name!r}"
        )
    if not alike:
        raise UnknownNameError(f"unknown {what} {name[:60]!r}{near_id(name, ids)}")
    return alike[0]


def near_id(name: str, ids: Sequence[str]) -> str:
    """Suggest similar ids like ``near``, with ids shortened as in tables.

    Examples:
        >>> near_id("zzzz", ["102e35c70a2d4f13", "77aa210990214c0a"])
        " (known: '102e35c7', '77aa2109')"
    """
    return near(name, ids, shown=dict(zip(ids, _short(ids), strict=True)))


def _short(ids: Sequence[str]) -> list[str]:
    """Shorten IDs to eight characters, or to as many as are needed to distinguish them."""
    longest = max(map(len, ids), default=0)
    cuts = ([id_[:length] for id_ in ids] for length in range(SHOWN_OF_ID, longest))
    return next((cut for cut in cuts if len(set(cut)) == len(set(ids))), list(ids))


def near(name: str, known: Sequence[str], shown: Mapping[str, str] | None = None) -> str:
    """Return the end of a message that suggests a similar name, or says that the history has none.

    Args:
        name: the name that the user wrote.
        known: all names.
        shown: the form in which to show each name; by default unchanged.

    Examples:
        >>> near("fedback", ["feedback"]), near("x", [])
        (": did you mean 'feedback'?", ': the history has none')
    """
    if not known:
        return ": the history has none"
    # Ids are long, so a short name is compared with as many of their first characters.
    starts = {full[: max(len(name), _SHORTEST)]: full for full in reversed(known)}
    nearest = nearest_names(name, starts, n=_SUGGESTED)
    labels = shown or dict(zip(known, known, strict=True))
    if nearest:
        return f": did you mean {list_names(labels[starts[start]] for start in nearest)}?"
    return f" (known: {list_names(labels[full] for full in known)})"
