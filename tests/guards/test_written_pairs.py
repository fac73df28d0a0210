"""Pairs written before the rules: contradictions that guards miss, and false alarms on paraphrases."""

import json
from pathlib import Path

import pytest

from semscale.guards.registry import Guards

FOLDER = Path(__file__).parents[1] / "data" / "guards"


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


def test_the_developed_half_is_read_but_for_two_pairs():
    assert [(pair["kind"], pair["contradicts"]) for pair in judged_wrongly("developed")] == [
        ("avoiding-verb", True),  # "blocks light" and "lets light through"
        ("other-wording", False),  # "fewer people than last year" and "more people last year"
    ]


@pytest.mark.parametrize(("contradicts", "most"), [(True, 4), (False, 6)])
def test_the_unseen_half_is_read_as_well_as_the_documentation_says(contradicts, most):
    wrong = judged_wrongly("unseen")
    # A bare number in the message, so that no pair of this half is shown.
    count = sum(pair["contradicts"] is contradicts for pair in wrong)
    del wrong
    assert count <= most


def test_halves_have_no_pair_in_common():
    pairs = [{(pair["a"], pair["b"]) for pair in read(half)} for half in ("developed", "unseen")]
    assert len(pairs[0]) == len(pairs[1]) == 205
    assert not pairs[0] & pairs[1]
