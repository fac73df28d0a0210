"""The document of matches shows every figure, survives every shape, and runs nothing."""

import html
import json
import re
from dataclasses import replace
from zipfile import ZipFile

import numpy as np
import polars as pl
import pytest
from tests.workbook_sheets import sheets_of

from semscale.guards.findings import Finding, Span
from semscale.matching import matches as matches_module
from semscale.matching import summary as matching_summary
from semscale.matching.matches import Matches
from semscale.matching.settings import MatchColumns
from semscale.matching.summary import Separation
from semscale.report import parts
from semscale.report.document import Figure, flat
from semscale.report.formatting import number
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.matching import costly_tokens
from semscale.report.terminal import print_document
from semscale.signature import Signature
from semscale.types import Status

ATTACK = '<script>alert("x")</script> {{ 7 * 7 }} </style>\x00'
TOKENS = pl.DataFrame(
    {"side": ["prediction", "reference"], "place": [0, 0], "token": ["<b>lung", "heart"],
     "matched_token": ["heart", "<b>lung"], "similarity": [0.2, 0.99], "weight": [1.0, 0.1],
     "contribution": [0.2, 0.1]}
)  # fmt: skip


def summary_of(n=30, *, text="the lung is not well", groups=3, parts=True, findings=True, unrelated=True):
    rng = np.random.default_rng(0)
    score = rng.random(n)
    status = np.full(n, Status.SCORED, dtype=object)
    if n > 2:
        status[1], score[1] = Status.MISSING, np.nan
    predictions = [f"{text} {row}" if status[row] == Status.SCORED else None for row in range(n)]
    result = Finding("negation", "negated-prediction", f"It denies {text}.", Span(0, 8, text[:8]), None)
    matches = Matches(
        score=score,
        status=status,
        reference=np.where(np.isnan(score), -1, 0),
        windows=np.ones(n, np.int64),
        signature=Signature.of("match", method="cliniqlink-doc"),
        components={"word": score * 0.9, "sentence": score**2} if parts else {},
        findings=tuple((result,) if row % 5 == 0 else () for row in range(n)) if findings else (),
    )
    by = f"{text} by" if groups else None
    return matches.summarize(
        predictions,
        [[f"{text} ref"]] * n,
        by=pl.Series(by, [f"{text} group {row % groups}" for row in range(n)]) if groups else None,
        source=text,
        columns=MatchColumns(prediction=text, reference=("expected",), by=by),
        separation=Separation(0.9, rng.random(20) / 4) if unrelated else None,
        tokens={int(np.nanargmin(score)): TOKENS},
    )


@pytest.fixture(scope="module")
def full():
    return summary_of()


@pytest.fixture(scope="module")
def parsed(full, read_page):
    return read_page(page(full.document()))


@pytest.fixture
def screen(capsys):
    def shown(summary):
        print_document(summary.document())
        return capsys.readouterr().out

    return shown


def test_page_is_a_single_harmless_document_with_its_figures(full, parsed):
    parsed.assert_harmless()
    mean = full.estimates.overall_mean()
    assert number(mean.value) in parsed.text
    assert f"[{number(mean.low)}, {number(mean.high)}]" in parsed.text
    assert "29 of 30 rows were scored; left out: 1 missing" in parsed.text
    assert str(full.signature) in parsed.text
    assert "90.0\u00a0%" in parsed.text
    assert len(full.estimates.groups) == 3
    for group in full.estimates.groups:
        assert number(group.mean.value) in parsed.text
        assert group.group in parsed.text


def test_pictures_say_what_they_show_and_have_their_numbers_beneath(parsed):
    tags = [tag for tag, _ in parsed.tags]
    assert tags.count("figure") == tags.count("figcaption") == 2
    assert all(picture["aria-label"] for picture in parsed.all("svg"))


def test_the_lowest_scores_come_first_and_findings_the_highest_first(full, parsed):
    worst = parsed.text.rpartition("The lowest scores")[2].split("What the scores")[0]
    assert worst.index(number(full.scores.min())) < worst.index(number(np.sort(full.scores)[5]))
    alike = parsed.text.rpartition("Similar, and yet different")[2].split("The lowest scores")[0]
    assert number(max(item.score for item in full.flagged)) in alike.split("reference")[0]


