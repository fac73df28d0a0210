"""Rubrics: weights, the rule of combination, YAML files, and what is refused."""

import math

import pytest

from semscale.errors import InputError
from semscale.judging.templates import (
    Criterion,
    Rubric,
    even_template,
    load_rubric,
    load_template,
    parse_rubric,
)
from semscale.judging.verdict import Provenance, Verdict, combine_criteria
from semscale.types import Status

TONE = even_template("tone", "How kind?", [("rude", ""), ("kind", "")])
CARE = even_template("care", "How careful?", [("not", ""), ("fairly", ""), ("very", "")])
RUBRIC = Rubric("mine", (Criterion("tone", TONE, 0.75), Criterion("care", CARE, 0.25)))


def verdict(score, *masses, covered=1.0):
    return Verdict(score, masses, Provenance.DECISION, covered, "", ("raw",), Status.SCORED)


def test_the_combined_score_is_the_mean_by_the_weights():
    tone = verdict(1.0, (0.0, 0.2), (1.0, 0.8))  # expected .8
    care = verdict(0.5, (0.0, 0.1), (0.5, 0.6), (1.0, 0.3), covered=0.99)  # expected .6
    result = combine_criteria(RUBRIC, [tone, care])
    assert result.expected == pytest.approx(0.75 * 0.8 + 0.25 * 0.6)
    assert result.score == pytest.approx(0.75 * 1.0 + 0.25 * 0.5)
    # the mixture: 0 has .75 * .2 + .25 * .1, .5 has .25 * .6, 1 has .75 * .8 + .25 * .3
    assert dict(result.distribution) == pytest.approx({0.0: 0.175, 0.5: 0.15, 1.0: 0.675})
    assert (result.covered, result.provenance) == (0.99, Provenance.DECISION)
    assert result.criteria == (tone, care)


def test_sure_criteria_that_differ_make_no_unsure_score():
    result = combine_criteria(RUBRIC, [verdict(1.0, (1.0, 1.0)), verdict(0.0, (0.0, 1.0))])
    assert result.score == 0.75
    assert (result.deviation, math.isnan(result.confidence)) == (0.0, True)


def test_the_deviation_is_that_of_independent_criteria():
    even = verdict(0.0, (0.0, 0.5), (1.0, 0.5))  # variance .25
    # .75^2 * .25 + .25^2 * .25 = .15625
    assert combine_criteria(RUBRIC, [even, even]).deviation == pytest.approx(0.15625**0.5)
    assert even.deviation == 0.5
    assert even.confidence == 0.5


@pytest.mark.parametrize("other", ["tone_score", "tone_status"])
def test_names_whose_columns_would_be_the_same_are_refused(other):
    with pytest.raises(InputError, match=f"'tone' and '{other}' would have a column of the same name"):
        Rubric("mine", (Criterion("tone", TONE, 0.5), Criterion(other, CARE, 0.5)))


@pytest.mark.parametrize("status", [Status.REFUSED, Status.FAILED, Status.UNPARSABLE, Status.UNFINISHED])
def test_a_criterion_without_a_score_leaves_none_for_the_whole(status):
    lost = Verdict.without_score(status, "said why")
    result = combine_criteria(RUBRIC, [verdict(1.0, (1.0, 1.0)), lost])
    assert (result.status, math.isnan(result.score)) == (status, True)
    assert result.reason == "criterion 'care': said why"
    assert result.criteria[0].score == 1.0


def test_the_levels_of_the_whole_are_those_of_all_criteria():
    assert RUBRIC.template.scores.tolist() == [0.0, 0.5, 1.0]


def test_template_is_a_rubric_with_a_single_criterion():
    template = load_template("likert")
    assert Rubric.from_template(template).template is template


def test_weights_that_do_not_sum_to_1_are_refused_with_the_sum():
    with pytest.raises(InputError, match=r"tone 0\.75, care 0\.5, which sum to 1\.25"):
        Rubric("mine", (Criterion("tone", TONE, 0.75), Criterion("care", CARE, 0.5)))


