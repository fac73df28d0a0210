"""The document and its parts: head, sections and citations, ready for any renderer."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from semscale.report.document.blocks import Block, DataTable, Figure, Histogram, Paragraph, SideBySide
from semscale.report.document.values import Cell, Detail, Level, Line, WithInterval
from semscale.signature import Signature


@dataclass(frozen=True)
class Headline:
    """The one figure that a document is about, on a ruler of all values it can have.

    Attributes:
        name: of the figure, such as "mean match".
        value: the figure with its interval.
        bounds: least and greatest value it can have.
        coverage: of the interval, between 0 and 1.
        ticks: values that are marked on the ruler.
        advice: what the figure must not be taken for, in a sentence below it, if there is anything.
    """

    name: str
    value: WithInterval
    bounds: tuple[float, float]
    coverage: float
    ticks: tuple[float, ...] = ()
    advice: str = ""


@dataclass(frozen=True)
class Rates:
    """Several shares that a document is about, side by side.

    Attributes:
        figures: each with its name.
        coverage: of their intervals, between 0 and 1.
        digits: decimals of the percentages.
    """

    figures: tuple[tuple[WithInterval, str], ...]
    coverage: float
    digits: int = 0


@dataclass(frozen=True)
class Decision:
    """A decision that a document is about.

    Attributes:
        text: the decision in a word.
        level: how good it is.
        about: who decided what.
    """

    text: str
    level: Level
    about: str


@dataclass(frozen=True)
class Section:
    """A part of a document.

    Attributes:
        name: a short handle, unique in the document: lower-case letters and hyphens.
        title: what it is about.
        blocks: in order.
        level: a verdict beside the title, if there is one: its words and how good it is.
    """

    name: str
    title: Line
    blocks: tuple[Block, ...]
    level: tuple[str, Level] | None = None

    @property
    def full(self) -> tuple[Block, ...]:
        """Blocks that a full rendering has."""
        return tuple(block for block in self.blocks if detail_of(block) != "brief")


@dataclass(frozen=True)
class Citation:
    """A work to cite.

    Attributes:
        authors: with the year.
        title: of the work.
        place: where it appeared.
        use: what it is cited for.
        url: where it can be read, if anywhere.
    """

    authors: str
    title: str
    place: str
    use: str
    url: str = ""


@dataclass(frozen=True)
class Document:
    """What an instrument found.

    Attributes:
        kind: such as "rating report".
        name: on the screen, such as "Match".
        title: a sentence or a name.
        source: what was read, and short facts about the making of the document.
        signature: what lets somebody else reproduce the figures; ``None`` where nothing was measured.
        lead: what the document is about: a figure, several, or a decision; ``None`` where there is nothing.
        next_step: what to do next, in a sentence that every rendering has first.
        counting: how many rows count, and what was left out; lines at the head of a brief rendering.
        reading: how to read the lead, and all that ``counting`` says; sentences at the head of a full
            rendering, which has ``counting`` where there are none.
        facts: counts, by name.
        warnings: why the lead should not be trusted; every rendering says them before the lead.
        cautions: limits of the figures that a reader must know.
        sections: in order.
        notes: lines at the end of a brief rendering; what they say stands elsewhere in a full one.
        settings: by name.
        citations: works to cite.
        ending: the last line of a brief rendering, if there is one.
    """

    kind: str
    name: str
    title: Line
    source: tuple[Line, ...]
    signature: Signature | None
    lead: Headline | Rates | Decision | None = None
    next_step: str = ""
    counting: tuple[Line, ...] = ()
    reading: tuple[Line, ...] = ()
    facts: tuple[tuple[str, Cell], ...] = ()
    warnings: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    notes: tuple[str, ...] = ()
    settings: tuple[tuple[str, Line], ...] = ()
    citations: tuple[Citation, ...] = ()
    ending: tuple[str, Level] | None = None

    @property
    def introduction(self) -> tuple[Line, ...]:
        """The first sentences of a full rendering."""
        return self.reading or self.counting

    def figures(self) -> Iterator[tuple[Section, Figure | Histogram]]:
        """Give all pictures with their sections, in order."""
        for section in self.sections:
            for block in flat(section.blocks):
                if isinstance(block, Figure | Histogram):
                    yield section, block


def stamp(moment: datetime) -> str:
    """Write when something was made, to the minute."""
    return moment.strftime("%Y-%m-%d %H:%M %Z").strip()


def detail_of(block: Block) -> Detail:
    """Say which renderings a block is meant for."""
    return block.detail if isinstance(block, DataTable | Paragraph | Histogram) else "full"


def flat(blocks: Iterable[Block]) -> Iterator[Block]:
    """Give blocks one after the other, those in columns too."""
    for block in blocks:
        if isinstance(block, SideBySide):
            for column in block.columns:
                yield from flat(column)
        else:
            yield block
