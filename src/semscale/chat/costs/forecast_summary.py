"""What asking about a table would take, before anything is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from semscale.chat.costs.forecast import Forecast, FurtherCalls
from semscale.presentable import Presentable


@dataclass(frozen=True, repr=False)
class ForecastSummary(Presentable):
    """What asking would take.

    Attributes:
        source: what the table is called.
        forecasts: of each model, by its name.
        n: items that would be asked about.
        left_out: items that would not, by status.
        noun: what an item is called.
        note: what a reader should know of the counts.
        cautions: why the run would not get as far as this, such as caps that it would reach.
    """

    source: str
    forecasts: Mapping[str, Forecast]
    n: int
    left_out: Mapping[str, int]
    noun: str = "row"
    note: str = "Nobody was asked."
    cautions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"ForecastSummary(source={self.source!r}, n={self.n:,}, models={list(self.forecasts)})"

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "forecast",
            "source": self.source,
            "asked": self.n,
            "left_out": self.left_out,
            "models": [_record(name, found) for name, found in self.forecasts.items()],
        }


def _record(name: str, found: Forecast) -> dict[str, Any]:
    return {
        "model": name,
        "requests": found.requests,
        "answered": found.answered,
        "repeated": found.repeated,
        "calls": found.calls,
        "prompt_tokens": found.most.prompt_tokens,
        "reply_tokens": found.most.completion_tokens,
        "open_ended": found.open_ended,
        "money": found.money,
        "currency": found.currency or None,
        "price_note": found.price_note or None,
        "corrections": _further(found.corrections),
        "repetitions": _further(found.repetitions),
        "stand_ins": _further(found.stand_ins),
    }


def _further(calls: FurtherCalls) -> dict[str, Any]:
    return {
        "calls": calls.calls,
        "prompt_tokens": calls.most.prompt_tokens,
        "reply_tokens": calls.most.completion_tokens,
        "money": calls.money,
    }
