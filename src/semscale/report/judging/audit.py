"""The document of an audit: how far a change of form moves a judge's scores."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from semscale.chat.costs.prices import amount
from semscale.report.document import (
    Block,
    Cell,
    Count,
    DataTable,
    Document,
    Flag,
    Line,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    WithInterval,
    Words,
)
from semscale.report.formatting import count, coverage, one_line
from semscale.report.judging.words import refused_parameters
from semscale.report.parts import Columns, covered, signature_fields, table_of
from semscale.report.sentences import (
    plan_words,
    refused_words,
    rows_that_count,
    stand_in_words,
    stopped_cautions,
)
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.judging.audit import Audit, AuditSummary, BiasCheck
    from semscale.stats.calibration.calibration_error import CalibrationFigures


def audit_document(summary: "AuditSummary") -> Document:
    """Turn audits into a document with one section for each judge."""
    audits = summary.audits
    first, is_alone = next(iter(audits.values())), len(audits) == 1
    counting = tuple(_counting(name, found, is_alone=is_alone) for name, found in audits.items())
    intervals = _interval_words(audits)
    each = ((f"Signature of {one_line(name)}", Quoted(one.signature, 2000)) for name, one in audits.items())
    return Document(
        kind="judge audit",
        name="Judge audit",
        title=f"What a change of form does to {'the' if is_alone else 'each'} judge’s scores",
        source=(Quoted(summary.source),),
        signature=summary.signature,
        counting=counting,
        reading=("An unbiased judge’s scores stay where they are when only the form changes.", *counting),
        facts=(("Rows", Count(len(first.plain))), ("Judges", Count(len(audits)))),
        cautions=(*stopped_cautions(summary.stopped), *_cautions(summary)),
        sections=(
            *(
                Section(f"judge-{place}", Quoted(name), _blocks(name, found))
                for place, (name, found) in enumerate(audits.items(), start=1)
            ),
            *(() if is_alone and first.people is None and first.cost is None else (_beside(audits),)),
        ),
        notes=(f"intervals: {intervals}",),
        settings=(("Intervals", intervals), *(signature_fields(first.signature) if is_alone else each)),
    )


def _counting(name: str, found: "Audit", *, is_alone: bool) -> Line:
    plain = found.plain
    left_out = {str(status): n for status, n in plain.counts.items() if status != Status.SCORED}
    said = f"{rows_that_count(plain.n_scored, plain.n, left_out)}{_checked(found)}"
    return f"{said}." if is_alone else (Quoted(name), f": {said}.")


def _checked(found: "Audit") -> str:
    """Say on how many of the rows the checks rest, where it is fewer: a change may leave a row unscored."""
    n = sorted(check.effect.n for check in found.completed if check.effect is not None)
    if not n or n[0] == found.plain.n_scored:
        return ""
    return f"; the checks rest on {count(n[0])}{'' if n[0] == n[-1] else f' to {count(n[-1])}'} of them"


def _interval_words(audits: "Mapping[str, Audit]") -> str:
    """Say how the intervals of all checks were made; checks with few rows may differ from the others."""
    methods = {
        check.name if len(audits) == 1 else f"{check.name} of {one_line(judge)}": check.effect.method
        for judge, found in audits.items()
        for check in found.completed
        if check.effect is not None
    }
    if not methods:
        return "none: no check was made"
    plan, *_ = (found.plan for found in audits.values())  # all audits of a run have one plan
    return plan_words(plan, methods, "rows")


def _cautions(summary: "AuditSummary") -> Iterator[str]:
    """Say what stood in for decisions, what a model refused, and that a bias may be found by chance."""
    for found in summary.audits.values():
        plain = found.plain
        yield from stand_in_words(one_line(plain.model), plain.signature, plain.not_taken)
    refused = (
        refused_words(one_line(name), refused_parameters(found.signature))
        for name, found in summary.audits.items()
    )
    yield from filter(None, refused)
    n = sum(len(found.completed) for found in summary.audits.values())
    if n > 1:
        shown = coverage(next(iter(summary.audits.values())).plan.interval)
        yield (
            f"A judge is called biased by the {shown} interval of each check alone: with {n} checks, "
            "one of them may say so by chance."
        )


def _blocks(name: str, found: "Audit") -> tuple[Block, ...]:
    columns = ("change", "rows", "left out", "mean effect", "levels that change", "")
    rows = tuple(map(_row, found.checks))
    interval = covered((cell for row in rows for cell in row), found.plan.interval)
    title = (Quoted(name), f": what a change of form does to the score{interval}")
    why = [
        Paragraph(
            f"{check.name}: {check.meaning}{'' if check.skipped is None else f'; not made: {check.skipped}'}",
            "note",
            detail="both",
        )
        for check in found.checks
    ]
    return (DataTable(columns, rows, title=title), Paragraph(_COUNTED, "note", detail="both"), *why)


_COUNTED = (
    "The mean effect is that on the expected score. A level changes where another one is stated, or is the "
    "most likely one of a decision; so prose and decisions are counted alike."
)


def _row(check: "BiasCheck") -> tuple[Cell, ...]:
    if check.effect is None or check.moved is None:
        return (
            Words(check.name),
            Count(None),
            Count(None),
            WithInterval.of(None),
            Share(None),
            Words("not made"),
        )
    return (
        Words(check.name),
        Count(check.effect.n),
        Count(check.effect.n_left_out),
        WithInterval.of(check.effect),
        Share(check.moved.value, 0),
        Flag("biased", "warn") if check.biased else Words(""),
    )


def _beside(audits: "Mapping[str, Audit]") -> Section:
    """Lay all judges out beside each other: what they cost, and how far they are from people."""
    has_people = any(found.people is not None for found in audits.values())
    has_orders = any(found.order_bias >= 0 for found in audits.values())
    has_prices = any(found.cost is not None for found in audits.values())
    rows = list(audits.items())
    columns: Columns[tuple[str, Audit]] = (
        ("judge", lambda row: Quoted(row[0])),
        ("scored", lambda row: Count(row[1].plain.n_scored)),
        ("calls a row", lambda row: Number(row[1].calls_a_row, 1)),
        ("tokens", lambda row: Count(row[1].usage.tokens)),
        *((("cost", lambda row: Words(_cost(row[1]))),) if has_prices else ()),
        *((("order bias", lambda row: Share(row[1].order_bias, 0)),) if has_orders else ()),
        *(_people_columns() if has_people else ()),
    )
    said = "Tokens are those of all replies without a change of form, of those from the ledger, too"
    said += ", and cost is their price." if has_prices else "."
    if has_people:
        said += (
            " The ranked probability score says how far each distribution is from people’s labels, 0 is "
            "best: a judge who is sure and wrong pays most. The calibration error (ECE) says how far the "
            "probability of the most likely level is from how often people say that level; “by chance” is "
            "the error of probabilities that hold exactly, on so many rows."
        )
    title = "Judges beside each other" if len(rows) > 1 else "What the judge costs"
    if len(rows) == 1 and has_people:
        title = "The judge beside people"
    return Section("beside", title, (table_of(rows, columns, brief_title=title), Paragraph(said, "note")))


def _cost(found: "Audit") -> str:
    return (
        "unknown" if found.cost is None or not found.price else f"{amount(found.cost)} {found.price.currency}"
    )


def _people_columns() -> "Columns[tuple[str, Audit]]":
    return (
        ("judge less people", lambda row: WithInterval.of(row[1].people and row[1].people.less, signed=True)),
        ("distance", lambda row: WithInterval.of(row[1].people and row[1].people.off)),
        ("ranked probability score", lambda row: WithInterval.of(row[1].people and row[1].people.rps)),
        ("kappa", lambda row: Number(row[1].people.kappa.value if row[1].people else None)),
        ("calibration error", lambda row: Number(figures.error if (figures := _held(row[1])) else None)),
        ("by chance", lambda row: Number(figures.error_by_chance if (figures := _held(row[1])) else None)),
        ("Brier score", lambda row: WithInterval.of(figures.brier if (figures := _held(row[1])) else None)),
    )


def _held(found: "Audit") -> "CalibrationFigures | None":
    return None if found.people is None else found.people.calibration
