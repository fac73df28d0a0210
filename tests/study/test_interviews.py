"""Orders of concepts and questions in interviews."""

from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest

from semscale.scales import load_scale
from semscale.study.interviews import latin_square, orders, plan_stops
from semscale.study.questionnaire import Concept, Questionnaire, StudyQuestion

SCALE = load_scale("purchase-intent")
CONCEPTS = tuple(Concept(name, name) for name in "abc")
QUESTIONS = tuple(StudyQuestion(name, name, SCALE, ("dlr",)) for name in "xy")


def positions(stops):
    return [(stop.concept, stop.question) for stop in stops]


def test_separate_conversations_have_the_order_of_the_file():
    stops = plan_stops(Questionnaire(CONCEPTS, QUESTIONS), 2, seed=0)
    assert [positions(part) for part in stops] == [list(product(range(3), range(2)))] * 2


def test_in_a_sequence_every_stop_comes_once_and_the_questions_of_a_concept_stand_together():
    asked = Questionnaire(CONCEPTS, QUESTIONS, exposure="sequence")
    # A balanced square of three concepts has six orders, so six interviews have each of them once.
    stops = plan_stops(asked, 6, seed=0)
    for part in stops:
        assert sorted(positions(part)) == list(product(range(3), range(2)))
        assert [stop.concept_position for stop in part] == [1, 1, 2, 2, 3, 3]
        assert [stop.question_position for stop in part] == [1, 2] * 3
    assert len({tuple(stop.concept for stop in part) for part in stops}) == 6
    assert len({part[0].question for part in stops}) == 2
    assert stops == plan_stops(asked, 6, seed=0) != plan_stops(asked, 6, seed=1)


@pytest.mark.parametrize("k", range(2, 9))
def test_balanced_square_balances_positions_and_successions(k):
    square = latin_square(k)
    assert len(square) == (k if k % 2 == 0 else 2 * k)
    for position in range(k):
        assert set(Counter(row[position] for row in square).values()) == {len(square) // k}
    followers = Counter(pair for row in square for pair in pairwise(row))
    assert len(followers) == k * (k - 1)
    assert set(followers.values()) == {len(square) // k}


def test_single_item_has_a_single_order():
    assert latin_square(1) == ((0,),)


def test_full_blocks_of_interviews_are_balanced():
    outcome = orders(4, 12, "latin-square", np.random.default_rng(0))
    assert Counter(outcome) == dict.fromkeys(latin_square(4), 3)


def test_random_orders_and_the_order_of_the_file():
    assert orders(3, 2, "none", np.random.default_rng(0)) == [(0, 1, 2), (0, 1, 2)]
    drawn = orders(3, 50, "random", np.random.default_rng(0))
    assert {tuple(sorted(order)) for order in drawn} == {(0, 1, 2)}
    assert len(set(drawn)) == 6
