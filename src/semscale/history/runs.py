"""A run: all that one model gave for one dataset at one time; and the approval that makes it the baseline."""

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
"""Characters of an id that are shown in its place, unless more are needed to tell ids apart."""


def new_id() -> str:
    """Draw an id that no other machine draws: 32 hexadecimal digits."""
    return uuid.uuid4().hex


def short_id(id_: str) -> str:
    """Give an id's first characters, which are shown in its place: enough to name a run by.

    Example:
        >>> short_id("4f9ce8981d4c4f0a8c2f1f1f0a8c2f1f")
        '4f9ce898'
    """
    return id_[:SHOWN_OF_ID]


def now() -> datetime:
    """Say what time it is, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Run:
    """All that one model gave for one dataset at one time.

    Attributes:
        dataset: the dataset's name.
        model: what gave the outputs, as its team calls it, such as ``gpt-4o-2024-08-06``.
        items: in the order of the file.
        id: names the run in every history.
        recorded: when, in UTC.
        rerun_of: id of the run whose model and prompt were asked once more, unchanged; reruns tell how far
            outputs differ by chance alone.
        revision: Git revision of the working tree it came from, where there is one.
        note: what somebody wrote about it.

    Raises:
        InputError: no items, an id that occurs twice, or a run without a dataset or a model.
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
        """Names of the numbers that outputs have, sorted."""
        return tuple(
            sorted({name for item in self.items for output in item.outputs for name in output.fields})
        )

    @cached_property
    def group_kinds(self) -> tuple[str, ...]:
        """Kinds of groups that items belong to, sorted."""
        return tuple(sorted({kind for item in self.items for kind in item.groups}))

    @cached_property
    def signature(self) -> Signature:
        """What two runs must agree on to be compared: dataset, ids with their inputs, and groups."""
        asked = sorted((item.id, item.input) for item in self.items)
        belong = sorted((item.id, sorted(item.groups.items())) for item in self.items)
        return Signature.of(
            "run",
            dataset=hashed(self.dataset) if set("|:") & set(self.dataset) else self.dataset,
            items=len(self.items),
            inputs=hashed(asked),
            groups=hashed(belong) if self.group_kinds else None,
        )


@dataclass(frozen=True)
class Approval:
    """Somebody's word that a run is the baseline of its dataset.

    Attributes:
        run_id: the run.
        dataset: its dataset.
        by: who approved it.
        why: for what reason.
        approved: when, in UTC.
        expires: from when on it no longer counts, in UTC; ``None``: never.
        id: names the approval in every history.
    """

    run_id: str
    dataset: str
    by: str
    why: str
    approved: datetime = field(default_factory=now)
    expires: datetime | None = None
    id: str = field(default_factory=new_id)

    def is_stale(self, at: datetime) -> bool:
        """Say whether it has expired at some time."""
        return self.expires is not None and at >= self.expires


def named(names: Iterable[str]) -> str:
    """Name a few of many, and how many more there are.

    Example:
        >>> named(["a", "b"]), named("abcdefg")
        ("'a', 'b'", "'a', 'b', 'c', 'd', 'e' and 2 more")
    """
    listed = list(names)
    shown = ", ".join(repr(name) for name in listed[:_NAMED])
    return shown if len(listed) <= _NAMED else f"{shown} and {len(listed) - _NAMED} more"


def hashed(content: object) -> str:
    """Hash anything that JSON can write, 12 hexadecimal digits."""
    text = json.dumps(content, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
