"""Marking of words without a partner in the other text, by the tokens that BERTScore matched."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from semscale.guards.findings import Finding
from semscale.matching.token_scores import ExplainedSide, Explanation

NO_PARTNER = 0.6
"""A word has no partner if its cosine with the nearest token is below this."""

_WORD = re.compile(r"\S+")
_EDGES = ".,;:!?\"'()[]«»“”„‘’…"


@dataclass(frozen=True)
class MarkedText:
    """A text in which words without a partner, and words of a guard's finding, are marked.

    Attributes:
        text: the text with marks.
        alone: the words without a partner in order, each with the cosine of the nearest token.
    """

    text: str
    alone: tuple[tuple[str, float], ...]


def mark_words(explanation: Explanation, findings: Iterable[Finding]) -> tuple[MarkedText, MarkedText]:
    """Mark the words that differ, as ``[-approved-]`` and ``{+now+}``.

    Args:
        explanation: BERTScore's matches of the actual text (prediction) with the approved one (reference).
        findings: findings of the guards.

    Returns:
        The approved text, and the actual text.
    """
    found = list(findings)
    ours = [span for finding in found if (span := finding.reference) is not None]
    theirs = [span for finding in found if (span := finding.prediction) is not None]
    return (
        _marked(explanation.reference, [(span.start, span.end) for span in ours], ("[-", "-]")),
        _marked(explanation.prediction, [(span.start, span.end) for span in theirs], ("{+", "+}")),
    )


def _marked(side: ExplainedSide, spans: list[tuple[int, int]], marks: tuple[str, str]) -> MarkedText:
    pieces, alone, end = [], [], 0
    for word in _WORD.finditer(side.text):
        pieces.append(side.text[end : word.start()])
        end = word.end()
        shown = word.group().strip(_EDGES) or word.group()
        similarity = _similarity(side, word.start(), word.end())
        lonely = similarity is not None and similarity < NO_PARTNER
        in_finding = any(start < word.end() and word.start() < stop for start, stop in spans)
        if lonely and similarity is not None:
            alone.append((shown, similarity))
        changed = lonely or in_finding
        pieces.append(
            word.group().replace(shown, f"{marks[0]}{shown}{marks[1]}", 1) if changed else word.group()
        )
    return MarkedText("".join([*pieces, side.text[end:]]), tuple(alone))


def _similarity(side: ExplainedSide, start: int, end: int) -> float | None:
    """Return the mean cosine of a word's letters and digits with their partners; ``None`` without any."""
    inside = [
        float(similarity)
        for (first, last), similarity in zip(side.offsets.tolist(), side.similarity, strict=True)
        if start <= first < last <= end and any(mark.isalnum() for mark in side.text[first:last])
    ]
    return sum(inside) / len(inside) if inside else None
