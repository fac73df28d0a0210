"""Blocks of single items: texts with their scores, findings and replies."""

from dataclasses import dataclass

from semscale.report.document.values import Cell, Line, Marked, Quoted


@dataclass(frozen=True)
class JudgeReply:
    """What one judge said.

    Attributes:
        judge: who.
        score: the score it gave.
        masses: probability of each score, where there is more than one.
        words: its explanation, or why there is no score.
        status: why there is no score; empty where there is one.
    """

    judge: Quoted
    score: Cell
    masses: tuple[tuple[Cell, float], ...]
    words: Quoted
    status: str = ""


@dataclass(frozen=True)
class ItemCard:
    """One item with its texts and what was found in them.

    Attributes:
        row: number of its row, from 1.
        score: what it came to.
        labels: short facts about it, such as its group.
        texts: its texts by name.
        findings: guards, each with its reason.
        parts: what the score is made of.
        replies: what judges said.
        details: lines behind a heading that a page folds: the heading, then the lines.
        brief: what a brief rendering shows after the row and the score; as many cells as ``Items.heads``.
    """

    row: int
    score: Cell
    labels: tuple[Line, ...] = ()
    texts: tuple[tuple[str, Quoted | Marked], ...] = ()
    findings: tuple[tuple[str, str], ...] = ()
    parts: tuple[tuple[Line, Cell], ...] = ()
    replies: tuple[JudgeReply, ...] = ()
    details: tuple[str, tuple[str, ...]] = ("", ())
    brief: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Items:
    """Items to look at, with marked texts.

    Attributes:
        items: in the order in which they are worth a look.
        guards: legend of the marks: guard, its meaning, and in how many items it found something.
        brief_title: of the brief rendering; empty leaves them out of it.
        heads: of the brief rendering's columns.
        most: items that a brief rendering shows.
        noun: what an item is called.
        is_explained: whether a brief rendering has parts, findings and details of the items below their list.
    """

    items: tuple[ItemCard, ...]
    guards: tuple[tuple[str, str, int | None], ...] = ()
    brief_title: str = ""
    heads: tuple[str, ...] = ()
    most: int = 6
    noun: str = "row"
    is_explained: bool = False


@dataclass(frozen=True)
class Verbatim:
    """One respondent's text with its probability mass function."""

    text: Quoted
    row: int
    mean: Cell
    entropy: Cell
    pmf: tuple[float, ...]
    label: str


@dataclass(frozen=True)
class Verbatims:
    """Respondents' texts in titled columns, each with a spark of its PMF; all sparks share one height."""

    columns: tuple[tuple[str, tuple[Verbatim, ...]], ...]

    @property
    def tallest(self) -> float:
        """The greatest mass of a point."""
        return max((max(one.pmf) for _, column in self.columns for one in column), default=1.0)