def test_guard_findings_are_marked_and_named(parsed):
    marks = [attributes["class"] for attributes in parsed.all("mark")]
    assert set(marks) == {"negation"}
    assert "one text negates a statement of the other" in parsed.text
    assert "the lung" in parsed.source.split('<mark class="negation">')[2]


def test_hostile_text_is_shown_and_not_executed(read_page):
    shown = read_page(page(summary_of(text=ATTACK).document()))
    shown.assert_harmless()
    assert '<script>alert("x")</script> {{ 7 * 7 }} </style>␀' in shown.text


def test_a_group_without_a_name_is_shown_harmlessly_on_the_screen(screen):
    text = "a\x1b[31mb\n"
    matches = Matches(
        score=np.array([0.5, 0.7]),
        status=np.full(2, Status.SCORED, dtype=object),
        reference=np.zeros(2, np.int64),
        windows=np.ones(2, np.int64),
        signature=Signature.of("match", method="layered"),
    )
    summary = matches.summarize([text] * 2, [[text]] * 2, by=pl.Series(f"gr{text}oup", ["x", None]))
    shown = screen(summary)
    assert "(no gra␛[31mb oup)" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    "settings",
    [
        {"n": 1, "groups": 0},
        {"n": 2, "groups": 1, "unrelated": False},
        {"n": 5, "parts": False},
        {"n": 40, "groups": 15, "findings": False},
        {"n": 12, "text": "x" * 3000},
    ],
)
def test_every_shape_makes_a_page_a_screen_and_markdown(settings, read_page, screen):
    summary = summary_of(**settings)
    read_page(page(summary.document())).assert_harmless()
    assert "lowest score" in screen(summary)
    assert markdown(summary.document()).startswith("# Match of ")


def test_rows_without_any_score_make_a_page_and_a_screen(read_page, screen):
    nothing = Matches(
        np.full(3, np.nan), np.full(3, Status.EMPTY, object), np.full(3, -1), np.zeros(3, np.int64),
        Signature.of("match", method="cosine"),
    ).summarize()  # fmt: skip
    shown = read_page(page(nothing.document()))
    shown.assert_harmless()
    assert "No row was scored" in shown.text
    assert "No row was scored" in screen(nothing)


def test_most_costly_tokens_are_listed(parsed, full, screen):
    line = '"<b>lung" (prediction) met only "heart", 0.20'
    assert line in parsed.text
    assert 'met only "<b>lung"' not in parsed.text  # .1 * .01 is too little to be seen in a score
    row, score = full.lowest[0].row + 1, number(full.lowest[0].score)
    why = screen(full).split("\nWhy\n")[1].splitlines()
    assert why[0].startswith(f"row {row}, {score}: word ")
    assert f"  {line}" in why


def histogram_of(summary):
    blocks = flat(block for section in summary.document().sections for block in section.blocks)
    return next(block for block in blocks if isinstance(block, Figure))


def groups_of(histogram):
    """The name and the mean of each group, from top to bottom, as the picture's description has them."""
    described = histogram.description.replace("\N{NO-BREAK SPACE}", " ").removesuffix(".").partition(". ")[2]
    return [tuple(group.split(": mean ")) for group in described.split("; ")]


def test_the_ten_largest_groups_are_drawn_in_order_and_all_stand_in_the_table():
    summary = summary_of(40, groups=15)
    histogram = histogram_of(summary)
    everything, unrelated, *drawn = groups_of(histogram)
    assert [name.split(" (n")[0] for name, _ in (everything, unrelated)] == ["All rows", "Unrelated pairs"]
    # 40 rows in 15 groups: groups 0 to 9 have three rows, of which row 1 has no score, the others two.
    assert [name.split(" (n")[0][-1] for name, _ in drawn] == list("0123456789")
    assert len(histogram.table.rows) == 2 + 15
    assert "The 10 largest of 15 groups are drawn" in histogram.caption


