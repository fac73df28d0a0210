"""Why answers have no rating, each reason with the words of one such answer."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.types import Status


@dataclass(frozen=True)
class UnratedReason:
    """Answers that have no rating for one reason.

    Attributes:
        method: how they were to be measured.
        status: what became of them.
        reason: why, in words; the status where there are none.
        n: answers.
        reply: words of one of them, drawn at random; the expert's where these could not be read. ``None``
            where nothing was said.
        model: that answered; ``None`` where the study has one alone.
    """

    method: str
    status: str
    reason: str
    n: int
    reply: str | None
    model: str | None = None


def unrated_reasons(answers: pl.DataFrame, *, seed: int) -> Iterator[UnratedReason]:
    """Count why answers have no rating; the most frequent reason first.

    Args:
        answers: all of them.
        seed: of the draw of words.
    """
    rng = np.random.default_rng(seed)
    rows = answers.filter(pl.col("status") != str(Status.SCORED)).with_columns(
        pl.coalesce("reason", "status").alias("reason"),
        pl.coalesce("rating_reply", "reply").alias("reply"),
    )
    found = []
    for (method, status, reason), own in rows.group_by("method", "status", "reason", maintain_order=True):
        said = own["reply"].drop_nulls()
        said = said.filter(said.str.strip_chars() != "")
        reply = str(said[int(rng.integers(len(said)))]) if len(said) else None
        found.append(UnratedReason(str(method), str(status), str(reason), own.height, reply))
    yield from sorted(found, key=lambda each: -each.n)
