"""Pairs written before the rules: contradictions that guards miss, and false alarms on paraphrases."""

import csv
import json
from pathlib import Path

import pytest

from semscale.guards.registry import GUARDS, Guards

FOLDER = Path(__file__).parents[1] / "data" / "guards"
BEETLE = Path(__file__).parents[3] / "shared" / "data" / "beetle" / "training.csv"


def read(half):
    return [json.loads(line) for line in (FOLDER / f"{half}.jsonl").read_text("utf-8").splitlines()]


def judged_wrongly(half):
    guards = Guards()
    return [
        pair
        for pair in read(half)
        if any(
            bool(guards.check(*texts)) != pair["contradicts"]
            for texts in ((pair["a"], pair["b"]), (pair["b"], pair["a"]))
        )
    ]


def test_the_developed_half_is_read_but_for_five_pairs():
    assert [(pair["kind"], pair["contradicts"]) for pair in judged_wrongly("developed")] == [
        ("avoiding-verb", True),  # "blocks light" and "lets light through"
        ("date", False),  # "half past six" and "6:30"
        ("date", False),  # "noon" and "12 pm"
        ("date", False),  # "a quarter to nine" and "8:45"
        ("other-wording", False),  # "fewer people than last year" and "more people last year"
    ]


@pytest.mark.parametrize(("contradicts", "most"), [(True, 4), (False, 6)])
def test_the_unseen_half_is_read_as_well_as_the_documentation_says(contradicts, most):
    wrong = judged_wrongly("unseen")
    # A bare number in the message, so that no pair of this half is shown.
    count = sum(pair["contradicts"] is contradicts for pair in wrong)
    del wrong
    assert count <= most


@pytest.mark.parametrize(
    ("half", "contradicts", "most"),
    [
        ("feedback_developed", True, 1),
        ("feedback_developed", False, 4),
        ("feedback_unseen", True, 4),
        ("feedback_unseen", False, 5),
        ("notations_developed", True, 6),
        ("notations_developed", False, 2),
        ("notations_unseen", True, 10),
        ("notations_unseen", False, 9),
    ],
)
def test_pairs_of_feedback_and_notations_are_read_as_well_as_the_documentation_says(half, contradicts, most):
    wrong = judged_wrongly(half)
    count = sum(pair["contradicts"] is contradicts for pair in wrong)
    del wrong
    assert count <= most


@pytest.mark.parametrize(
    ("prefix", "sizes"), [("", (205, 205)), ("feedback_", (150, 150)), ("notations_", (274, 362))]
)
def test_halves_have_no_pair_in_common(prefix, sizes):
    halves = f"{prefix}developed", f"{prefix}unseen"
    pairs = [{(pair["a"], pair["b"]) for pair in read(half)} for half in halves]
    assert tuple(map(len, pairs)) == sizes
    assert not pairs[0] & pairs[1]


@pytest.mark.skipif(
    not BEETLE.exists(),
    reason="not in ../shared/data/beetle: training.csv, the Beetle answers of SemEval-2013 task 7",
)
@pytest.mark.parametrize(("grade", "least", "most"), [("correct", 0.0, 0.02), ("contradictory", 0.06, 1.0)])
def test_few_correct_answers_contradict_all_of_their_references(grade, least, most):
    with BEETLE.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["accuracy"] == grade]
    flipped = [
        all(
            GUARDS["negation"].check(row["answer"], reference)
            or GUARDS["opposite"].check(row["answer"], reference)
            for reference in json.loads(row["reference_answers"])
        )
        for row in rows
    ]
    assert least <= sum(flipped) / len(rows) <= most