@pytest.mark.parametrize(
    ("scores", "shown"),
    [
        ([1.0, 1.0, 1.0], None),
        # The mean is .8: only what lies below it is low.
        ([1.0, 0.9, 0.7, 0.6], ["0.60", "0.70"]),
        # The mean is .3; what lies in the lower half of 0 to 1 is low, too.
        ([0.1, 0.2, 0.4, 0.5], ["0.10", "0.20", "0.40"]),
        ([0.3], ["0.30"]),
    ],
)
def test_only_low_scores_are_listed_as_the_lowest(scores, shown, screen):
    n = len(scores)
    matches = Matches(
        np.array(scores), np.full(n, Status.SCORED, object), np.zeros(n, np.int64), np.ones(n, np.int64),
        Signature.of("match", method="calibrated"), bounds=(0.0, 1.0),
    )  # fmt: skip
    summary = matches.summarize(["a"] * n, ["b"] * n)
    listed = [section for section in summary.document().sections if section.name == "worst"]
    result = [number(item.score.value) for section in listed for item in section.blocks[0].items]
    assert result == (shown or [])
    assert ("lowest score" in screen(summary)) == (shown is not None)


def test_rows_without_a_group_are_drawn_as_well():
    matches = Matches(
        np.array([0.2, 0.4, 0.9]), np.full(3, Status.SCORED, object), np.zeros(3, np.int64),
        np.ones(3, np.int64), Signature.of("match", method="cosine"),
    )  # fmt: skip
    histogram = histogram_of(matches.summarize(by=pl.Series("topic", ["a", None, "a"])))
    # Means: .55 of topic a, .4 of the row without one.
    assert groups_of(histogram) == [
        ("All rows (n = 3)", "0.50"), ("a (n = 2*)", "0.55"), ("(no topic) (n = 1*)", "0.40"),
    ]  # fmt: skip


def test_a_group_of_fewer_than_ten_rows_is_marked_in_every_output(screen, tmp_path):
    matches = Matches(
        np.linspace(0.1, 0.9, 19), np.full(19, Status.SCORED, object), np.zeros(19, np.int64),
        np.ones(19, np.int64), Signature.of("match", method="cosine"),
    )  # fmt: skip
    summary = matches.summarize(by=pl.Series("topic", ["ten"] * 10 + ["nine"] * 9))
    document = summary.document()
    message = "* fewer than 10 rows: these figures vary widely by chance."
    on_screen = screen(summary)
    assert on_screen.count(message) == 1
    assert re.search(r"nine +9\* +0 ", on_screen)
    assert re.search(r"ten +10 +0 ", on_screen)
    shown = page(document)
    assert shown.count(message) == 1
    assert "<td>9*</td>" in shown
    assert "<td>10*</td>" not in shown
    summary.report(tmp_path / "x.md")
    written = (tmp_path / "x.md").read_text(encoding="utf-8")
    assert "| 9\\* |" in written
    assert "\\* fewer than 10 rows" in written
    groups = json.loads(summary.to_json())["estimates"]["groups"]
    assert [(group["n"], group["small_base"]) for group in groups] == [(10, False), (9, True)]
    summary.report(tmp_path / "x.xlsx")
    cells = [
        str(cell) for sheet in sheets_of(tmp_path / "x.xlsx").values() for row in sheet.rows() for cell in row
    ]
    assert "9" in cells  # still a number, with the format that adds the mark
    assert sum(message in cell for cell in cells) == 1
    styles = ZipFile(tmp_path / "x.xlsx").read("xl/styles.xml").decode()
    assert '#,##0"*"' in html.unescape(styles)


@pytest.mark.parametrize("weighs", [False, True])
def test_findings_that_lower_no_score_are_a_caution(full, weighs):
    summary = replace(full, weighs_findings=weighs)
    message = [
        caution
        for caution in summary.document().sentences("caution")
        if "do not take them into account" in caution
    ]
    assert len(message) == (0 if weighs else 1)


def test_texts_in_memory_have_no_columns_to_name():
    matches = Matches(
        np.array([0.25]), np.full(1, Status.SCORED, object), np.zeros(1, np.int64), np.full(1, 2),
        Signature.of("match", method="bertscore"),
    )  # fmt: skip
    shown = markdown(matches.summarize().document())
    assert "Match of predictions with references" in shown
    assert "1 row with texts read in overlapping windows" not in shown  # a line of the screen
    assert "Read in windows: 1" in shown
    assert "Zhang" in shown
    assert "prediction:" not in shown


