"""Which words of two texts found no partner in the other one, by the tokens that BERTScore matched."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from semscale.guards.findings import Finding
from semscale.matching.bertscore.explanation import ExplainedSide, Explanation

NO_PARTNER = 0.6
"""Cosine with its nearest token below which a word counts as having no partner."""

_WORD = re.compile(r"\S+")
_EDGES = ".,;:!?\"'()[]«»“”„‘’…"


@dataclass(frozen=True)
class MarkedText:
    """A text in which words are marked that found no partner or that a guard names.

    Attributes:
        text: with the marks.
        alone: the words without a partner, with the cosine of their nearest partner, in their order.
    """

    text: str
    alone: tuple[tuple[str, float], ...]


def mark_words(explanation: Explanation, findings: Iterable[Finding]) -> tuple[MarkedText, MarkedText]:
    """Mark the words that differ, as ``[-approved-]`` and ``{+now+}``.

    Args:
        explanation: of the text now (the prediction) and the approved one (the reference).
        findings: what guards found in the two.

    Returns:
        The approved text, and the text now.
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
    """Give the mean cosine of a word's letters and digits with their partners; ``None`` where it has none."""
    inside = [
        float(similarity)
        for (first, last), similarity in zip(side.offsets.tolist(), side.similarity, strict=True)
        if start <= first < last <= end and any(mark.isalnum() for mark in side.text[first:last])
    ]
    return sum(inside) / len(inside) if inside else None
