"""Rows without a score, as pages of matches and of consistency show them."""

from dataclasses import dataclass

from semscale.report.wording import Clipped


@dataclass(frozen=True)
class LeftOut:
    """Rows without a score for one reason, with examples."""

    status: str
    meaning: str
    rows: str
    share: str
    examples: tuple[tuple[str, Clipped], ...]
