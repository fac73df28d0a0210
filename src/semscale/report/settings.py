"""Settings at the end of a document: source, date, columns, intervals and the fields of the signature."""

from collections.abc import Iterable
from datetime import datetime

from semscale.report.document.document import stamp
from semscale.report.document.values import Line, Quoted
from semscale.report.parts import EstimatedSummary
from semscale.report.sentences import interval_words
from semscale.signature import Signature


def estimated_settings(
    summary: EstimatedSummary,
    columns: Iterable[tuple[str, str | None]],
    further: Iterable[tuple[str, Line]] = (),
    *,
    noun: str = "row",
) -> tuple[tuple[str, Line], ...]:
    """List the settings of a summary with estimates one by one.

    Args:
        summary: of an instrument.
        columns: what a column was used for, and its name; ``None`` where there is none.
        further: settings of the instrument.
        noun: what a row is called.
    """
    estimates = summary.estimates
    used = ((name, ("column “", Quoted(column), "”")) for name, column in columns if column is not None)
    overall = estimates.overall
    intervals = interval_words(estimates, overall.basis(overall.main).method, noun)
    return settings(
        summary.source, summary.created, (*used, *further, ("Intervals", intervals)), summary.signature
    )


def settings(
    source: str, created: datetime, further: Iterable[tuple[str, Line]], signature: Signature
) -> tuple[tuple[str, Line], ...]:
    """List the settings of a run one by one.

    Args:
        source: what was read; empty where that has no name.
        created: when.
        further: settings of the instrument.
        signature: its fields follow.
    """
    return (
        *([("Source", Quoted(source))] if source else []),
        ("Made", stamp(created)),
        *further,
        *signature_fields(signature),
    )


def signature_fields(signature: Signature) -> tuple[tuple[str, Line], ...]:
    """List the fields of a signature as settings."""
    return tuple((f"· {name}", Quoted(value)) for name, value in signature.fields)