def test_a_weight_of_0_is_refused():
    with pytest.raises(InputError, match="above 0"):
        Rubric("mine", (Criterion("tone", TONE, 1.0), Criterion("care", CARE, 0.0)))


def test_criteria_have_different_names():
    with pytest.raises(InputError, match="got 'tone' twice"):
        Rubric("mine", (Criterion("tone", TONE, 0.5), Criterion("tone", CARE, 0.5)))


@pytest.mark.parametrize("levels", [[("one", "")], [("a", ""), ("a", "")]])
def test_levels_are_two_or_more_of_different_names(levels):
    with pytest.raises(InputError, match="two or more levels with different labels"):
        even_template("tone", "How kind?", levels)


def test_the_hash_changes_with_a_weight_and_a_word():
    other = Rubric("mine", (Criterion("tone", TONE, 0.5), Criterion("care", CARE, 0.5)))
    reworded = Rubric(
        "mine",
        (
            Criterion("tone", even_template("tone", "How nice?", [("rude", ""), ("kind", "")]), 0.75),
            Criterion("care", CARE, 0.25),
        ),
    )
    assert len({RUBRIC.content_hash, other.content_hash, reworded.content_hash}) == 3


WRITTEN = b"""
name: support
rule: weighted-mean
criteria:
  - {name: right, question: "Is it right?", weight: 0.6, levels: likert}
  - name: tone
    question: How friendly is it?
    weight: 0.4
    levels: [rude, {label: neutral, meaning: neither}, kind]
"""


def parse(text):
    return parse_rubric(text, source="r.yaml")


def test_levels_are_labels_or_the_name_of_a_template(tmp_path):
    path = tmp_path / "r.yaml"
    path.write_bytes(WRITTEN)
    result = load_rubric(path)
    assert result.weights == {"right": 0.6, "tone": 0.4}
    right, tone = (criterion.template for criterion in result.criteria)
    assert right.scores.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert right.task == "Is it right?"
    assert [(level.label, level.meaning, level.number) for level in tone.levels] == [
        ("rude", "", 1),
        ("neutral", "neither", 2),
        ("kind", "", 3),
    ]


def test_without_weights_all_criteria_count_alike():
    result = parse(
        b"name: r\ncriteria: [{name: a, question: q, levels: [x, y]}, {name: b, question: q, levels: [x, y]}]"
    )
    assert result.weights == {"a": 0.5, "b": 0.5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            WRITTEN.replace(b"0.4", b"0.5"),
            "'r.yaml', line 4: weights must be above 0 and sum to 1, .* which sum to 1.1",
        ),
        (
            WRITTEN.replace(b"    weight: 0.4\n", b""),
            "criterion 'tone' has no weight: give one to each, or to none",
        ),
        (WRITTEN.replace(b"likert", b"likrt"), "did you mean 'likert'"),
        (
            WRITTEN.replace(b"likert", b"continuous"),
            "criterion 'right' needs levels, and 'continuous' has a range",
        ),
        (WRITTEN.replace(b"weighted-mean", b"lowest"), "weighted-mean"),
        (
            WRITTEN.replace(b"question: How", b"asks: How"),
            "line 7: unknown key 'asks' in criteria .*known: name, question, levels, weight",
        ),
        (
            b"name: r\ncriteria: [{name: tone, question: q, levels: [no, yes]}]",
            'line 2: write levels in quotes: "no", "yes"',
        ),
        (
            b"name: r\ncriteria: [{name: tone, question: q, levels: [1, {label: 2}, 3]}]",
            'line 2: write levels in quotes: "1", "2", "3"',
        ),
        (b"- a", "must hold the keys of a rubric"),
        (b"name: [", "line 1"),
        (b"name: r\ncriteria: []", "criteria"),
    ],
)
def test_invalid_rubric_is_refused_in_a_single_line(text, message):
    with pytest.raises(InputError, match=message) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_rubric(tmp_path / "none.yaml")
