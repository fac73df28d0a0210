"""Reports on judging: judged tables, comparisons with human labels, and audits."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.judging.conftest import Scripted, material, plain_running
from tests.schema_check import check_json

from semscale.chat.budget import Price, PriceTable
from semscale.chat.messages import CallError, FailureKind, Reply, TokenLogprob, Usage
from semscale.chat.settings import Budget
from semscale.judging.audit import AuditSummary, audit
from semscale.judging.judge import Judge, Panel
from semscale.report.document import Count, Label, Number, Quoted
from semscale.report.formatting import cell_text
from semscale.report.html import page
from semscale.report.judging import NO_LABELS, human_table, judges_table, panel_note
from semscale.report.markdown import markdown
from semscale.report.terminal import print_document
from semscale.spelling import as_option, spelled
from semscale.stats.intervals import IntervalPlan

QUESTIONS = ["<b>why?</b>", "why?", "why?", "", "why?"]
ANSWERS = ["5 <script>alert(1)</script>", "3", "1", "x", "4 or 5"]


def saying(name, less=0):
    def say(request):
        answer = material(request).split()[0] if "or" not in material(request) else "4 or 5"
        level = answer if "or" in answer else max(1, int(answer) - less)
        letter = "x" if "or" in answer else "abcdef"[int(answer)]  # another level would be a contradiction
        return f"Score: {level}\nExplanation: <img src=x> because of {letter}"

    return Judge(Scripted(say, name=name))


def outcome(*judges, human=None):
    judge = judges[0] if len(judges) == 1 else Panel(judges)
    result = judge.judge(QUESTIONS, ANSWERS, running=plain_running())
    return result.summarize(QUESTIONS, ANSWERS, human=human)


@pytest.fixture(scope="module")
def panel_page():
    return page(outcome(saying("strict", 1), saying("kind"), human=[5, 3, [1, 2], None, 4]).document())


def test_nothing_in_a_text_or_a_reply_is_markup(panel_page):
    assert "<script" not in panel_page
    assert "<img" not in panel_page
    assert "&lt;script&gt;alert(1)" in panel_page
    assert "&lt;img src=x&gt; because of f" in panel_page
    assert "default-src 'none'" in panel_page
    assert not re.search(r"(?:src|href)=\"(?!https://arxiv|#)", panel_page)


def test_a_panels_page_has_severity_disagreement_and_people(panel_page):
    for sentence in (
        "Severity of the judges", "Agreement between the judges", "Rows where the judges differ most",
        "Comparison with human labels", "Mean, corrected by the labels", "People with each other",
        "errors of these 2 judges cancel", "unparsable", "Signature", "How to cite",
    ):  # fmt: skip
        assert sentence in panel_page
    assert "No human label" not in panel_page


def test_page_of_a_single_judge_states_that_accuracy_is_unknown():
    shown = page(outcome(saying("one")).document())
    assert "No human label: nothing shows" in shown
    assert "Severity of the judges" not in shown
    assert "gave no score to 1 row" in shown
    assert "wide intervals: 3 rows allow only t quantiles" in shown


def test_disagreeing_judges_are_not_counted_as_many():
    def turned(request):
        return f"Score: {6 - int(material(request).split()[0])}"

    summary = outcome(saying("one"), Judge(Scripted(turned, name="turned")))
    sentence = panel_note(summary)
    # 5, 3 and 1 beside 1, 3 and 5: r = -1, for which k / (1 + (k - 1) r) would be infinite.
    assert sentence.startswith(
        "The number of independent judges that these 2 are worth is not known: their scores do"
    )
    assert "do not agree beyond chance (mean correlation −1.00)" in sentence
    assert summary.record()["panel"]["effective_judges"]["note"].startswith("their scores")


def test_a_judge_without_any_score_is_not_counted_among_the_judges_of_a_panel():
    def mute(_):
        return "hm"

    with_mute = panel_note(outcome(saying("one"), saying("other"), Judge(Scripted(mute, name="mute"))))
    assert with_mute == panel_note(outcome(saying("one"), saying("other")))
    assert with_mute.startswith("These 2 judges are worth 1.0 independent judges")


def histogram_of(summary):
    return next(figure for figure in summary.document().figures() if figure.name == "scores")


def test_the_labels_means_say_which_rows_they_are_of():
    # Four rows have a label; the judge's reply to the last of them states no score.
    summary = outcome(saying("one"), human=[5, 3, 2, None, 4])
    name, n, mean, *_ = histogram_of(summary).table.rows[-1]
    # Scores 1, .5, .25 and .75
    assert (name, n, mean) == (Label("People’s labels"), Count(4), Number(pytest.approx(0.625)))
    assert summary.mean_label.low < 0.625 < summary.mean_label.high
    assert (
        histogram_of(summary)
        .description.replace("\N{NO-BREAK SPACE}", " ")
        .endswith("People’s labels (n = 4): mean 0.62.")
    )
    (alone,) = [row for row in human_table(summary).rows if row[0].text == "mean of the labels alone"]
    # 1, .5 and .25
    assert alone[1].value == pytest.approx(1.75 / 3)
    assert alone[2].text.startswith("without the judge, of 3 rows with a label and a score")
    assert ("With label and score", Count(3)) in summary.document().facts
    table_rows = {row[0].text: row for row in human_table(summary).rows}
    assert table_rows["mean, corrected by the labels"][2].text.startswith(
        "what people would give to the 3 rows with a score, if the labelled ones are a"
    )
    assert table_rows["mean of all labels"][1].value == pytest.approx(0.625)
    assert table_rows["mean of all labels"][2].text.startswith(
        "of 4 rows with a label, 1 of them without a score"
    )
    # Scores 1, .5 and 0 less labels 1, .5 and .25
    less = table_rows["judge minus people"]
    assert less[1].value == pytest.approx(-0.25 / 3)
    assert less[1].low < less[1].value < less[1].high
    assert less[2].text.startswith("on the 3 rows with a label and a score; above 0 is lenient; interval by")


def test_a_judge_of_a_panel_without_any_score_is_named_above_the_headline():
    mute = Judge(Scripted(lambda _: "hm", name="mute"))
    document = outcome(saying("one"), mute).document()
    assert document.sentences("warning")[0] == "mute scored no row: these figures are those of one alone."
    assert "mute gave no score to any of 4 rows." in document.sentences("caution")
    assert "one gave no score to 1 row; its figures hold for the others only." in document.sentences(
        "caution"
    )
    assert outcome(mute).document().sentences("warning") == ()  # there is no score to doubt
    labelled = outcome(mute, human=[5, 3, 2, None, 4]).document()
    assert "No row has both a human label and a score, so nothing shows whether people would agree." in (
        labelled.sentences("caution")
    )
    assert outcome(saying("one"), saying("other")).document().brief_sentences("warning") == (
        spelled(NO_LABELS, as_option),
    )


def test_calls_without_a_usable_reply_are_counted_with_their_reason():
    def silent(request):
        if material(request).startswith("3"):
            raise CallError("m answered without text", kind=FailureKind.SILENT)
        return "Score: 4"

    cautions = outcome(Judge(Scripted(silent, name="m"))).document().sentences("caution")
    assert "m gave no usable reply to 1 row, most often because: m answered without text." in cautions


def test_mean_belongs_to_the_named_column(capsys):
    # Level 4 is stated, .75; half of its token's probability is on level 2, .25: .5 is expected.
    top = (("4", math.log(0.5)), ("2", math.log(0.5)))
    likely = Scripted(lambda _: Reply("4", logprobs=(TokenLogprob("4", math.log(0.5), top),)), name="likely")
    for judges, lead in (([Judge(likely)], "mean score"), ([Judge(likely)] * 2, "mean expected score")):
        document = outcome(*judges).document()
        assert document.lead.name == f"{lead}, from 0 to 1"
        assert document.lead.value.value == pytest.approx(0.75 if lead == "mean score" else 0.5)
        table = judges_table(outcome(*judges))
        means = dict(zip(table.columns, table.rows[0], strict=True))
        assert means["mean score"].value == pytest.approx(0.75)
        assert means["mean expected score"].value == pytest.approx(0.5)
        print_document(document)
        shown = capsys.readouterr().out
        assert re.search(r"mean expected score, from 0 to 1 +0\.50", shown)
        assert bool(re.search(r"mean score, from 0 to 1 +0\.75", shown)) == (len(judges) == 1)


def test_a_page_without_a_score():
    shown = page(outcome(Judge(Scripted(lambda _: "hm", name="mute"))).document())
    assert "No row was scored" in shown
    assert "no reply contains exactly one score" in shown
    assert ">0.00<" not in shown


def test_parameters_that_a_judge_refused_are_named_for_that_judge_alone():
    left_out = ("temperature", "max_tokens")
    picky = Judge(Scripted(lambda request: Reply("Score: 4", left_out=left_out), name="picky"))
    cautions = outcome(picky, saying("easy")).document().sentences("caution")
    refused = [caution for caution in cautions if "refused" in caution]
    assert refused == [
        "picky refused the parameters temperature and max_tokens and was asked without them: "
        "its own defaults apply."
    ]


WRITTEN = {"out": None, "report": [], "figures": None}


def judged(n, human, **settings):
    answers = [str(1 + 4 * (row % 2)) for row in range(n)]
    judge = Judge(Scripted(lambda request: f"Score: {material(request)}", name="gpt-4o"))
    results = judge.judge(["q"] * n, answers, running=plain_running())
    return results.summarize(["q"] * n, answers, human=human, **settings)


def test_heading_names_an_interval_only_if_it_exists():
    assert human_table(judged(1, [5])).columns[1] == "value"
    assert human_table(judged(40, [5, 1] * 20)).columns[1] == "value (95 % interval)"


def rows_of(table):
    return {row[0].text: row[1:] for row in table.rows}


@pytest.mark.parametrize("n", [3, 40])
def test_judge_mean_has_the_same_interval_everywhere(n):
    summary = judged(n, [5, 1] + [None] * (n - 2), seed=3, replicates=500)
    row = rows_of(human_table(summary))["mean expected score of the judge"][0]
    beside = judges_table(summary).rows[0][-1]
    assert (row.value, row.low, row.high) == pytest.approx((beside.value, beside.low, beside.high))
    assert 0 <= row.low <= row.high <= 1
    written = summary.record()["human"]["naive"]
    assert (written.low, written.high) == (row.low, row.high)


def test_rows_of_the_human_table_name_their_interval_method():
    rows = rows_of(human_table(judged(40, [5, 1, 4] * 13 + [None])))
    for name, method in (
        ("mean, corrected by the labels", "jackknife"),
        ("mean expected score of the judge", "bootstrap"),
        ("mean of the labels alone", "jackknife"),
        ("quadratic weighted kappa", "jackknife"),
    ):
        assert rows[name][1].text.endswith(f"; interval by {method}")


def test_interval_with_added_labels_is_reported():
    # Labels at both ends of the range only: their own spread says too little.
    summary = judged(8, [5, 1, 5, *[None] * 5])
    method = "jackknife with added labels"
    assert rows_of(human_table(summary))["mean of the labels alone"][1].text.endswith(method)
    check_json(json.dumps(json.loads(summary.to_json()) | WRITTEN))


def test_too_few_labels_are_the_reason_why_there_is_no_interval():
    rows = rows_of(human_table(judged(6, [5, 1, *[None] * 4])))
    for name in ("mean, corrected by the labels", "mean of the labels alone"):
        assert np.isnan(rows[name][0].low)
        assert cell_text(rows[name][0]).endswith("(an interval needs 3 labels or more)")
        assert "interval by" not in rows[name][1].text


def test_names_of_judges_and_templates_stay_as_they_are_written():
    alone = judged(6, None)
    assert [row[0] for row in histogram_of(alone).table.rows] == [Quoted("likert")]
    members = [Judge(Scripted(lambda _: "Score: 4", name=name)) for name in ("gpt-4o", "qwen")]
    panel = Panel(members).judge(["q"] * 4, ["a"] * 4, running=plain_running())
    summary = panel.summarize(["q"] * 4, ["a"] * 4, human=[4, 5, 4, 5])
    names = [row[0] for row in histogram_of(summary).table.rows]
    assert names == [Label("Panel, mean"), Quoted("gpt-4o"), Quoted("qwen"), Label("People’s labels")]
    for shown in (page(summary.document()), markdown(summary.document())):
        assert "gpt-4o" in shown
        assert "Gpt-4o" not in shown


AUDIT_QUESTIONS = ["q"] * 12


def polite(request):
    """Gives every other answer a level more where polite words stand around it."""
    is_padded = "I hope that this is helpful" in material(request)
    return f"Score: {5 if is_padded and re.search('[02468]', material(request)) else 4}"


AUDIT_ANSWERS = [f"answer {n}" for n in range(11)] + [""]


def audited(*names, **settings):
    results = {
        name: audit(
            Judge(Scripted(polite, name=name)),
            AUDIT_QUESTIONS,
            AUDIT_ANSWERS,
            running=plain_running(**settings),
            plan=IntervalPlan(0.9, seed=3),
        )
        for name in names
    }
    return AuditSummary("answers.csv", results)


@pytest.fixture
def renderings(capsys):
    def shown(summary):
        document = summary.document()
        print_document(document)
        return capsys.readouterr().out, page(document), markdown(document)

    return shown


def test_an_audit_that_stopped_says_so_everywhere(renderings):
    summary = audited("one", budget=Budget(calls=24))
    assert summary.stopped is not None
    assert summary.document().sentences("caution")[0] == f"The run is incomplete: {summary.stopped}."
    assert all("The run is incomplete" in shown for shown in renderings(summary))


def test_what_the_verdicts_cost_stands_beside_tokens_where_prices_are_known(renderings):
    table = PriceTable({"one": Price(0.001, 0.002, "EUR")})
    judge = Judge(Scripted(lambda _: Reply("Score: 4", usage=Usage(100, 10)), name="one"))
    running = replace(plain_running(), prices=table)
    results = audit(judge, AUDIT_QUESTIONS, AUDIT_ANSWERS, running=running)
    # Eleven answers that can be judged, of 100 * .001 + 10 * .002 each.
    assert results.cost == pytest.approx(1.32)
    summary = AuditSummary("answers.csv", {"one": results})
    assert all("1.32 EUR" in shown for shown in renderings(summary))
    spent = summary.record()["judges"][0]["spent"]
    assert (spent["cost"], spent["currency"]) == (pytest.approx(1.32), "EUR")
    assert all("EUR" not in shown for shown in renderings(audited("two")))


def test_audit_states_what_counts_and_how_intervals_are_computed(renderings):
    summary = audited("one")
    for shown in renderings(summary):
        assert "11 of 12 rows were scored; left out: 1 empty" in shown
        bootstrap = "90 %, 2,000 bootstrap resamples of rows, seed 3"
        # The judge gives the same whatever the order of the levels, and whatever is injected.
        outcome = f"{bootstrap}; those of reversed and injection: exact bounds: all rows have the same"
        assert outcome in shown.replace("\N{NO-BREAK SPACE}", " ")
        # Three checks of five are made: without references their place cannot change, and the judge scores
        # levels that are named by letters with a number, which is unreadable.
        assert "with 3 checks, one of them may do so by chance" in shown


def test_a_check_without_an_interval_does_not_say_that_there_is_none(renderings):
    # Eleven calls without a change, eleven with the first one, and a single one with the second.
    for shown in renderings(audited("one", budget=Budget(calls=23))):
        assert "90 %, " in shown.replace("\N{NO-BREAK SPACE}", " ")
        assert "none, because" not in shown


def test_several_judges_have_a_signature_of_all(renderings):
    alone, both = audited("one"), audited("one", "two")
    assert str(alone.signature) == str(alone.audits["one"].signature)
    signature = dict(both.signature.fields)
    assert (signature["judges"], signature["model_1"], signature["model_2"]) == ("2", "one", "two")
    assert both.document().signature == both.signature
    settings = dict(both.document().settings)
    for name, results in both.audits.items():
        assert settings[f"Signature of {name}"].text == results.signature
    for shown in renderings(both)[1:]:
        for name in both.audits:
            assert f"Signature of {name}" in shown
            assert f"{name}</bdi>: 11 of 12" in shown or f"{name}: 11 of 12" in shown


def test_it_says_on_how_many_rows_the_checks_rest(renderings):
    def puzzled(request):
        is_padded = "I hope that this is helpful" in material(request)
        return "hm" if is_padded and re.search("[02468]", material(request)) else "Score: 4"

    results = audit(
        Judge(Scripted(puzzled, name="one")), AUDIT_QUESTIONS, AUDIT_ANSWERS, running=plain_running()
    )
    # Of the padded answers, 0, 2, 4, 6, 8 and 10 get no score, so that check has 5 rows; the others have 11.
    for shown in renderings(AuditSummary("answers.csv", {"one": results})):
        assert (
            "11 of 12 rows were scored; left out: 1 empty; the checks are based on 5 to 11 of them"
            in " ".join(shown.split())
        )


def test_a_judge_without_human_labels_says_so_above_its_headline(read_page):
    text = read_page(page(outcome(saying("one")).document())).text
    assert text.index("No human label") < text.index("mean score, from 0 to 1")
    labelled = outcome(saying("one"), human=[5, 3, 2, None, 4]).document()
    assert not any("No human label" in warning for warning in labelled.sentences("warning"))
