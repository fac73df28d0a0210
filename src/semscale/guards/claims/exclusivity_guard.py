"""The exclusivity guard: reports "only this" beside "this too", "all but this", or the plain statement."""

from semscale.guards.claims.claim_guard import ClaimGuard
from semscale.guards.claims.counterparts import are_turned
from semscale.guards.claims.events import denied_otherwise, says_no
from semscale.guards.claims.phrases import Cue
from semscale.guards.claims.wording import Wording, alignment, first_of, kinds_of, similarity
from semscale.guards.clauses import sentence_end, sentence_start
from semscale.guards.reading import AnalysedText

OTHER_EXCLUSIVITY = "other-exclusivity"
_ONLY = "only"
_EXCEPTING = ("except", "besides")
_CONTRAST = "contrast"
_SOFT = ("just", "simply", "mere", "merely", "purely")
_NEEDS = frozenset(("must", "need", "needs", "needed", "require", "requires", "required", "necessary"))
_TELLING = ("only", "except", "also", "even")
_CONFLICTS = frozenset(
    frozenset(pair)
    for pair in (
        ("only", "also"),
        ("only", "even"),
        ("only", "except"),
        ("only", ""),
        ("except", ""),
        ("except", "also"),
        ("except", "even"),
    )
)
_TURNED = frozenset(("only", "except"))
_ALIKE, _ALIKE_BOTH = 0.8, 0.6
_CLAUSE_STARTS = frozenset(("that", "and", "but", "because", "if", "when", "as", "so", "while"))


class ExclusivityGuard(ClaimGuard):
    """Finds restrictions to one thing that the other text lacks, lifts or turns round.

    Example:
        >>> found = ExclusivityGuard().check("Only admins can log in.", "Even admins can log in.")
        >>> found[0].kind, found[0].prediction.text, found[0].reference.text
        ('other-exclusivity', 'Only', 'Even')
        >>> ExclusivityGuard().check("Only admins can log in.", "Nobody but admins can log in.")
        []
    """

    name = "exclusivity"
    kinds = (OTHER_EXCLUSIVITY,)
    difference = "One text excludes what the other does not"

    def _conflict(self, ours: AnalysedText, theirs: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        cues = _cues(ours.wording), _cues(theirs.wording)
        if not any(cues):
            return None
        first = first_of(cues[0], _TELLING), first_of(cues[1], _TELLING)
        return first if _differ(ours, theirs, cues, first) else None


def _cues(wording: Wording) -> list[Cue]:
    """Return the phrases of a text; "nothing except this" says "only this"."""
    return [
        cue._replace(kind=_ONLY) if cue.kind in _EXCEPTING and _is_denied_around(wording, cue) else cue
        for cue in wording.cues(ExclusivityGuard.name)
    ]


def _is_denied_around(wording: Wording, cue: Cue) -> bool:
    texts = wording.words.texts
    return any(
        says_no(text) for text in texts[sentence_start(texts, cue.first) : sentence_end(texts, cue.last)]
    )


def _differ(
    ours: AnalysedText,
    theirs: AnalysedText,
    cues: tuple[list[Cue], list[Cue]],
    first: tuple[Cue | None, Cue | None],
) -> bool:
    kinds = frozenset(cue.kind if cue else "" for cue in first)
    one, other = first
    if one and other and one.kind == other.kind == _ONLY:
        return _moved((ours.wording, one), (theirs.wording, other)) and _are_aligned(ours, theirs)
    if kinds_of(cues[0]) & kinds_of(cues[1]) or kinds not in _CONFLICTS:
        return False
    if kinds == _TURNED and are_turned(ours, theirs):
        return False
    if not any(
        cue and not _is_soft(text.wording, cue) for text, cue in zip((ours, theirs), first, strict=True)
    ):
        return False
    if None in first:
        lacking, having = (ours, theirs) if one is None else (theirs, ours)
        said = _ONLY in kinds and _says_it_otherwise(lacking, having)
        excused = said or _is_excused(ours, theirs, cues[first.index(None)])
        return not excused and _are_aligned(ours, theirs)
    return similarity(ours.wording, theirs.wording, ExclusivityGuard.name) >= _ALIKE_BOTH


def _is_excused(ours: AnalysedText, theirs: AnalysedText, cues: list[Cue]) -> bool:
    """Tell whether the text without a telling phrase says it by a contrast, or by another negation."""
    return _CONTRAST in kinds_of(cues) or denied_otherwise(ours.wording, theirs.wording)


def _says_it_otherwise(text: AnalysedText, other: AnalysedText) -> bool:
    """Tell whether a text without a telling phrase restricts in a weaker way: "just", "requires"."""
    words = text.words.distinct
    return not words.isdisjoint(_SOFT) or (
        not words.isdisjoint(_NEEDS) and other.words.distinct.isdisjoint(_NEEDS)
    )


def _are_aligned(ours: AnalysedText, theirs: AnalysedText) -> bool:
    return alignment(ours.wording, theirs.wording, ExclusivityGuard.name) >= _ALIKE


def _is_soft(wording: Wording, cue: Cue) -> bool:
    """Tell whether a phrase is often said for emphasis alone: "just try it"."""
    return wording.words.texts[cue.first] in _SOFT


def _moved(one: tuple[Wording, Cue], other: tuple[Wording, Cue]) -> bool:
    """Tell whether "only" restricts the subject in one text, and something behind it in the other.

    "I only ate two" and "I ate only two" say the same; "only I ate two" does not.
    """
    if one[1].first != one[1].last or other[1].first != other[1].last or _begins(*one) == _begins(*other):
        return False
    (first, cue), (second, moved) = (one, other) if _begins(*one) else (other, one)
    subject = next((stem for at, stem in first.content.items() if at > cue.last), "")
    return subject in second.stems(0, moved.first)


def _begins(wording: Wording, cue: Cue) -> bool:
    """Tell whether a word stands at the start of its clause."""
    before = wording.words.texts[cue.first - 1] if cue.first else "."
    return not before[0].isalnum() or before in _CLAUSE_STARTS
