"""Presets of the layered match: as its published document describes it, and as its published code does it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LayeredPreset:
    """Settings in which document and code of the layered match differ.

    Attributes:
        name: as signatures have it.
        equality_first: texts that are equal but for case score 1, before any layer is computed.
        marks_apart: cleaning drops "the," because it reads a comma as a token of its own.
        cleaned_paragraph: the paragraph layer reads texts without stop words, as the sentence layer does.
        clipped_paragraph: a paragraph layer below the baseline counts as 0.
        baseline_pairs: how many unrelated pairs of references the baseline is the mean of.
        fixed_baseline: the baseline where there are fewer than two references a pair, as each is used once;
            ``None`` where pairs of references are drawn from all there are.
        unseen_idf: weight of a word piece that no reference holds; ``None`` for what the formula gives.
    """

    name: str
    equality_first: bool
    marks_apart: bool
    cleaned_paragraph: bool
    clipped_paragraph: bool
    baseline_pairs: int
    fixed_baseline: float | None
    unseen_idf: float | None


PRESETS = {
    preset.name: preset
    for preset in (
        LayeredPreset(
            name="cliniqlink-doc",
            equality_first=False,
            marks_apart=True,
            cleaned_paragraph=False,
            clipped_paragraph=False,
            baseline_pairs=100,
            fixed_baseline=None,
            unseen_idf=None,
        ),
        LayeredPreset(
            name="cliniqlink-code",
            equality_first=True,
            marks_apart=False,
            cleaned_paragraph=True,
            clipped_paragraph=True,
            baseline_pairs=50,
            fixed_baseline=0.3,
            unseen_idf=1.0,
        ),
    )
}
