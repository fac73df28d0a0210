"""The report on judging: whole, self-contained, harmless, and saying what it cannot say."""

import math
import re

import pytest
from tests.judging.conftest import Scripted, material, plain_running

from semscale.chat.replies import CallError, FailureKind, Reply, TokenLogprob
from semscale.judging.judge import Judge
from semscale.judging.panel import Panel
from semscale.report.document import Count
from semscale.report.html import page
from semscale.report.judging.figures import human_table, judge_table, scores_histogram
from semscale.report.judging.words import panel_words
from semscale.report.terminal import print_document

QUESTIONS = ["<b>why?</b>", "why?", "why?", "", "why?"]
ANSWERS = ["5 <script>alert(1)</script>", "3", "1", "x", "4 or 5"]


def saying(name, less=0):
    def say(request):
        answer = material(request).split()[0] if "or" not in material(request) else "4 or 5"
        level = answer if "or" in answer else max(1, int(answer) - less)
        return f"Score: {level}\nExplanation: <img src=x> because of {answer}"

    return Judge(Scripted(say, name=name))


def made(*judges, human=None):
    judge = judges[0] if len(judges) == 1 else Panel(judges)
    result = judge.judge(QUESTIONS, ANSWERS, running=plain_running())
    return result.summarize(QUESTIONS, ANSWERS, human=human)


@pytest.fixture(scope="module")
def panel_page():
    return page(made(saying("strict", 1), saying("kind"), human=[5, 3, [1, 2], None, 4]).document())


def test_nothing_in_a_text_or_a_reply_is_markup(panel_page):
    assert "<script" not in panel_page
    assert "<img" not in panel_page
    assert "&lt;script&gt;alert(1)" in panel_page
    assert "&lt;img src=x&gt; because of 5" in panel_page
    assert "default-src 'none'" in panel_page
    assert not re.search(r"(?:src|href)=\"(?!https://arxiv|#)", panel_page)


def test_a_panels_page_has_severity_disagreement_and_people(panel_page):
    for words in (
        "How severe each judge is", "How far every two judges agree", "Where the judges differ most",
        "Against human labels", "Mean, corrected by the labels", "People with each other",
        "errors of these 2 judges cancel", "unparsable", "Signature", "How to cite",
    ):  # fmt: skip
        assert words in panel_page
    assert "No human label stands" not in panel_page


def test_one_judges_page_says_that_nothing_shows_how_right_it_is():
    shown = page(made(saying("one")).document())
    assert "No human label stands beside these scores" in shown
    assert "How severe each judge is" not in shown
    assert "gave no score to 1 row" in shown
    assert "wide intervals: by t quantiles, from 3 rows only" in shown


def test_judges_who_do_not_agree_are_not_said_to_be_many():
    def turned(request):
        return f"Score: {6 - int(material(request).split()[0])}"

    summary = made(saying("one"), Judge(Scripted(turned, name="turned")))
    words = panel_words(summary)
    # 5, 3 and 1 beside 1, 3 and 5: r = -1, for which k / (1 + (k - 1) r) would be infinite.
    assert words.startswith("How many independent judges these 2 amount to cannot be said: their scores are")
    assert "not shown to agree beyond chance (mean correlation −1.00)" in words
    assert summary.record()["panel"]["effective_judges"]["note"].startswith("their scores")


def test_the_labels_means_say_which_rows_they_are_of():
    # Four rows have a label; the judge's reply to the last of them states no score.
    summary = made(saying("one"), human=[5, 3, 2, None, 4])
    group = scores_histogram(summary).groups[-1]
    assert group.name.replace("\N{NO-BREAK SPACE}", " ") == "People’s labels (n = 4)"
    # Scores 1, .5, .25 and .75
    assert group.mean == pytest.approx(0.625)
    assert group.low < group.mean < group.high
    (alone,) = [row for row in human_table(summary).rows if row[0].text == "mean of the labels alone"]
    # 1, .5 and .25
    assert alone[1].value == pytest.approx(1.75 / 3)
    assert alone[2].text.startswith("without the judge, of 3 rows with a label and a score")
    assert ("With label and score", Count(3)) in summary.document().facts
    said = {row[0].text: row for row in human_table(summary).rows}
    assert said["mean, corrected by the labels"][2].text.startswith(
        "what people would give to the 3 rows with a score, if the labelled ones among them are"
    )
    assert said["mean of all labels"][1].value == pytest.approx(0.625)
    assert said["mean of all labels"][2].text.startswith("of 4 rows with a label, 1 of them without a score")
    # Scores 1, .5 and 0 less labels 1, .5 and .25
    less = said["judge less people"]
    assert less[1].value == pytest.approx(-0.25 / 3)
    assert less[1].low < less[1].value < less[1].high
    assert less[2].text.startswith("on the 3 rows with a label and a score; above 0 is lenient; interval by")


def test_a_judge_of_a_panel_without_any_score_is_named_above_the_headline():
    mute = Judge(Scripted(lambda _: "hm", name="mute"))
    document = made(saying("one"), mute).document()
    assert document.warnings == ("mute scored nothing: these figures are those of one alone.",)
    assert "mute gave no score to any of 4 rows." in document.cautions
    assert "one gave no score to 1 row; its figures hold for the others only." in document.cautions
    assert made(mute).document().warnings == ()
    assert made(saying("one"), saying("other")).document().warnings == ()


def test_calls_without_a_usable_reply_are_counted_with_their_reason():
    def silent(request):
        if material(request).startswith("3"):
            raise CallError("m answered without text", kind=FailureKind.SILENT)
        return "Score: 4"

    cautions = made(Judge(Scripted(silent, name="m"))).document().cautions
    assert "m gave no usable reply to 1 row, most often because: m answered without text." in cautions


def test_each_mean_is_of_the_column_that_it_names(capsys):
    # Level 4 is stated, .75; half of its token's probability is on level 2, .25: .5 is expected.
    top = (("4", math.log(0.5)), ("2", math.log(0.5)))
    likely = Scripted(lambda _: Reply("4", logprobs=(TokenLogprob("4", math.log(0.5), top),)), name="likely")
    for judges, lead in (([Judge(likely)], "mean score"), ([Judge(likely)] * 2, "mean expected score")):
        document = made(*judges).document()
        assert document.lead.name == f"{lead}, from 0 to 1"
        assert document.lead.value.value == pytest.approx(0.75 if lead == "mean score" else 0.5)
        table = judge_table(made(*judges))
        means = dict(zip(table.columns, table.rows[0], strict=True))
        assert means["mean score"].value == pytest.approx(0.75)
        assert means["mean expected score"].value == pytest.approx(0.5)
        print_document(document)
        shown = capsys.readouterr().out
        assert re.search(r"mean expected score, from 0 to 1 +0\.50", shown)
        assert bool(re.search(r"mean score, from 0 to 1 +0\.75", shown)) == (len(judges) == 1)


def test_a_page_without_a_score():
    shown = page(made(Judge(Scripted(lambda _: "hm", name="mute"))).document())
    assert "No row counts" in shown
    assert "no reply states one score beyond doubt" in shown
    assert ">0.00<" not in shown


def test_parameters_that_a_judge_refused_are_named_for_that_judge_alone():
    left_out = ("temperature", "max_tokens")
    picky = Judge(Scripted(lambda request: Reply("Score: 4", left_out=left_out), name="picky"))
    cautions = made(picky, saying("easy")).document().cautions
    told = [caution for caution in cautions if "refused" in caution]
    assert told == [
        "picky refused the parameters temperature and max_tokens and was asked without them: "
        "its own defaults apply."
    ]
