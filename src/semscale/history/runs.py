"""Runs of a model over a dataset, and approvals, which make a run the baseline."""

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from semscale.errors import InputError
from semscale.history.items import Item
from semscale.signature import Signature

_NAMED = 5
SHOWN_OF_ID = 8
"""Number of characters to which ids are shortened in output, unless more are needed to tell ids apart."""


def new_id() -> str:
    """Draw a random, globally unique id: 32 hexadecimal digits."""
    return uuid.uuid4().hex


def short_id(id_: str) -> str:
    """Return the first characters of an id, as shown in output; they are enough to name a run.

    Example:
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
        revision: Git revision of the working tree that it came from; ``None`` without one.
        note: a user's note.

    Raises:
        InputError: there are no items, an id occurs twice, or dataset or model are empty.
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
                raise InputError(f"{name} must not be empty: name the {name} that the outputs are from")
        if not self.items:
            raise InputError("a run must have at least one item, got none")
        twice = [name for name, n in Counter(item.id for item in self.items).items() if n > 1]
        if twice:
            raise InputError(f"item ids must occur once in a run, got {named(twice)} more than once")

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
        """Hash of the ids with their inputs, which tells versions of the dataset apart."""
        return hashed(sorted((item.id, item.input) for item in self.items))

    @cached_property
    def signature(self) -> Signature:
        """Dataset, ids with their inputs, and groups, which two runs must share to be comparable."""
        belong = sorted((item.id, sorted(item.groups.items())) for item in self.items)
        return Signature.of(
            "run",
            dataset=hashed(self.dataset) if set("|:") & set(self.dataset) else self.dataset,
            items=len(self.items),
            inputs=self.dataset_version,
            groups=hashed(belong) if self.group_kinds else None,
        )


@dataclass(frozen=True)
class Approval:
    """An approval of a run as the baseline of its dataset.

    Attributes:
        run_id: id of the run.
        dataset: the run's dataset.
        by: name of the person who approved it.
        why: the reason.
        approved: time of the approval, in UTC.
        expires: time at which the approval ends, in UTC; ``None``: never.
        id: the approval's id, the same in every history.
    """

    run_id: str
    dataset: str
    by: str
    why: str
    approved: datetime = field(default_factory=now)
    expires: datetime | None = None
    id: str = field(default_factory=new_id)

    def is_stale(self, at: datetime) -> bool:
        """Tell whether it has expired at a given time."""
        return self.expires is not None and at >= self.expires


def named(names: Iterable[str]) -> str:
    """List up to five names, and the number of further ones.

    Example:
        >>> named(["a", "b"]), named("abcdefg")
        ("'a', 'b'", "'a', 'b', 'c', 'd', 'e' and 2 more")
    """
    listed = list(names)
    shown = ", ".join(repr(name) for name in listed[:_NAMED])
    return shown if len(listed) <= _NAMED else f"{shown} and {len(listed) - _NAMED} more"


def hashed(content: object) -> str:
    """Hash content that JSON can represent; return 12 hexadecimal digits."""
    text = json.dumps(content, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
