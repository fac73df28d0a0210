"""Analysis of a text for all guards, cached for texts that occur in many pairs."""

from functools import lru_cache

from semscale.guards.claims.wording import Wording
from semscale.guards.findings import Span
from semscale.guards.names import Name, read_names
from semscale.guards.numbers.quantities import Quantity, read_quantities
from semscale.guards.polarity import Polarity, read_polarity
from semscale.guards.words import TextWords, is_english_script, same_but_for_marks


class AnalysedText:
    """A text's words, wording, polarity, quantities and names; each is computed when it is first needed.

    Attributes:
        text: the text.
        is_english_script: whether most letters are Latin (see ``words.is_english_script``).
        words: its words; none if the letters are not Latin.
    """

    __slots__ = ("_names", "_polarity", "_quantities", "_wording", "is_english_script", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_english_script = is_english_script(text)
        self.words = TextWords(text if self.is_english_script else "")
        self._polarity: Polarity | None = None
        self._quantities: list[Quantity] | None = None
        self._names: list[Name] | None = None
        self._wording: Wording | None = None

    @property
    def wording(self) -> Wording:
        """Its phrases and content words for the guards of claims."""
        if self._wording is None:
            self._wording = Wording(self.words)
        return self._wording

    @property
    def polarity(self) -> Polarity:
        """The signs of its content words."""
        if self._polarity is None:
            self._polarity = read_polarity(self.words)
        return self._polarity

    @property
    def quantities(self) -> list[Quantity]:
        """Its numbers and labels."""
        if self._quantities is None:
            self._quantities = read_quantities(self.words)
        return self._quantities

    @property
    def names(self) -> list[Name]:
        """Its names."""
        if self._names is None:
            found = read_names(self.words)
            self._names = self._apart_from_quantities(found) if found else found
        return self._names

    def _apart_from_quantities(self, names: list[Name]) -> list[Name]:
        """Drop what only looks like a name: the unit in "5 mM", the label in "chapter IV", an ordinal."""
        taken = {at for one in self.quantities if one.unit or one.label for at in range(one.start, one.end)}
        ordinals = {(one.start, one.end) for one in self.quantities if one.weak}
        return [
            name
            for name in names
            if taken.isdisjoint(range(name.start, name.end))
            and (name.kind == "month" or (name.start, name.end) not in ordinals)
        ]

    def span(self, first: int, last: int) -> Span:
        """Return the span of the words from the first to the last position, both included."""
        return self.place(*self.words.place(first, last))

    def place(self, start: int, end: int) -> Span:
        """Return the span from one character up to, without, another."""
        return Span(start, end, self.text[start:end])


@lru_cache(maxsize=4096)
def analyse(text: str) -> AnalysedText:
    """Return the analysis of a text; recent ones are cached.

    Example:
        >>> [quantity.shown for quantity in analyse("take 5 mg").quantities]
        ['5 mg']
    """
    return AnalysedText(text)


def comparable(prediction: AnalysedText, reference: AnalysedText) -> bool:
    """Tell whether guards check a pair: its texts differ, and both are in Latin letters."""
    return prediction.text != reference.text and prediction.is_english_script and reference.is_english_script


@lru_cache(maxsize=512)
def differ(prediction: AnalysedText, reference: AnalysedText) -> bool:
    """Tell whether a pair differs in more than case, white space and marks; if not, nothing is reported.

    This check takes longer than most guards' own search, so they call it last.
    """
    return not same_but_for_marks(prediction.text, reference.text)
