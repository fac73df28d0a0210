"""The linter's report shows the verdict with its reasons and every measurement."""

import dataclasses
import re

import numpy as np
import pytest
from semscale.report.lint_page import lint_page
from semscale.report.rating_page import rating_page

from semscale.rating.lint.linter import lint
from semscale.rating.lint.report import LintFinding
from semscale.report.wording import number


@pytest.fixture
def report(make_scale, toy_embedder):
    probes = ({"text": "bad <script>alert(1)</script>", "level": 1}, {"text": "good", "level": 5})
    scale = make_scale(5).model_copy(
        update={
            "anchor_sets": {
                "plain": ("very bad", "bad", "so so", "good", "very good"),
                "warm": ("hate it", "dislike it", "neither way", "like it", "love it"),
            }
        }
    )
    return lint(
        type(scale)(**(scale.model_dump() | {"probes": probes, "notes": "A <b>note</b>."})),
        embedder=toy_embedder,
    )


def judged(report, *findings):
    return dataclasses.replace(
        report, findings=findings, sets=tuple(dataclasses.replace(one, findings=()) for one in report.sets)
    )


def test_it_is_one_harmless_document(report, read_page):
    page = read_page(lint_page(report))
    page.assert_harmless()
    assert "bad <script>alert(1)</script>" in page.text
    assert "A <b>note</b>." in page.text
    assert all(svg["role"] == "img" and svg["aria-label"] for svg in page.all("svg"))


def test_every_measurement_is_shown(report, read_page):
    page = read_page(lint_page(report))
    for one in report.sets:
        assert one.name in page.text
        assert number(one.ends) in page.text
        assert number(float(one.neighbours.max())) in page.text
        for cosine in one.cosines.flat:
            assert number(cosine) in page.text
        for score in (*one.own_scores, *one.other_scores):
            assert number(score) in page.text
        for anchor in one.anchors:
            assert anchor in page.text
        for finding in one.findings:
            assert finding.reason in page.text
    for mean in report.ladder.means:
        assert number(mean) in page.text
    assert number(report.agreement[0, 1]) in page.text
    assert number(report.reliability) in page.text
    assert str(report.signature) in page.text


def test_a_verdict_says_what_it_is_owed_to(report, read_page):
    bad = LintFinding("fail", "order", "plain", "out of order")
    one = dataclasses.replace(judged(report, bad).sets[0], findings=(bad,))
    failing = dataclasses.replace(judged(report, bad), sets=(one, judged(report).sets[1]))
    assert (
        "It cannot be relied upon with this embedding model, because of set plain."
        in read_page(lint_page(failing)).text
    )
    warned = judged(report, LintFinding("warn", "spread", None, "the spread is small"))
    page = read_page(lint_page(warned)).text
    assert "It can be used with this embedding model, with reservations." in page
    assert "the spread is small" in page
    passing = judged(report)
    assert "Every criterion is met with this embedding model." in read_page(lint_page(passing)).text


def test_one_set_has_no_agreement_picture(report, read_page):
    single = dataclasses.replace(report, sets=report.sets[:1], agreement=np.ones((1, 1)))
    page = read_page(lint_page(single))
    assert page.unbalanced == []
    assert "Do the anchor sets agree?" not in page.text


def test_many_probes_of_unknown_level_are_thinned_out(report, read_page):
    n = 130
    pmf = np.full((n, 5), 0.2)
    ladder = dataclasses.replace(
        report.ladder, pmf=pmf, means=np.full(n, 3.0), spread=float("nan"), spearman=float("nan")
    )
    many = dataclasses.replace(
        judged(report), probes=tuple(f"probe {i}" for i in range(n)), levels=np.full(n, np.nan), ladder=ladder
    )
    page = read_page(lint_page(many))
    assert "40 of 130 probes are drawn." in page.text
    assert "probe 129" in page.text
    assert not re.search(r"\bnan\b", page.text)


def test_the_rating_page_carries_the_verdict_with_reasons(report, make_summary, read_page):
    page = read_page(
        rating_page(
            make_summary(n=5), lint=judged(report, LintFinding("fail", "order", "plain", "out of order"))
        )
    )
    assert "This scale fails" in page.text
    assert "fail: plain: out of order" in page.text
