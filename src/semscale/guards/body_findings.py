"""Parts of the body that one text calls clear or normal, and findings in them that the other text states.

"The lung is clear" and "there is no infiltrate" say the same; "there is an infiltrate" contradicts both.
"""

from functools import cache
from typing import NamedTuple

from semscale.guards.lexicons import read_lexicon
from semscale.guards.polarity import Polarity

_MOST_COMPARED = 50
_PICTURE = "picture"


class BodyStatement(NamedTuple):
    """A word about a part of the body.

    Attributes:
        at: position among the words.
        says_finding: whether it says that there is a finding: "an infiltrate", "not clear".
    """

    at: int
    says_finding: bool


def may_state_findings(polarity: Polarity) -> bool:
    """Check quickly whether a text may call a part of the body clear or state a finding."""
    distinct = polarity.words.distinct
    return not (distinct.isdisjoint(_words("clear")) and distinct.isdisjoint(_words("findings")))


def contradicting_findings(prediction: Polarity, reference: Polarity) -> list[tuple[int, int]]:
    """Find what is clear in one text and has a finding in the other, by positions of the words.

    Example:
        >>> from semscale.guards.polarity import read_polarity
        >>> from semscale.guards.words import TextWords
        >>> texts = "The lung is clear.", "There is an infiltrate."
        >>> contradicting_findings(*(read_polarity(TextWords(text)) for text in texts))
        [(3, 3)]
    """
    if not (may_state_findings(prediction) and may_state_findings(reference)):
        return []
    turned = [(there, here) for here, there in _clashes(reference, prediction)]
    return sorted({*_clashes(prediction, reference), *turned})


def _clashes(clear: Polarity, finding: Polarity) -> list[tuple[int, int]]:
    """Compare what one text calls clear with the other's findings, if both speak of the same part."""
    clears, findings = _statements(clear, "clear"), _statements(finding, "findings")
    mixed = _statements(clear, "findings") or _statements(finding, "clear")
    if not clears or mixed or len({one.says_finding for one in findings}) != 1:
        return []
    where, there = _parts(clear), _parts(finding)
    if not where or (there and not where & there and _PICTURE not in where | there):
        return []
    pairs = ((one, other) for one in clears[:_MOST_COMPARED] for other in findings[:1])
    return [(one.at, other.at) for one, other in pairs if one.says_finding != other.says_finding]


def _statements(polarity: Polarity, group: str) -> list[BodyStatement]:
    """List the words of a group with what they say, negations counted."""
    words = _words(group)
    return [
        BodyStatement(at, polarity.is_negated(at) == (group == "clear"))
        for at, text in enumerate(polarity.words.texts)
        if text in words
    ]


def _parts(polarity: Polarity) -> frozenset[str]:
    """Return the parts of the body that a text names, by the first word of their lines."""
    known = _part_names()
    return frozenset(known[text] for text in polarity.words.distinct if text in known)


@cache
def _part_names() -> dict[str, str]:
    lexicon = read_lexicon("body_findings")
    lines = [line.split() for line in lexicon["parts"]]
    return {word: line[0] for line in lines for word in line} | dict.fromkeys(
        lexicon["pictures"].split(), _PICTURE
    )


@cache
def _words(group: str) -> frozenset[str]:
    return frozenset(read_lexicon("body_findings")[group].split())
