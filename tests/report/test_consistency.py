"""The report on consistency: whole, harmless, and saying what it cannot say."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from semscale.answer_consistency.asking import ReplyCounts
from semscale.answer_consistency.consistency import Consistency
from semscale.report.consistency import MEANINGS, cautions, threshold_promise
from semscale.report.document import Count, DataTable, Figure, Items, Number, Quoted, Share, SideBySide
from semscale.report.html import notebook_fragment, page
from semscale.report.markdown import markdown
from semscale.report.terminal import print_document
from semscale.stats.acceptance import AcceptanceThreshold


def summed_up(answers, samples, *, prompts=None, labels=None, by=None, embedder=None, **settings):
    result = Consistency(embedder=embedder, **settings).measure(answers, samples)
    correctness = None if labels is None else result.correctness(labels)
    return result.summarize(
        answers=answers,
        samples=samples,
        prompts=prompts,
        correctness=correctness,
        by=by,
        source="made-up.csv",
    )


def labelled(toy_embedder, n=200):
    rng = np.random.default_rng(0)
    same = rng.integers(0, 6, n)
    samples = [["12 apples"] * int(k) + ["13 apples"] * int(5 - k) for k in same]
    labels = [int(rng.random() < k / 5) for k in same]
    return summed_up(["12 apples"] * n, samples, labels=labels, embedder=toy_embedder, floor=0.1)


def test_texts_are_escaped_and_what_contradicts_is_marked(toy_embedder):
    summary = summed_up(
        ["It is <b>safe</b>.", "yes"],
        [["It is not <b>safe</b>.", "<script>"], []],
        prompts=["Is <i>this</i> safe?", None],
        embedder=toy_embedder,
    )
    shown = page(summary.document())
    assert "<script" not in shown
    assert "Is &lt;i&gt;this&lt;/i&gt; safe?" in shown
    assert '<mark class="negation">not &lt;b&gt;safe</mark>' in shown
    assert "not enough usable samples" in shown
    assert 'href="http' not in shown.split('id="method"')[0]
    assert "**not &lt;b&gt;safe**" in markdown(summary.document())


def test_the_page_says_which_answers_can_be_trusted(toy_embedder):
    document = labelled(toy_embedder).document()
    shown = page(document)
    assert "Which answers can be trusted" in shown
    assert "Calibration error (ECE)" in shown
    assert shown.count("<svg") >= 3  # the spread in two widths, and the reliability picture
    assert len(shown) < 500_000
    assert [figure.name for figure in document.figures()] == ["spread", "reliability"]


def test_decisions_have_thresholds_and_shares_as_numbers(toy_embedder):
    summary = labelled(toy_embedder)
    section = next(entry for entry in summary.document().sections if entry.name == "trust")
    decisions = next(block for block in section.blocks if isinstance(block, DataTable))
    accept, abstain, review = decisions.rows
    assert [row[0].text for row in decisions.rows] == ["accept", "abstain", "review"]
    assert accept[1] == Number(summary.correctness.triage.accept.value, 3)
    assert abstain[2] == Share(summary.correctness.triage.abstain.accepted)
    assert review[2].value == pytest.approx(1 - accept[2].value - abstain[2].value)


def test_answers_that_are_all_consistent_are_not_listed_as_the_least_consistent(toy_embedder, capsys):
    alike = summed_up(["a", "b"], [["a"], ["b"]], embedder=toy_embedder, floor=0.1).document()
    assert "least" not in [section.name for section in alike.sections]
    print_document(alike)
    assert "least consistent" not in capsys.readouterr().out


def test_least_consistent_answers_name_a_contradicting_sample(toy_embedder, capsys):
    for sample, is_contradicting in (("Apples.", False), ("13 apples", True)):
        samples = [["12 apples"], [sample]]
        print_document(summed_up(["12 apples"] * 2, samples, embedder=toy_embedder, floor=0.1).document())
        shown = capsys.readouterr().out
        assert "1 least consistent prompt" in shown
        assert ("example" in shown) is is_contradicting


def test_equally_consistent_answers_show_contradictions_without_a_ranking(toy_embedder, capsys):
    samples = [["13 apples"], ["13 apples"]]
    alike = summed_up(
        ["12 apples"] * 2, samples, embedder=toy_embedder, measures=["cosine_sim", "uncontradicted"]
    ).document()
    (section,) = (section for section in alike.sections if section.name == "least")
    assert not [block for block in section.blocks if isinstance(block, Items)]
    assert "All answers are equally consistent" in page(alike)
    print_document(alike)
    shown = capsys.readouterr().out
    assert "Samples that contradict the answer" in shown
    assert "least consistent" not in shown


def test_a_promise_says_on_what_it_rests():
    side = AcceptanceThreshold(0.8, 0.05, 0.95, 100, 0, 1240, 3, 0.04, 0.4)
    # The two shares have no breaking space before their sign.
    text = threshold_promise(side, "this or more", "wrong", 0.95).replace("\N{NO-BREAK SPACE}", " ")
    assert text == (
        "this or more: at most 5 % of these wrong, with 95 % confidence for both "
        "(3 of 1,240 labelled ones were)"
    )


def test_a_promise_that_no_threshold_keeps_says_what_becomes_of_answers():
    none = AcceptanceThreshold(None, 0.05, 0.95, 40, 0, 0, 0, error_high=1.0, accepted=0.0)
    text = threshold_promise(none, "this or more", "wrong", 0.95).replace("\N{NO-BREAK SPACE}", " ")
    assert text == ("no threshold keeps wrong answers among those accepted below 5 %: nothing is accepted")
    few = replace(none, labels_needed=90, note="40 labels are too few")
    assert threshold_promise(few, "this or more", "wrong", 0.95) == "40 labels are too few"


def test_without_labels_there_is_no_trust_and_without_values_no_picture(toy_embedder, capsys):
    document = summed_up(["a"], [[]], embedder=toy_embedder).document()
    shown = page(document)
    assert "Which answers can be trusted" not in shown
    assert "No prompt was scored" in shown
    assert "<svg" not in shown
    print_document(document)
    assert capsys.readouterr().out.count("No prompt was scored, so there is nothing to estimate.") == 1


def test_groups_are_drawn_and_listed(toy_embedder):
    by = pl.Series("kind", ["x & y", "z", None])
    summary = summed_up(["a", "b", "d"], [["a"], ["c"], ["d"]], by=by, embedder=toy_embedder)
    section = next(section for section in summary.document().sections if section.name == "spread")
    assert section.title == ("Agreement of the answers, by ", Quoted("kind"))
    histogram = next(block for block in section.blocks if isinstance(block, Figure))
    groups = histogram.description.replace("\N{NO-BREAK SPACE}", " ").split("; ")
    names = [group.partition(": ")[0] for group in groups]
    assert names[-3:] == ["x & y (n = 1*)", "z (n = 1*)", "(no kind) (n = 1*)"]
    assert page(summary.document()).count("* fewer than 10 prompts: these figures vary") == 1
    assert "x &amp; y" in page(summary.document())


def test_items_list_samples_once_with_contradictions_first(toy_embedder):
    samples = [["12 apples", "12 apples", None, "13 apples", *(f"12 apples {n}" for n in "abcdefgh")]]
    # The second answer agrees with its sample, so that the first one lies below the mean.
    answers, samples = ["12 apples", "pears"], [*samples, ["pears"]]
    summary = summed_up(answers, samples, embedder=toy_embedder, floor=0.1)
    (section,) = (section for section in summary.document().sections if section.name == "least")
    (item,) = next(block for block in section.blocks if isinstance(block, Items)).items
    names = [name for name, _ in item.texts]
    assert names[:3] == ["answer", "sample", "2 samples"]
    assert [piece.text for piece in item.texts[1][1].pieces] == ["13", " apples"]
    # Of ten different samples eight are shown; the other two can be unfolded.
    assert len(names) == 9
    assert item.details == ("2 more samples", ("12 apples g", "12 apples h"))
    assert item.brief == (Quoted("12 apples"), Count(1), Count(11), Quoted("13 apples"))


def test_a_summary_without_texts_shows_none(toy_embedder):
    result = Consistency(embedder=toy_embedder, floor=0.1).measure(["12 apples"] * 2, [["13 apples"]] * 2)
    shown = page(result.summarize().document())
    assert "The answer says &#34;12&#34;, the sample &#34;13&#34;." in shown
    assert "<dt>answer</dt>" not in shown


def test_notebook_shows_a_small_table_and_a_single_picture(toy_embedder):
    shown = notebook_fragment(labelled(toy_embedder).document())
    assert shown.count("<svg") == 1
    assert "mean consistency" in shown
    assert "<script" not in shown


def test_cautions_name_limits_of_the_figures(toy_embedder):
    text = " ".join(cautions(summed_up(["a", "b"], [["a"], ["c", None]], embedder=toy_embedder)))
    assert "fewer than 10 different answers" in text
    assert "fewer than 3 samples" in text
    assert "1 sample left out: missing, empty, no text, or not read by the model" in text
    assert not list(cautions(summed_up(["a"], [["a"] * 3], embedder=toy_embedder, floor=0.1)))


def test_placeholder_answers_such_as_null_are_counted(toy_embedder):
    answers = ["None", "null.", "NaN", "none of them", "a"]
    text = list(cautions(summed_up(answers, [["b"] * 3] * 5, embedder=toy_embedder, floor=0.1)))
    assert text == [
        "3 answers read None, null, nil or NaN and count as answers: where these mean that there is no "
        "answer, leave the cells empty."
    ]


def test_effect_of_the_call_limit_is_reported(toy_embedder):
    result = Consistency(embedder=toy_embedder, floor=0.1).measure(["a"], [["a"] * 3])
    counts = ReplyCounts(4, 1, {"the line is busy": 2}, "the cap of 4 calls is reached")
    document = result.summarize(answers=["a"], samples=[["a"] * 3], replies=counts).document()
    assert document.sentences("caution") == (
        "The run is incomplete: the cap of 4 calls is reached.",
        "no interval: it takes at least 2 prompts, and there is 1",
    )
    assert document.brief_introduction[1] == (
        "4 replies asked for, 1 saved because the decision was settled, 2 without a reply, most often "
        "because: the line is busy"
    )


def test_equally_good_length_baseline_is_reported(toy_embedder):
    # Right answers are short, whatever their samples say.
    answers = ["a"] * 20 + ["a long answer"] * 20
    summary = summed_up(
        answers, [["b"]] * 40, labels=[1] * 20 + [0] * 20, embedder=toy_embedder, measures=["exact_match"]
    )
    assert any("lengths of the texts alone do as well" in line for line in cautions(summary))


def test_measures_that_not_all_answers_have_are_compared_on_the_answers_that_have_all(toy_embedder):
    # Forty labelled answers, half of them without log-probabilities; the first token tells right from wrong.
    answers = ["a"] * 40
    labels = [1, 0] * 20
    tokens = [[-0.1 if right else -2.0] if at < 20 else None for at, right in enumerate(labels)]
    samples = [["a"] if right else ["b"] for right in labels]
    result = Consistency(embedder=toy_embedder, measures=["exact_match", "min_probability"]).measure(
        answers, samples, logprobs=tokens
    )
    summary = result.summarize(
        answers=answers, samples=samples, correctness=result.correctness(labels, ensemble="mean")
    )
    blocks = list(_blocks(summary.document(), "trust"))
    areas = next(entry for entry in blocks if isinstance(entry, DataTable) and entry.columns[1] == "AUC")
    assert areas.columns[2:] == ("labelled answers", "AUC on the 20 that have all")
    rows = {row[0].text: row for row in areas.rows}
    assert (rows["exact match"][2], rows["least token probability"][2]) == (Count(40), Count(20))
    assert "Compare them in the last column" in markdown(summary.document())
    weights = next(entry for entry in blocks if isinstance(entry, DataTable) and entry.columns[1] == "weight")
    assert {row[0].text: row[2] for row in weights.rows} == {
        "exact match": Count(0),
        "least token probability": Count(20),
    }
    assert any("least token probability in 20 prompts" in line for line in cautions(summary))
    record = summary.record()["trust"]
    assert record["area_labels"]["min_probability"] == record["common_labels"] == 20
    assert record["filled"] == {"min_probability": 20}


def _blocks(document, section):
    """All blocks of a section, those that stand side by side included."""
    for block in next(entry for entry in document.sections if entry.name == section).blocks:
        yield from (
            [entry for column in block.columns for entry in column]
            if isinstance(block, SideBySide)
            else [block]
        )


@pytest.mark.parametrize(
    "status",
    ["missing", "not-text", "empty", "too-few-samples", "refused", "failed", "unfinished", "no-value"],
)
def test_every_reason_has_a_meaning(status):
    assert MEANINGS[status]
