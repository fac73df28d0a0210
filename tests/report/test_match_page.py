"""The report on matches shows every figure, survives every shape, and runs nothing."""

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest

from semscale.guards.findings import Finding, Span
from semscale.matching.match_columns import MatchCells, MatchColumns
from semscale.matching.match_summary import MatchSummary
from semscale.matching.matches import Matches
from semscale.matching.separation import Separation
from semscale.report.match_page import match_page
from semscale.report.wording import number
from semscale.signature import Signature
from semscale.types import Status

ATTACK = '<script>alert("x")</script> {{ 7 * 7 }} </style>\x00'


def summary_of(n=30, *, text="the lung is not well", groups=3, parts=True, findings=True, unrelated=True):
    rng = np.random.default_rng(0)
    score = rng.random(n)
    status = np.full(n, Status.SCORED, dtype=object)
    if n > 2:
        status[1], score[1] = Status.MISSING, np.nan
    predictions = [f"{text} {row}" if status[row] == Status.SCORED else None for row in range(n)]
    found = Finding("negation", "negated-prediction", f"It denies {text}.", Span(0, 8, text[:8]), None)
    matches = Matches(
        score=score,
        status=status,
        reference=np.where(np.isnan(score), -1, 0),
        windows=np.ones(n, np.int64),
        signature=Signature.of("match", method="cliniqlink-doc"),
        components={"word": score * 0.9, "sentence": score**2} if parts else {},
        findings=tuple((found,) if row % 5 == 0 else () for row in range(n)) if findings else (),
    )
    names = [f"{text} group {row % groups}" for row in range(n)] if groups else None
    cells = MatchCells(pl.DataFrame({"a": range(n)}), predictions, [[f"{text} ref"]] * n, names)
    return MatchSummary(
        source=text,
        columns=MatchColumns(text, ("expected",), f"{text} by" if groups else None),
        cells=cells,
        matches=matches,
        estimates=matches.estimate(by=names),
        separation=Separation(0.9, rng.random(20) / 4) if unrelated else None,
        created=datetime(2026, 11, 21, 9, 30, tzinfo=UTC),
    )


@pytest.fixture(scope="module")
def full():
    return summary_of()


@pytest.fixture(scope="module")
def parsed(full, read_page):
    return read_page(match_page(full))


def test_it_is_one_harmless_document_with_its_figures(full, parsed):
    parsed.assert_harmless()
    mean = full.estimates.overall_mean()
    assert number(mean.value) in parsed.text
    assert f"[{number(mean.low)}, {number(mean.high)}]" in parsed.text
    assert "29 of 30 rows count; left out: 1 missing" in parsed.text
    assert str(full.matches.signature) in parsed.text
    assert "90.0\u00a0%" in parsed.text
    for name, estimate in full.estimates.group_means().items():
        assert number(estimate.value) in parsed.text
        assert name in parsed.text


def test_pictures_say_what_they_show_and_have_their_numbers_beneath(parsed):
    tags = [tag for tag, _ in parsed.tags]
    assert tags.count("figure") == tags.count("figcaption") == 2
    assert all(picture["aria-label"] for picture in parsed.all("svg"))


def test_the_lowest_scores_come_first_and_findings_the_highest_first(full, parsed):
    scores = np.sort(full.matches.score[full.matches.scored])
    flagged = [full.matches.score[row] for row in range(30) if full.matches.findings[row]]
    worst = parsed.text.split("The lowest scores")[1].split("What the scores")[0]
    assert worst.index(number(scores[0])) < worst.index(number(scores[5]))
    alike = parsed.text.split("Alike, and yet different")[1].split("The lowest scores")[0]
    assert number(max(flagged)) in alike.split("reference")[0]


def test_what_a_guard_found_is_marked_and_named(parsed, full):
    marks = [attributes["class"] for attributes in parsed.all("mark")]
    assert set(marks) == {"negation"}
    assert "one text denies what the other states" in parsed.text
    assert "the lung" in parsed.source.split('<mark class="negation">')[2]


def test_hostile_words_are_shown_not_run(read_page):
    page = read_page(match_page(summary_of(text=ATTACK)))
    page.assert_harmless()
    assert '<script>alert("x")</script> {{ 7 * 7 }} </style>␀' in page.text


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
def test_every_shape_makes_a_page(settings, read_page):
    read_page(match_page(summary_of(**settings))).assert_harmless()


def test_rows_without_any_score_make_a_page(read_page):
    summary = summary_of(3)
    matches = Matches(
        np.full(3, np.nan), np.full(3, Status.EMPTY, object), np.full(3, -1), np.zeros(3, np.int64),
        Signature.of("match", method="cosine"),
    )  # fmt: skip
    empty = MatchSummary("x", MatchColumns("a", ("b",)), summary.cells, matches, matches.estimate())
    page = read_page(match_page(empty))
    page.assert_harmless()
    assert "No row has a score" in page.text


def test_the_words_that_cost_most_are_listed(full, read_page):
    tokens = pl.DataFrame(
        {"side": ["prediction", "reference"], "place": [0, 0], "token": ["<b>lung", "heart"],
         "matched_token": ["heart", "<b>lung"], "similarity": [0.2, 0.99], "weight": [1.0, 0.1],
         "contribution": [0.2, 0.1]}
    )  # fmt: skip
    page = read_page(match_page(full, explained={int(full.worst(1)[0]): tokens}))
    assert '"<b>lung" (prediction) met only "heart", 0.20' in page.text
    assert 'met only "<b>lung"' not in page.text  # .1 * .01 is too little to be seen in a score
