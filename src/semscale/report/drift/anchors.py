"""The document of a dataset's anchor sets."""

from collections.abc import Iterator

from semscale.drift.ruler.anchors_summary import AnchorsSummary, KeptAnchors
from semscale.history.runs import short_id
from semscale.report.document.blocks import Block, DataTable, Paragraph
from semscale.report.document.document import Document, Section, stamp
from semscale.report.document.values import Count, Quoted, WithInterval, Words
from semscale.report.drift.words import label
from semscale.report.formatting import counted, one_line, printable


def anchors_document(summary: AnchorsSummary) -> Document:
    """Turn the anchor sets of a dataset into a document."""
    latest = summary.sets[-1]
    used = (
        f"Comparisons read {counted(len(latest.anchors.pairs), 'anchor')} of "
        f"“{one_line(latest.anchors.name)}” anew in every run, and say whether the ruler moved"
    )
    return Document(
        kind="anchors",
        name="Anchors",
        title=("What the ruler of “", Quoted(summary.dataset, 60), "” is held against"),
        source=(printable(summary.where),),
        signature=None,
        reading=(f"{used}.",),
        sections=tuple(_sections(summary)),
    )


def _sections(summary: AnchorsSummary) -> Iterator[Section]:
    rows = tuple(
        (
            Quoted(one.anchors.name, 60),
            Words(one.anchors.digest),
            Words(stamp(one.anchors.frozen)),
            Count(len(one.anchors.pairs)),
            Count(one.n_labels),
        )
        for one in summary.sets
    )
    heads = ("anchors", "hash", "frozen", "pairs", "labels")
    yield Section("sets", "Anchor sets", (DataTable(heads, rows, "Anchor sets"),))
    yield Section("rulers", "Rulers", tuple(_rulers(summary.sets[-1])))


def _rulers(kept: KeptAnchors) -> Iterator[Block]:
    rulers = [one for one in kept.rulers if one.reference]
    rows = tuple(
        (
            Words(short_id(one.reference[0].series)),
            Words(stamp(one.reference[0].measured)),
            Count(len(one.reference)),
            Count(one.n_runs),
        )
        for one in rulers
    )
    yield DataTable(("reference", "read", "repeats", "runs since"), rows, "Rulers")
    errors = tuple(
        (
            Words(short_id(one.reference[0].series)),
            Words(label(error.reading)),
            WithInterval.of(error.error, 3),
            Count(error.error.n),
        )
        for one in rulers
        for error in one.errors
    )
    if errors:
        yield DataTable(("reference", "reading", "error", "labels"), errors, "Against people")
    for one in rulers:
        yield Paragraph(f"{short_id(one.reference[0].series)}: {one.reference[0].signature}", "note")
