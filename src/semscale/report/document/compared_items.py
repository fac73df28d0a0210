"""Blocks of items that were compared: outputs of two runs side by side."""

from dataclasses import dataclass

from semscale.report.document.values import Cell, Line, Marked, Quoted


@dataclass(frozen=True)
class ComparedPair:
    """An output of the baseline beside the candidate's; ``None`` where one has no partner.

    Attributes:
        baseline: the baseline's output.
        candidate: the candidate's.
        names: of the two sides.
        absent: what stands in place of a side without an output.
        findings: guards, each with its reason.
        figures: similarities and differences by name.
    """

    baseline: Marked | None
    candidate: Marked | None
    names: tuple[str, str]
    absent: tuple[str, str]
    findings: tuple[tuple[str, str], ...] = ()
    figures: tuple[tuple[Line, Cell], ...] = ()


@dataclass(frozen=True)
class ComparedItem:
    """An item's outputs in two runs.

    Attributes:
        id: of the item.
        harm: how much worse it came out.
        labels: its groups.
        input: what was asked.
        pairs: its outputs that belong together.
        n_more: pairs that are not shown.
        drifts: by how much it drifted in each metric.
        brief: what a brief rendering shows, as many cells as ``ComparedItems.heads``.
    """

    id: Quoted
    harm: Cell
    labels: tuple[Quoted, ...]
    input: Quoted | None
    pairs: tuple[ComparedPair, ...]
    n_more: int
    drifts: tuple[tuple[Line, Cell], ...]
    brief: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class ComparedItems:
    """Items whose outputs changed, the worst first."""

    items: tuple[ComparedItem, ...]
    guards: tuple[tuple[str, str, int | None], ...] = ()
    brief_title: str = ""
    heads: tuple[str, ...] = ()
    most: int = 6
