"""Summaries of several columns of texts that were rated in one run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from semscale.presentable import Presentable
from semscale.rating.summary import RatingSummary


@dataclass(frozen=True, repr=False)
class RatingSummaries(Presentable):
    """What was measured in several columns of texts of one table.

    Attributes:
        source: name of the input, without folders.
        texts: the summary of each column, by its name, in the order in which they were named.
        input_notes: how the table was read, such as the rows that a condition left out.
        created: when the summary was made.
    """

    source: str
    texts: Mapping[str, RatingSummary]
    input_notes: tuple[str, ...] = ()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        return f"RatingSummaries(source={self.source!r}, texts={list(self.texts)})"

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "rate texts",
            "source": self.source,
            "created": self.created,
            "texts": [{"text": text, **summary.record()} for text, summary in self.texts.items()],
        }
