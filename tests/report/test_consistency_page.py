import numpy as np
import pytest

from semscale.cli.runs.consistency import written
from semscale.report.consistency_page import consistency_page
from semscale.report.consistency_words import cautions, promises
from semscale.self_consistency.columns import AnswerCells, AnswerColumns
from semscale.self_consistency.consistency import Consistency
from semscale.self_consistency.correctness_probability import estimate_trust
from semscale.self_consistency.summary import ConsistencySummary


def summed_up(answers, samples, *, prompts=None, labels=None, groups=None, embedder=None, **settings):
    import polars as pl

    found = Consistency(embedder=embedder, **settings).measure(answers, samples)
    cells = AnswerCells(
        pl.DataFrame({"n": range(len(answers))}),
        prompts or [None] * len(answers),
        answers,
        samples,
        labels,
        groups,
    )
    estimates = found.estimate(by=groups)
    trust = None if labels is None else estimate_trust(found, labels)
    columns = AnswerColumns(answer="answer", samples=("s",), by=None if groups is None else "kind")
    return ConsistencySummary("made-up.csv", columns, cells, found, estimates, trust)


def labelled(toy_embedder, n=200):
    rng = np.random.default_rng(0)
    same = rng.integers(0, 6, n)
    samples = [["12 apples"] * int(k) + ["13 apples"] * int(5 - k) for k in same]
    labels = [int(rng.random() < k / 5) for k in same]
    return summed_up(["12 apples"] * n, samples, labels=labels, embedder=toy_embedder, floor=0.1)


def test_texts_are_escaped_and_what_contradicts_is_marked(toy_embedder):
    page = consistency_page(
        summed_up(
            ["It is <b>safe</b>.", "yes"],
            [["It is not <b>safe</b>.", "<script>"], []],
            prompts=["Is <i>this</i> safe?", None],
            embedder=toy_embedder,
        )
    )
    assert "<script" not in page
    assert "Is &lt;i&gt;this&lt;/i&gt; safe?" in page
    assert '<mark class="negation">not &lt;b&gt;safe</mark>' in page
    assert "not enough usable samples" in page
    assert 'href="http' not in page.split('id="method"')[0]


def test_the_page_says_which_answers_can_be_trusted(toy_embedder):
    summary = labelled(toy_embedder)
    page = consistency_page(summary)
    assert "Which answers can be trusted" in page
    assert "Calibration error (ECE)" in page
    assert page.count("<svg") >= 3  # the spread in two widths, and the reliability picture
    assert [name for name, *_ in promises(summary)] == ["accept", "abstain", "review"]
    assert len(page) < 500_000


def test_without_labels_there_is_no_trust_and_without_values_no_picture(toy_embedder):
    page = consistency_page(summed_up(["a"], [[]], embedder=toy_embedder))
    assert "Which answers can be trusted" not in page
    assert "No prompt has a value" in page
    assert "<svg" not in page


def test_groups_are_drawn(toy_embedder):
    page = consistency_page(
        summed_up(["a", "b"], [["a"], ["c"]], groups=["x & y", "z"], embedder=toy_embedder)
    )
    assert "x &amp; y" in page


def test_cautions_name_what_the_figures_must_not_be_taken_for(toy_embedder):
    said = " ".join(cautions(summed_up(["a", "b"], [["a"], ["c", None]], embedder=toy_embedder)))
    assert "fewer than 10 different answers" in said
    assert "fewer than 3 samples" in said
    assert "1 sample missing, empty or no text" in said
    assert cautions(summed_up(["a"], [["a"] * 3], embedder=toy_embedder, floor=0.1)) == ()


def test_a_null_that_does_as_well_is_said(toy_embedder):
    # Right answers are short, whatever their samples say.
    answers = ["a"] * 20 + ["a long answer"] * 20
    summary = summed_up(
        answers, [["b"]] * 40, labels=[1] * 20 + [0] * 20, embedder=toy_embedder, measures=["exact_match"]
    )
    assert any("lengths of the texts alone do as well" in line for line in cautions(summary))


def test_the_table_has_the_items_own_columns_first(toy_embedder):
    frame = written(labelled(toy_embedder, 40))
    assert frame.columns[:3] == ["n", "semscale_status", "semscale_consistency"]
    assert frame.columns[-2:] == ["semscale_probability_correct", "semscale_decision"]
    assert frame.height == 40


@pytest.mark.parametrize("status", ["missing", "not-text", "empty", "too-few-samples", "refused", "failed"])
def test_every_status_has_a_meaning(status):
    from semscale.report.consistency_words import MEANINGS

    assert MEANINGS[status]
