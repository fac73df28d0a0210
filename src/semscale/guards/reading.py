"""One reading of a text for all guards, kept for as long as the text is met again."""

from functools import lru_cache

from semscale.guards.findings import Span
from semscale.guards.names import Name, read_names
from semscale.guards.polarity import Polarity, read_polarity
from semscale.guards.quantities import Quantity, read_quantities
from semscale.guards.words import TextWords, is_english_script, same_but_for_marks


class AnalysedText:
    """What the guards see in a text; each part is worked out when it is first asked for.

    Attributes:
        text: the text.
        is_english_script: whether its letters are Latin.
        words: the words; none where the letters are others.
    """

    __slots__ = ("_names", "_polarity", "_quantities", "is_english_script", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_english_script = is_english_script(text)
        self.words = TextWords(text if self.is_english_script else "")
        self._polarity: Polarity | None = None
        self._quantities: list[Quantity] | None = None
        self._names: list[Name] | None = None

    @property
    def polarity(self) -> Polarity:
        """What it affirms and what it negates."""
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
        """Its named things."""
        if self._names is None:
            self._names = read_names(self.words)
        return self._names

    def span(self, first: int, last: int) -> Span:
        """Point at the words from the first to the last position, both included."""
        return self.place(*self.words.place(first, last))

    def place(self, start: int, end: int) -> Span:
        """Point at a stretch of characters."""
        return Span(start, end, self.text[start:end])


@lru_cache(maxsize=4096)
def analyse(text: str) -> AnalysedText:
    """Read a text once for all guards and all pairs in which it stands.

    Example:
        >>> [quantity.shown for quantity in analyse("take 5 mg").quantities]
        ['5 mg']
    """
    return AnalysedText(text)


def comparable(prediction: AnalysedText, reference: AnalysedText) -> bool:
    """Tell whether guards may look at a pair: two texts in Latin letters that are not one."""
    return prediction.text != reference.text and prediction.is_english_script and reference.is_english_script


@lru_cache(maxsize=512)
def differ(prediction: AnalysedText, reference: AnalysedText) -> bool:
    """Tell whether a pair differs in more than case, white space and marks; else nothing is reported.

    To tell costs more than most guards need to see that they find nothing, so they ask this last.
    """
    return not same_but_for_marks(prediction.text, reference.text)
