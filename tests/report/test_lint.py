"""Documents of scales."""

import dataclasses
import json
import re

import numpy as np
import pytest
from tests.schema_check import check_json

from semscale.rating.expected import expected_correlation
from semscale.rating.lint import LintFinding, lint
from semscale.report.document import Label, Quoted
from semscale.report.formatting import line_text, number
from semscale.report.html import page
from semscale.report.lint import finding_table, findings, lint_overview, sentences_of, verdict_sentence
from semscale.report.terminal import print_document
from semscale.scales import load_scale
from semscale.scales.library import sets_that_rate


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
        report,
        findings=findings,
        sets=tuple(dataclasses.replace(anchor_set, findings=()) for anchor_set in report.sets),
    )


def test_lint_page_is_a_single_harmless_document(report, read_page):
    shown = read_page(page(report.document()))
    shown.assert_harmless()
    assert "bad <script>alert(1)</script>" in shown.text
    assert "A <b>note</b>." in shown.text
    assert all(svg["role"] == "img" and svg["aria-label"] for svg in shown.all("svg"))


def test_every_measurement_is_shown(report, read_page):
    shown = read_page(page(report.document()))
    for anchor_set in report.sets:
        assert anchor_set.name in shown.text
        assert number(anchor_set.ends) in shown.text
        assert number(float(anchor_set.neighbours.max())) in shown.text
        for cosine in anchor_set.cosines.flat:
            assert number(cosine) in shown.text
        for score in (*anchor_set.own_scores, *anchor_set.other_scores):
            assert number(score) in shown.text
        for anchor in anchor_set.anchors:
            assert anchor in shown.text
        for finding in anchor_set.findings:
            assert finding.reason in shown.text
    for mean in report.ladder.means:
        assert number(mean) in shown.text
    assert number(report.agreement[0, 1]) in shown.text
    assert number(report.reliability) in shown.text
    assert str(report.signature) in shown.text


def test_a_verdict_says_what_it_is_owed_to(report, read_page):
    bad = LintFinding("fail", "order", "plain", "out of order")
    anchor_set = dataclasses.replace(judged(report, bad).sets[0], findings=(bad,))
    failing = dataclasses.replace(judged(report, bad), sets=(anchor_set, judged(report).sets[1]))
    assert (
        "Criteria are clearly missed with this embedding model, on set plain."
        in read_page(page(failing.document())).text
    )
    warned = judged(report, LintFinding("warn", "spread", None, "the spread is small"))
    shown = read_page(page(warned.document())).text
    assert "Criteria are not met with this embedding model." in shown
    assert "the spread is small" in shown
    passing = judged(report)
    assert "Every criterion is met with this embedding model." in read_page(page(passing.document())).text


def test_single_set_has_no_agreement_picture(report, read_page):
    single = dataclasses.replace(report, sets=report.sets[:1], agreement=np.ones((1, 1)))
    shown = read_page(page(single.document()))
    assert shown.unbalanced == []
    assert "Do the anchor sets agree?" not in shown.text


def test_many_probes_of_unknown_level_are_thinned_out(report, read_page):
    n = 130
    pmf = np.full((n, 5), 0.2)
    ladder = dataclasses.replace(
        report.ladder, pmf=pmf, means=np.full(n, 3.0), spread=float("nan"), spearman=float("nan")
    )
    many = dataclasses.replace(
        judged(report), probes=tuple(f"probe {i}" for i in range(n)), levels=np.full(n, np.nan), ladder=ladder
    )
    shown = read_page(page(many.document()))
    assert "40 of 130 probes are drawn." in shown.text
    assert "probe 129" in shown.text
    assert not re.search(r"\bnan\b", shown.text)