def test_a_summary_writes_its_reports_and_shows_itself_in_a_notebook(full, tmp_path):
    full.report(tmp_path / "match.xlsx", figures=tmp_path / "figures")
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == [
        "parts.png", "parts.svg", "scores.png", "scores.svg",
    ]  # fmt: skip
    sheets = sheets_of(tmp_path / "match.xlsx")
    lowest = next(rows for name, rows in sheets.items() if name == "The lowest scores")
    head = next(number for number, row in enumerate(lowest.iter_rows()) if "Score" in row)
    scores = lowest.rows()[head + 1 : head + 13]
    assert lowest.rows()[head][2:5] == ("Score", "Row", "Group")
    assert [float(row[2]) for row in scores] == pytest.approx(sorted(full.scores)[:12])
    fragment = full._repr_html_()
    assert fragment.count("<svg") == 1
    assert "mean match" in fragment


def costs(rows):
    names = ("side", "token", "matched_token", "similarity", "weight")
    return costly_tokens(pl.DataFrame([dict(zip(names, row, strict=True)) for row in rows]))


def test_most_costly_tokens_come_first():
    assert costs(
        [
            ("prediction", "wheel", "disc", 0.5, 0.2),  # costs .1
            ("prediction", "of", "a", 0.5, 0.008),  # costs .004, which is not seen
            ("reference", "disc", "wheel", 0.5, 0.6),  # costs .3
            ("reference", "turns", "turns", 0.9, 0.2),  # the same word costs .02 in another context
        ]
    ) == (
        '"disc" (reference) met only "wheel", 0.50',
        '"wheel" (prediction) met only "disc", 0.50',
        '"turns" (reference) met itself in another context, 0.90',
    )


def test_token_with_negative_similarity_is_named_normally():
    assert costs([("reference", "disc", "wheel", -0.25, 1.0)]) == (
        '"disc" (reference) met only "wheel", −0.25',
    )


def test_long_texts_list_costly_tokens_even_if_every_cost_is_small():
    alike = [("reference", "x", "x", 1.0, 0.004)] * 248
    dear, cheap = ("reference", "disc", "wheel", 0.5, 0.004), ("reference", "of", "a", 0.8, 0.004)
    assert costs([*alike, dear, cheap]) == ('"disc" (reference) met only "wheel", 0.50',)  # .002; .0008
    assert costs(alike) == ()


def test_what_findings_leave_of_a_score_is_shown_where_there_are_findings(full):
    parts = replace(full.lowest[0], components={"word": 0.5, "findings": 0.64}, findings=())
    result = replace(parts, findings=(Finding("number", "other-value", "5 or 50", None, None),))
    shown = [markdown(replace(full, lowest=(item,), flagged=()).document()) for item in (parts, result)]
    assert ["kept after findings 0.64" in text for text in shown] == [False, True]


def test_of_very_many_groups_the_largest_are_listed(monkeypatch):
    monkeypatch.setattr(parts, "LISTED_GROUPS", 2)
    summary = summary_of(30, groups=4)
    sizes = {group.group: group.n for group in summary.estimates.groups}
    largest = sorted(sizes, key=lambda name: -sizes[name])[:2]
    text, note = markdown(summary.document()), "The 2 largest of 4 groups are listed; JSON has all of them."
    assert note in summary.document().sentences("note")
    assert note in html.unescape(page(summary.document()))
    assert {name for name in sizes if f"`{name}` |" in text} == set(largest)
    assert len(json.loads(summary.to_json())["estimates"]["groups"]) == 4


def test_sampled_scores_are_labelled_as_a_sample(monkeypatch):
    for module in (matches_module, matching_summary):
        monkeypatch.setattr(module, "SAMPLED_ROWS", 20)
    summary = summary_of(60, groups=0)
    assert (summary.n, summary.estimates.overall.n) == (60, 59)
    assert 18 <= len(summary.scores) <= 20  # one of the 60 has no score
    assert "of a random sample of 100,000 rows" in markdown(summary.document())
    assert "random sample" not in markdown(summary_of(19, groups=0).document())
