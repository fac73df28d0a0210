"""Reasoning and HTML in texts, and spellings of groups, in every instrument's table."""

import polars as pl
import pytest

import semscale
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.settings import AnswerColumns
from semscale.answer_consistency.table import measure_consistency
from semscale.html_texts import has_html, html_text
from semscale.matching.matcher import Matcher
from semscale.matching.settings import MatchColumns
from semscale.matching.table import match_table
from semscale.rating.rater import Rater
from semscale.rating.settings import RatingColumns
from semscale.rating.table import rate_table
from semscale.store.reading import open_table
from semscale.text_preparation import TextWarning

THOUGHTS = "<think>It is expensive, I would never buy it.</think>\n\n"


def table(folder, **columns):
    path = folder / "rows.jsonl"
    pl.DataFrame(columns).write_ndjson(path)
    return open_table(path)


@pytest.mark.parametrize("kind", ["remove", "keep"])
def test_reasoning_affects_a_rating_only_if_it_stays(kind):
    texts = [THOUGHTS + "I would buy this tomorrow.", "I would buy this tomorrow."]
    with_thoughts, alone = Rater("purchase-intent", reasoning=kind).rate(texts).mean
    assert (with_thoughts == alone) == (kind == "remove")


def test_equal_answers_agree_whatever_their_reasoning():
    samples = [["<think>Lyon? No.</think>Paris", "Paris", "Hm.\n</think>\nParis"]]
    assert semscale.consistency(["<think>France.</think>\n\nParis"], samples).score.tolist() == [1]
    assert semscale.match(["<think>France.</think>\n\nParis"], ["Paris"]).score.tolist() == [1]


def test_prediction_of_reasoning_alone_is_empty():
    matches = semscale.match(["<think>Lyon? N"], ["Paris"])
    assert [str(status) for status in matches.status] == ["empty"]


def test_matched_table_states_removed_reasoning(tmp_path):
    rows = table(
        tmp_path, answer=["<think>a</think>Paris", "Rome", "<think>b"], right=["Paris", "Rome", "Oslo"]
    )
    columns = MatchColumns(prediction="answer", reference=("right",))
    summary = match_table(rows, columns, Matcher("cosine"))
    (note,) = summary.input_notes
    assert note.startswith("2 of 3 texts in column ‘answer’ begin with a model's reasoning")
    assert "1 of them have no answer" in note
    assert "reasoning='keep'" in note


def test_rated_table_states_reasoning_that_it_keeps(tmp_path):
    rows = table(tmp_path, comment=[THOUGHTS + "Good.", "Bad."])
    summary = rate_table(rows, RatingColumns(text="comment"), Rater("quality"))
    (note,) = summary.input_notes
    assert "reasoning='remove'" in note


def test_consistency_of_a_table_ignores_reasoning(tmp_path):
    rows = table(tmp_path, first=["<think>a</think>Paris"], others=[["<think>b c d</think>Paris", "Paris"]])
    instrument = Consistency(floor=0.0)
    summary = measure_consistency(
        rows, AnswerColumns(answer="first", sample=("others",)), instrument=instrument
    )
    assert summary.estimates.overall.mean.value == 1
    assert len(summary.input_notes) == 2  # one for the answers, one for the samples


SPELLINGS = [
    "I don't like it & it broke",
    "I don&#39;t like it &amp; it broke",
    "<p>I don&rsquo;t like it<br>&amp; it broke</p>",
]


def test_html_is_rated_like_its_text_on_request():
    means = Rater("quality").rate(SPELLINGS).mean
    assert len(set(means.tolist())) == 3
    shown = semscale.rate(SPELLINGS, scale="quality", html="text").mean
    assert len(set(shown.tolist())) == 1


@pytest.mark.parametrize("html", ["keep", "text"])
def test_rated_table_states_html(tmp_path, html):
    rows = table(tmp_path, comment=SPELLINGS)
    summary = rate_table(rows, RatingColumns(text="comment"), Rater("quality", html=html))
    (note,) = summary.input_notes
    assert note.startswith("2 of 3 texts in column ‘comment’ contain HTML")
    assert ("html='text'" in note) == (html == "keep")


