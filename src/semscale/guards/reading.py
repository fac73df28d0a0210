"""One reading of a text for all guards, kept for as long as the text is met again."""

from functools import cached_property, lru_cache

from semscale.guards.findings import Span
from semscale.guards.names import Name, read_names
from semscale.guards.polarity import Polarity, read_polarity
from semscale.guards.quantities import Quantity, read_quantities
from semscale.guards.words import Word, is_english_script, plain, read_words


class Reading:
    """What the guards see in a text; each part is worked out when it is first asked for.

    Attributes:
        text: the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def plain(self) -> str:
        """The text without case, white space and marks."""
        return plain(self.text)

    @cached_property
    def words(self) -> list[Word]:
        """The words with their places; none where the text is not in Latin letters."""
        return read_words(self.text) if self.is_english_script else []

    @cached_property
    def is_english_script(self) -> bool:
        """Whether its letters are Latin."""
        return is_english_script(self.text)

    @cached_property
    def polarity(self) -> Polarity:
        """What it affirms and what it negates."""
        return read_polarity(self.words)

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Its numbers and labels."""
        return read_quantities(self.text, self.words)

    @cached_property
    def names(self) -> list[Name]:
        """Its named things."""
        return read_names(self.text, self.words)

    def span(self, first: int, last: int) -> Span:
        """Point at the words from the first to the last position, both included."""
        start, end = self.words[first].start, self.words[last].end
        return Span(start, end, self.text[start:end])

    def place(self, start: int, end: int) -> Span:
        """Point at a stretch of characters."""
        return Span(start, end, self.text[start:end])


@lru_cache(maxsize=4096)
def analyse(text: str) -> Reading:
    """Read a text once for all guards and all pairs in which it stands.

    Example:
        >>> [quantity.shown for quantity in analyse("take 5 mg").quantities]
        ['5 mg']
    """
    return Reading(text)


def comparable(prediction: Reading, reference: Reading) -> bool:
    """Tell whether guards may look at a pair: two different texts in Latin letters."""
    return (
        prediction.plain != reference.plain and prediction.is_english_script and reference.is_english_script
    )
