"""Rubrics in YAML files."""

import pytest

from semscale.errors import InputError
from semscale.judging.templates import load_rubric, parse_rubric

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
    found = load_rubric(path)
    assert found.weights == {"right": 0.6, "tone": 0.4}
    right, tone = (criterion.template for criterion in found.criteria)
    assert right.scores.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert right.task == "Is it right?"
    assert [(level.label, level.meaning, level.number) for level in tone.levels] == [
        ("rude", "", 1),
        ("neutral", "neither", 2),
        ("kind", "", 3),
    ]


def test_without_weights_all_criteria_count_alike():
    found = parse(
        b"name: r\ncriteria: [{name: a, question: q, levels: [x, y]}, {name: b, question: q, levels: [x, y]}]"
    )
    assert found.weights == {"a": 0.5, "b": 0.5}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            WRITTEN.replace(b"0.4", b"0.5"),
            "'r.yaml': weights must be above 0 and sum to 1, .* which sum to 1.1",
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
        (WRITTEN.replace(b"question: How", b"asks: How"), "'r.yaml'"),
        (
            b"name: r\ncriteria: [{name: tone, question: q, levels: [no, yes]}]",
            'criterion \'tone\': write levels in quotes: "no", "yes"',
        ),
        (
            b"name: r\ncriteria: [{name: tone, question: q, levels: [1, {label: 2}, 3]}]",
            'criterion \'tone\': write levels in quotes: "1", "2", "3"',
        ),
        (b"- a", "must hold the keys of a rubric"),
        (b"name: [", "line 1"),
        (b"name: r\ncriteria: []", "criteria"),
    ],
)
def test_what_is_no_rubric_is_refused_in_one_line(text, said):
    with pytest.raises(InputError, match=said) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_rubric(tmp_path / "none.yaml")
