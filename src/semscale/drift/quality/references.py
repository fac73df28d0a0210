"""References of a comparison's items: those of the candidate's run, or else of the baseline's."""

from dataclasses import dataclass

from semscale.history.runs import Run, hashed, named


@dataclass(frozen=True)
class ItemReferences:
    """Answers that are known to be right.

    Attributes:
        texts: one for each of n items; ``None`` without one.
        corrected: ids of items whose reference in the candidate's run is another one than in the baseline's.
    """

    texts: tuple[str | None, ...]
    corrected: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any(text is not None for text in self.texts)

    @property
    def distinct(self) -> list[str]:
        """The texts, each once."""
        return list(dict.fromkeys(text for text in self.texts if text is not None))

    @property
    def name(self) -> str:
        """Count and hash for the signature."""
        return f"{sum(text is not None for text in self.texts)}#{hashed(self.texts)}"

    @property
    def cautions(self) -> tuple[str, ...]:
        """Say which references have changed since the baseline was recorded."""
        if not self.corrected:
            return ()
        n = len(self.corrected)
        return (
            f"{n} item{'s have' if n > 1 else ' has'} another reference than the baseline's run: "
            f"{named(self.corrected)}; both runs are held against the candidate's",
        )


def references_of(baseline: Run, candidate: Run) -> ItemReferences:
    """Collect the references of two runs with the same items; those of the candidate's run go first.

    They are the newer ones. Both runs are held against the same ones.

    Example:
        >>> from semscale.history.items import Item
        >>> old = Run("sums", "a", (Item("1", (), reference="3"), Item("2", (), reference="4")))
        >>> new = Run("sums", "b", (Item("1", (), reference="2"), Item("2", ())))
        >>> references_of(old, new)
        ItemReferences(texts=('2', '4'), corrected=('1',))
    """
    texts, corrected = [], []
    for ours, theirs in zip(baseline.items, candidate.items, strict=True):
        before, after = _text(ours.reference), _text(theirs.reference)
        texts.append(before if after is None else after)
        if None not in (before, after) and before != after:
            corrected.append(ours.id)
    return ItemReferences(tuple(texts), tuple(corrected))


def _text(reference: str | None) -> str | None:
    """A blank reference is none."""
    return reference if reference is not None and reference.strip() else None
