"""Findings of the guards of claims: the phrase in either text, and one sentence about them."""

from semscale.guards.claims.phrases import Cue
from semscale.guards.findings import Finding, Span
from semscale.guards.reading import AnalysedText, differ


def report(
    guard: str,
    kind: str,
    texts: tuple[AnalysedText, AnalysedText],
    cues: tuple[Cue | None, Cue | None],
    difference: str,
) -> list[Finding]:
    """Return one finding about the phrases of two texts, or none if the texts differ in marks alone.

    Args:
        guard: the guard's name.
        kind: the kind of difference.
        texts: the prediction and the reference.
        cues: the phrase in either; ``None`` if there is none.
        difference: what differs, without the full stop.
    """
    if not differ(*texts):
        return []
    here, there = (_span(text, cue) for text, cue in zip(texts, cues, strict=True))
    return [Finding(guard, kind, f"{difference}: {_beside(here, there)}.", here, there)]


def _span(text: AnalysedText, cue: Cue | None) -> Span | None:
    return None if cue is None else text.span(cue.first, cue.last)


def _beside(here: Span | None, there: Span | None) -> str:
    if here and there:
        return f'the prediction says "{here.text}", the reference "{there.text}"'
    if here:
        return f'the prediction says "{here.text}", the reference does not'
    return f'the reference says "{there.text}", the prediction does not' if there else "in other words"
