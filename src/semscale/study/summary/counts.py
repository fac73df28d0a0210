"""Counts of a study's answers by status, and what they took, for each method and group."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.types import Status, count_statuses


@dataclass(frozen=True)
class StatusCounts:
    """Answers by status.

    Attributes:
        method: how they were measured.
        attribute: of personas; ``None`` for all personas.
        group: the attribute's value; ``None`` for all personas, and for those without one.
        counts: answers by status; ``scored`` have a rating.
        model: that answered; ``None`` where the study has one alone.
    """

    method: str
    attribute: str | None
    group: str | None
    counts: Mapping[str, int]
    model: str | None = None

    @property
    def n(self) -> int:
        """Answers altogether."""
        return sum(self.counts.values())

    def share(self, status: Status) -> float:
        """Share of the answers with a status, 0 to 1."""
        return self.counts.get(str(status), 0) / self.n


@dataclass(frozen=True)
class MethodCost:
    """What the answers by one method took, whenever they were given.

    Attributes:
        method: how they were measured; a text that both ``ssr`` and ``flr`` use counts with ``ssr``.
        n: answers whose tokens are known.
        tokens: of their calls; ``None`` where none are known.
        money: what they cost; ``None`` likewise.
        seconds: median of an answer's calls; ``None`` likewise.
        model: that answered; ``None`` where the study has one alone.
    """

    method: str
    n: int
    tokens: int | None
    money: float | None
    seconds: float | None
    model: str | None = None


def attribute_column(attribute: str) -> str:
    """Name the column of a persona's attribute beside the columns of answers, which may have its name."""
    return f"attribute {attribute}"


def status_counts(rows: pl.DataFrame, attributes: tuple[str, ...]) -> Iterator[StatusCounts]:
    """Count answers by status, for each method and then for each of its groups.

    Args:
        rows: answers, with a column for each attribute.
        attributes: of personas.
    """
    for (method,), own in rows.group_by("method", maintain_order=True):
        yield StatusCounts(str(method), None, None, _counts(own))
        for attribute in attributes:
            column = attribute_column(attribute)
            for (group,), part in own.sort(column).group_by(column, maintain_order=True):
                yield StatusCounts(
                    str(method), attribute, None if group is None else str(group), _counts(part)
                )


def method_costs(rows: pl.DataFrame) -> Iterator[MethodCost]:
    """Sum up what the answers by each method took."""
    for (method,), own in rows.group_by("method", maintain_order=True):
        known = own["tokens"].drop_nulls()
        money, seconds = own["cost"].drop_nulls(), own["seconds"].drop_nulls()
        yield MethodCost(
            str(method),
            len(known),
            int(known.sum()) if len(known) else None,
            float(money.sum()) if len(money) else None,
            float(np.median(seconds.to_numpy())) if len(seconds) else None,
        )


def _counts(rows: pl.DataFrame) -> dict[str, int]:
    found = count_statuses(Status(status) for status in rows["status"])
    return {str(status): n for status, n in found.items()}
