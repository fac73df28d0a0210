"""A document with every kind of block, lead and cell, made by hand."""

from datetime import UTC, datetime

import numpy as np

from semscale.guards.findings import Span
from semscale.report.document import (
    Citation,
    ComparedItem,
    ComparedItems,
    ComparedPair,
    Count,
    DataTable,
    Document,
    Figure,
    Findings,
    Flag,
    Headline,
    ItemCard,
    Items,
    JudgeReply,
    Label,
    Notice,
    Number,
    Paragraph,
    Quoted,
    Reason,
    Reasons,
    Section,
    Share,
    SideBySide,
    Swatch,
    Verbatim,
    Verbatims,
    WithInterval,
    mark_findings,
)
from semscale.report.figures import histogram_table, histograms_figure
from semscale.report.row_charts import Bar, ScoreGroup, bars
from semscale.signature import Signature

HOSTILE = "=1+1 <script>alert(1)</script> *x* | [a](http://b) @c"
MOMENT = datetime(2026, 11, 22, 8, 30, tzinfo=UTC)


def figure_of(name="bars", **settings):
    values = [Bar(0, 0.4, 0.3, 0.5, "40 %", "40 %"), Bar(1, 0.6, 0.5, 0.7, "60 %", "60 %")]
    return Figure(
        name,
        lambda width: bars(values, ["low", "high"], width),
        "Bars: low 40 %, high 60 %.",
        DataTable(
            ("point", "share"), ((Label("low"), Share(0.4)), (Label("high"), Share(0.6))), detail="full"
        ),
        caption="What the bars are.",
        legend=(Swatch("#b4581a", "low"), Swatch("#326ea6", "high", "dot")),
        **settings,
    )


TABLE = DataTable(
    ("figure", "estimate", "what it is"),
    (
        (Label("mean"), WithInterval(3.412, 3.349, 3.471), Label("expected value")),
        (Label("top-2-box"), WithInterval(0.341, 0.3, 0.4, is_share=True), Label("mass on 4 and 5")),
        (Label("kappa"), WithInterval(0.5, np.nan, np.nan, note="too few rows"), Label("agreement")),
    ),
    title="Estimates",
    explained=True,
)
ALL_ROWS = ScoreGroup("All rows", np.array([0.05, 0.15, 0.95]), "#326ea6", 0.1, 0.9)
HISTOGRAM = (
    histogram_table(ALL_ROWS, (0.0, 1.0), ("score", "rows")),
    histograms_figure(
        "scores", [ALL_ROWS], (0.0, 1.0), DataTable(("", "mean"), ((Label("all rows"), Number(0.383)),))
    ),
)
NEGATION = mark_findings("not well", [("negation", Span(0, 3, "not"))])
ITEM = ItemCard(
    row=1204,
    score=Number(0.125),
    labels=("spread 0.50", Quoted("north")),
    texts=(("question", Quoted(HOSTILE)), ("answer", NEGATION)),
    findings=(("negation", "one text denies it"),),
    parts=(("words", Number(0.25)),),
    replies=(
        JudgeReply(Quoted("gpt"), Number(0.5), ((Number(0.5), 0.8), (Number(0.75), 0.2)), Quoted("so so")),
    ),
    details=("words that cost most", ('"wheel" met only "expel"',)),
    brief=(Quoted(HOSTILE), Label("0.5")),
)
GUARDS = (("negation", "one text negates a statement of the other", 3),)
ITEMS = Items((ITEM,), GUARDS, brief_title="1 lowest score", heads=("question", "verdict"))
PAIR = ComparedPair(
    NEGATION, None, ("baseline", "candidate"), ("nothing", "missing"), (("negation", "denied"),)
)
COMPARED = ComparedItems(
    (
        ComparedItem(
            Quoted("item-7"), (Quoted("north"),), Quoted("asked"), (PAIR,), 2,
            brief=(Quoted("item-7"), Number(0.5, 2, signed=True)),
        ),
    ),
    brief_title="1 item that changed most",
    heads=("item", "drift"),
)  # fmt: skip
VERBATIMS = Verbatims(
    (("most certain", (Verbatim(Quoted("great"), 3, Number(4.5), Number(0.2), (0.1, 0.9), "PMF: 1: 10 %"),)),)
)
BLOCKS = (
    Paragraph("A note.", "note"),
    Paragraph("Only on the screen.", detail="brief"),
    Paragraph("A part", "heading"),
    TABLE,
    figure_of(),
    *HISTOGRAM,
    ITEMS,
    VERBATIMS,
    Findings((("warn", "anchors are alike"),)),
    SideBySide(((figure_of(),), (Paragraph("Beside."),))),
    COMPARED,
    Reasons((Reason("empty", "nothing but white space", 4, 0.04, ((2, Quoted("??")),)),)),
)


def document_of(*blocks, **settings):
    """A document with one section of blocks."""
    return Document(
        **{
            "kind": "made-up report",
            "name": "Made up",
            "title": ("How good “", Quoted(HOSTILE), "” is"),
            "source": (Quoted("answers.csv"), "2026-11-22"),
            "signature": Signature.of("made-up", seed=1),
            "lead": Headline("mean score", WithInterval(0.57, 0.37, 0.76), (0.0, 1.0), 0.95, (0.0, 0.5, 1.0)),
            "introduction": (
                Paragraph("10 of 12 rows were scored", detail="brief"),
                Paragraph("Read it so."),
            ),
            "notices": (
                Notice("Most texts are German.", "warning"),
                Notice("Only 3 rows.", "caution"),
                Notice("intervals: 95 %", "note"),
            ),
            "facts": (("Rows", Count(3708)), ("State", Flag("pass", "pass"))),
            "sections": (Section("one", "One section", blocks or BLOCKS),),
            "settings": (("Source", Quoted(HOSTILE)),),
            "citations": (Citation("Somebody (2026).", "A title", "A place", "a use"),),
            **settings,
        }
    )