def test_screen_has_a_line_per_scale_and_per_finding(report, capsys):
    bad = LintFinding(
        "fail", "order", "plain", "rates its own anchors out of order: 2.00 for 'a', 1.00 for 'b'"
    )
    warned = LintFinding("warn", "spread", None, "the spread is small")
    print_document(lint_overview([judged(report, warned, bad), judged(report)]))
    lines = [line.split(maxsplit=3) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["Lint", "2", "scales"]
    assert lines[1] == ["1", "fail", "and", "1 pass"]
    assert [line[:3] for line in lines[4:6]] == [["quality", "fail", "2"], ["quality", "pass", "2"]]
    assert lines[7:] == [
        ["Findings"],
        ["scale", "set", "finding", "sentences"],
        ["quality", "fail", "plain", bad.reason],
        ["quality", "warn", "all", f"sets  {warned.reason}"],
    ]


def test_every_output_but_the_page(report, tmp_path):
    report.report(tmp_path / "lint.md", figures=tmp_path / "figures")
    report.report(tmp_path / "lint.xlsx")
    assert "## Set by set" in (tmp_path / "lint.md").read_text()
    assert len(list((tmp_path / "figures").glob("cosines*.svg"))) == len(report.sets)
    check_json(report.to_json())
    result = json.loads(report.to_json())
    assert (result["instrument"], result["verdict"]) == ("lint", report.verdict)
    assert result["sets"][0]["cosines"][0][0] == pytest.approx(1.0)
    assert repr(report) == f"LintReport(scale='quality', verdict='{report.verdict}')"
    assert report._repr_html_().count("<svg") == 1


def test_the_list_of_findings_quotes_the_name_of_a_set(report):
    result = judged(
        report, LintFinding("fail", "order", None, "x"), LintFinding("warn", "ends", "plain", "x")
    )
    assert [row[2] for row in finding_table([result]).rows] == [Label("all sets"), Quoted("plain")]


@pytest.mark.parametrize(
    ("language", "rates", "message"),
    [
        # The check against the English anchors: quality passes in Chinese and not in German.
        ("zh", "yes", "With e5-small, Chinese texts are rated with its sets "),
        ("de", "no", "rate does not use it: it does not rate German texts as "),
    ],
)
def test_a_translations_anchors_and_their_use_are_shown(toy_embedder, capsys, language, rates, message):
    scale = load_scale("quality", language=language)
    print_document(lint(scale, embedder=toy_embedder).document())
    shown = capsys.readouterr().out
    assert message in " ".join(shown.split())
    assert "anchors, translated by a machine" in shown
    first, anchors = next(iter(scale.anchor_sets.items()))
    (line,) = [line for line in shown.splitlines() if line.startswith(first) and "1 ·" in line]
    assert line.split()[1] == rates
    assert anchors[0][:20] in line


def test_a_scale_that_is_no_translation_shows_no_table_of_anchors(report, capsys):
    print_document(report.document())
    assert "translated by a machine" not in capsys.readouterr().out


def test_a_changed_translation_is_none_of_the_librarys(toy_embedder):
    scale = load_scale("quality", language="zh")
    sets = {name: ("别的。", *anchors[1:]) for name, anchors in scale.anchor_sets.items()}
    assert sets_that_rate(scale)
    assert sets_that_rate(scale.model_copy(update={"anchor_sets": sets})) is None


@pytest.mark.parametrize(
    ("spread", "sentence"),
    [
        # tanh(.48 + .65 * ln(.05 / .15)) = -0.23; tanh(.48 + .65 * ln(.2 / .15)) = 0.58
        (0.05, "It cannot be relied upon for these texts: their ratings hardly differ, and the expected"),
        (0.2, "For these texts the expected correlation with people is 0.58"),
    ],
)
def test_only_a_low_expected_correlation_means_that_a_scale_cannot_be_relied_upon(report, spread, sentence):
    failing = judged(report, LintFinding("fail", "order", "plain", "out of order"))
    with_texts = dataclasses.replace(failing, expected=expected_correlation(spread, 100))
    assert sentence in verdict_sentence(with_texts)
    assert ("relied" in verdict_sentence(with_texts)) is (spread < 0.1)
    assert "relied" not in verdict_sentence(failing)


def test_a_report_says_whether_a_change_is_advised(report):
    observed = LintFinding("warn", "order", "plain", "out of order")
    advised = LintFinding("warn", "agreement", None, "has one anchor set", advice="add a second")
    assert "No change is advised" in verdict_sentence(judged(report, observed))
    assert "No change is advised" not in verdict_sentence(judged(report, observed, advised))
    assert "No change is advised" not in verdict_sentence(judged(report))


def test_a_finding_names_the_sentences_that_it_is_about(report):
    scale = report.scale
    first, second = scale.labels[:2]
    alike = LintFinding("warn", "neighbours", "plain", f"anchors of {first!r} and {second!r} are too similar")
    ends = LintFinding("warn", "ends", "warm", "its ends are as similar as neighbours")
    assert sentences_of(scale, alike) == ["very bad", "bad"]
    assert sentences_of(scale, ends) == ["hate it", "love it"]
    assert sentences_of(scale, LintFinding("warn", "spread", None, "small")) == []
    ((level, line),) = findings([alike], scale).items
    assert level == "warn"
    assert line_text(line).endswith("are too similar (“very bad”, “bad”)")


def test_advice_follows_its_finding():
    finding = LintFinding("warn", "agreement", None, "one anchor set", advice="add a second")
    ((_, line),) = findings([finding]).items
    assert line_text(line) == "one anchor set: add a second"


def test_peak_mass_is_defined_above_its_column(report, read_page):
    text = read_page(page(report.document())).text
    assert text.index("Peak mass is the greatest share") < text.index("Peak mass, at least")
