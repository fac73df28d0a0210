"""Names what a number or a level name can be there for in a judge's reply."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """Why a number or a level name stands in a reply."""

    STATED = "stated"
    """The score of the answer, said beyond doubt."""
    FINAL = "final"
    """The score of everything, after those of parts."""
    CORRECTED = "corrected"
    """A score that replaces the ones before it."""
    AGREEING = "agreeing"
    """Said of the answer in passing: it states no score by itself, and contradicts another one."""
    IMPLIED = "implied"
    """Stands for the score in a loose sentence, if nothing else in the reply states one."""
    DRAFT = "draft"
    """A score that the judge does not keep."""
    PART = "part"
    """The score of a part or of one aspect."""
    QUOTED = "quoted"
    """Words of others."""
    LIST_NUMBER = "list number"
    """The number of an item of a list."""
    SCALE = "scale"
    """Describes the scale that was asked for."""
    OFF_SCALE = "off scale"
    """Given as a score, and no level as it is written."""
    CONFIDENCE = "confidence"
    """How sure the judge is."""
    DEDUCTION = "deduction"
    """Taken off or added, with the result still to come."""
    OF_ANOTHER = "of another"
    """The score of another answer."""
    ATTRIBUTED = "attributed"
    """Somebody else's wish or words."""
    DENIED = "denied"
    """A score that the judge does not give."""
    HYPOTHETICAL = "hypothetical"
    """Would hold under a condition, or is an example."""
    WITHDRAWN = "withdrawn"
    """A score that was said before and is taken back here."""
    DOUBTFUL = "doubtful"
    """A bound, a guess, or one of several that are offered."""
    UNEXPLAINED = "unexplained"
    """Stands where scores are spoken of, and no rule says why."""
    CONTENT = "content"
    """Part of what the answer is about."""


STANDING = frozenset({Role.STATED, Role.FINAL, Role.CORRECTED, Role.AGREEING})
"""Roles that say which score the answer has."""


@dataclass(frozen=True)
class Surroundings:
    """What stands around a mention in the reply.

    Attributes:
        quoted: whether it stands in the words of others.
        scale: whether it describes a scale: its own (``True``), another one (``False``), or none.
        other_scale: whether its sentence names another scale.
        earlier: whether a level was stated before it.
        score_last: whether the explanation was asked for first.
        filler: whether its name often only opens a sentence, as ``Right`` does.
        numbered: whether the scale has numbers, of which something may be taken off.
        standing: whether a score was stated before it.
        denied: whether the mention before it is denied.
        attributed: whether the mention before it is somebody else's wish or words.
        supposed: whether the sentence before it puts a case: ``Suppose it is true.``
        signed: whether the scale has numbers below zero, so that a dash may be a minus.
    """

    quoted: bool = False
    scale: bool | None = None
    other_scale: bool = False
    earlier: bool = False
    score_last: bool = False
    filler: bool = False
    signed: bool = False
    supposed: bool = False
    numbered: bool = True
    standing: bool = False
    denied: bool = False
    attributed: bool = False
