"""Preparation of texts before they are measured: a model's reasoning and HTML are removed or kept."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from semscale.html_texts import has_html, html_text
from semscale.reasoning import split_reasoning
from semscale.settings import Option, Settings, Signed
from semscale.spelling import hint

TEXTS = "Texts"
"""Title of the options' panel in the help."""

Reasoning = Annotated[
    Literal["remove", "keep"],
    Field(
        title="Reasoning of models",
        description="Reasoning of a model before its answer, such as <think>...</think>: remove or keep.",
    ),
    Option(TEXTS, rare=True),
    Signed(unless_default=True),
]
Html = Annotated[
    Literal["keep", "text"],
    Field(
        title="HTML in texts",
        description="HTML in texts: keep, or text to measure the text without tags and entities.",
    ),
    Option(TEXTS, rare=True),
    Signed(unless_default=True),
]


class TextWarning(UserWarning):
    """Texts have parts that are probably not meant to be measured."""


@dataclass
class TextCounts:
    """Numbers of texts by what they contain.

    Attributes:
        texts: number of texts.
        reasoning: number of those that begin with reasoning.
        unanswered: number of those that consist of reasoning.
        html: number of those with HTML.
    """

    texts: int = 0
    reasoning: int = 0
    unanswered: int = 0
    html: int = 0

    def add(self, other: "TextCounts") -> None:
        """Add the numbers of further texts."""
        self.texts += other.texts
        self.reasoning += other.reasoning
        self.unanswered += other.unanswered
        self.html += other.html


@dataclass(frozen=True)
class TextPreparation:
    """Treatment of reasoning and HTML in texts.

    Attributes:
        reasoning: ``remove`` or ``keep``.
        html: ``keep``, or ``text`` for the text without tags and entities.

    Examples:
        >>> TextPreparation("remove", "text").prepare(["<think>So.</think>Fish &amp; chips", None, 3])
        ['Fish & chips', None, 3]
    """

    reasoning: Literal["remove", "keep"] = "keep"
    html: Literal["keep", "text"] = "keep"

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Return the preparation that an instrument's settings name."""
        return cls(getattr(settings, "reasoning", "keep"), getattr(settings, "html", "keep"))

    def prepare(self, cells: Any, counts: TextCounts | None = None) -> Any:
        """Prepare a text, or all texts in nested lists and tuples; other values are returned unchanged.

        Args:
            cells: the texts.
            counts: numbers to which those of the texts are added.
        """
        if isinstance(cells, str):
            return self._prepare_text(cells, counts or TextCounts())
        if hasattr(cells, "__len__") and not isinstance(cells, list | tuple):
            to_list = getattr(cells, "tolist", None) or getattr(cells, "to_list", None)
            cells = cells if to_list is None else to_list()  # an array or a series
        if isinstance(cells, list):
            return [self.prepare(cell, counts) for cell in cells]
        if isinstance(cells, tuple):
            values = [self.prepare(cell, counts) for cell in cells]
            return type(cells)(*values) if hasattr(cells, "_fields") else tuple(values)
        return cells

    def _prepare_text(self, text: str, counts: TextCounts) -> str:
        counts.texts += not text.isspace() and bool(text)
        answer = split_reasoning(text)[1]
        if answer != text:
            counts.reasoning += 1
            counts.unanswered += not answer
            text = answer if self.reasoning == "remove" else text
        if not has_html(text):
            return text
        counts.html += 1
        return html_text(text) if self.html == "text" else text

    def prepare_and_warn(self, cells: Any) -> Any:
        """Prepare texts, and warn a caller in Python of reasoning or HTML that is measured.

        Args:
            cells: see ``prepare``.
        """
        counts, remedies = TextCounts(), []
        prepared = self.prepare(cells, counts)
        if counts.reasoning and self.reasoning == "keep":
            start = f"{counts.reasoning:,} of {counts.texts:,} texts begin with a model's reasoning"
            remedies.append(f"{start}: reasoning='remove' leaves it out")
        if counts.html and self.html == "keep":
            start = f"{counts.html:,} of {counts.texts:,} texts contain HTML"
            remedies.append(f"{start}: html='text' leaves out tags and entities")
        if remedies:
            warnings.warn("; ".join(remedies), TextWarning, stacklevel=3)
        return prepared

    def notes(self, counts: TextCounts, columns: Iterable[str]) -> tuple[str, ...]:
        """Return sentences on the reasoning and HTML in the texts of columns; none without any.

        Args:
            counts: numbers of the columns' texts.
            columns: names of the columns.

        Examples:
            >>> TextPreparation().notes(TextCounts(3, html=2), ["comment"])[0][:44]
            '2 of 3 texts in column ‘comment’ contain HTM'
        """
        named = [f"‘{column}’" for column in columns]
        where = f"of {counts.texts:,} texts in column{'s' * (len(named) > 1)} {' and '.join(named)}"
        notes = []
        if counts.reasoning:
            start = (
                f"{counts.reasoning:,} {where} begin with a model's reasoning, such as <think>...</think>, "
            )
            empty = f" {counts.unanswered:,} of them have no answer after it." * bool(counts.unanswered)
            notes.append(
                f"{start}which was removed" + hint("; `reasoning='keep'` measures it, too") + f".{empty}"
                if self.reasoning == "remove"
                else f"{start}which is measured like an answer"
                + hint("; `reasoning='remove'` leaves it out")
                + f".{empty}"
            )
        if counts.html:
            start = f"{counts.html:,} {where} contain HTML (tags, or entities such as &amp;)"
            notes.append(
                f"{start}, which was removed."
                if self.html == "text"
                else f"{start}, which changes their results"
                + hint("; `html='text'` measures the text alone")
                + "."
            )
        return tuple(notes)
