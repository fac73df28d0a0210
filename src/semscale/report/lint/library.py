"""Documents of scales as they are: the library's list, and one scale with its anchors."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from semscale.report.document import Count, DataTable, Document, Paragraph, Quoted, Section, Words
from semscale.report.formatting import counted, listed, one_line, plain
from semscale.report.parts import Columns, table_of
from semscale.weights.known import DEFAULT_RATING_MODEL

if TYPE_CHECKING:
    from semscale.scales import Scale


def library_document(scales: "Sequence[Scale]") -> Document:
    """List scales, each with its points and the anchor sets that serve the default model."""
    columns: Columns[Scale] = (
        ("scale", lambda scale: Quoted(scale.name)),
        ("points", lambda scale: Count(scale.n_points)),
        ("from", lambda scale: Quoted(scale.labels[0])),
        ("to", lambda scale: Quoted(scale.labels[-1])),
        ("sets", lambda scale: Count(len(scale.anchor_sets))),
        ("hash", lambda scale: Words(scale.content_hash)),
    )
    served = [scale.for_model(DEFAULT_RATING_MODEL) for scale in scales]
    return Document(
        kind="list of scales",
        name="Scales",
        title="Scales that ship with Semscale",
        source=(counted(len(scales), "scale"), f"sets and hashes for {DEFAULT_RATING_MODEL}"),
        signature=None,
        sections=(Section("scales", "", (table_of(served, columns),)),),
    )


def scale_document(scale: "Scale") -> Document:
    """Show a scale: its points, the anchors of each set in full, where they come from, what to know."""
    notes = [Paragraph(one_line(scale.notes), detail="brief")] if scale.notes else []
    return Document(
        kind="scale",
        name=one_line(scale.title),
        title=Quoted(scale.title),
        source=(f"{one_line(scale.name)}, {one_line(scale.language)}, hash {scale.content_hash}",),
        signature=None,
        counting=(("Question: ", Quoted(scale.question)),),
        sections=(
            *(
                Section(f"set-{place}", Quoted(name), (_anchors(scale, name, anchors),))
                for place, (name, anchors) in enumerate(scale.anchor_sets.items(), start=1)
            ),
            *_serving(scale),
            Section("about", "", (Paragraph(one_line(scale.provenance), detail="brief"), *notes)),
        ),
    )


def _serving(scale: "Scale") -> Iterator[Section]:
    """Say which sets serve which model, where the scale does."""
    if scale.sets_by_model:
        rows = tuple(
            (Quoted(model), Quoted(listed(list(names))), Words(scale.for_model(model).content_hash))
            for model, names in scale.sets_by_model.items()
        )
        other = scale.for_model(DEFAULT_RATING_MODEL)
        sets = "all sets" if other is scale else f"those of {DEFAULT_RATING_MODEL}"
        others = (Words("any other"), Words(sets), Words(other.content_hash))
        table = DataTable(("model", "sets", "hash"), (*rows, others), title="Sets that serve a model")
        yield Section("models", "", (table,))


def _anchors(scale: "Scale", name: str, anchors: Sequence[str]) -> DataTable:
    rows = tuple(
        (Words(plain(point.value)), Words(one_line(point.label)), Words(one_line(anchor)))
        for point, anchor in zip(scale.points, anchors, strict=True)
    )
    return DataTable(("value", "label", "anchor"), rows, title=Quoted(name))