@pytest.mark.parametrize(
    "text",
    [
        "I <3 it",
        "a < b and c > d",
        "a<b and c>d",
        "List<String>",
        "R&D; AT&T;",
        "x <me@example.org>",
        "&nbspx;",
    ],
)
def test_signs_that_are_no_html_are_left_alone(text):
    assert not has_html(text)
    assert html_text(text) == text


def test_entities_are_resolved_once():
    assert html_text("&amp;lt;p&amp;gt;") == "&lt;p&gt;"


@pytest.mark.parametrize(
    "unshown",
    [
        "<!-- p -->",
        "<style>p {}</style>",
        '<STYLE type="text/css">p {}</STYLE >',
        '<script src="a.js">p()</script>',
        '<?xml version="1.0"?>',
        "<!DOCTYPE html>",
        '<svg width="9"><path d="M0"/></svg>',
        "<head><title>Survey</title></head>",
        "<![if !supportLists]><![endif]>",
    ],
)
def test_comments_styles_and_scripts_are_no_text(unshown):
    assert html_text(f"<p>Good{unshown} food</p>") == "Good food"


@pytest.mark.parametrize(
    "text",
    [
        "<p data-pasted>Good food</p>",
        '<p class="a"class="b">Good food</p>',
        "<span title='a > b'>Good food</span>",
        "<w:p><w:r><w:t>Good food</w:t></w:r></w:p>",
        '<st1:City w:st="on">Good</st1:City> food<o:p></o:p>',
        "<![CDATA[Good food]]>",
        "Good&nbspfood",
        "Go&shy;od&#8203; food",
    ],
)
def test_html_of_editors_is_recognised_and_its_text_shown(text):
    assert has_html(text)
    assert html_text(text) == "Good food"


def test_groups_that_differ_in_case_or_blanks_are_joined(tmp_path):
    rows = table(
        tmp_path,
        comment=["Good.", "Bad.", "Fine.", "Awful."],
        region=["North", "north ", "NORTH", "South"],
    )
    columns = RatingColumns(text="comment", by="region")
    summary = rate_table(rows, columns, Rater("quality"))
    assert [(group.group, group.n) for group in summary.estimates.groups] == [("North", 3), ("South", 1)]
    assert summary.input_notes == (
        "‘region’: spellings that differ only in case or blanks were joined: ‘North’ (1), ‘north ’ (1), "
        "‘NORTH’ (1)",
    )


def test_match_groups_that_differ_in_case_or_blanks_are_joined(tmp_path):
    rows = table(
        tmp_path,
        output=["Good.", "Bad.", "Fine."],
        expected=["Good.", "Bad.", "Fine."],
        region=["North", "north ", "South"],
    )
    columns = MatchColumns(prediction="output", reference=["expected"], by="region")
    summary = match_table(rows, columns, Matcher("cosine"))
    assert [(group.group, group.n) for group in summary.estimates.groups] == [("North", 2), ("South", 1)]
    assert summary.input_notes == (
        "‘region’: spellings that differ only in case or blanks were joined: ‘North’ (1), ‘north ’ (1)",
    )


def test_reasoning_and_html_that_are_rated_are_warned_of(toy_embedder):
    texts = ["<think>Good?</think>It is bad.", "Fish &amp; chips", "It is good."]
    with pytest.warns(TextWarning) as warned:
        semscale.rate(texts, scale="quality", embedder=toy_embedder)
    assert str(warned[0].message) == (
        "1 of 3 texts begin with a model's reasoning: reasoning='remove' leaves it out; "
        "1 of 3 texts contain HTML: html='text' leaves out tags and entities"
    )
    prepared = semscale.rate(texts, scale="quality", embedder=toy_embedder, reasoning="remove", html="text")
    assert prepared.mean[0] == semscale.rate(["It is bad."], scale="quality", embedder=toy_embedder).mean[0]
