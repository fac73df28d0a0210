"""The order of stops, and what is in view at each."""

from itertools import product

from semscale.scales import load_scale
from semscale.study.asking.interviews import planned_stops
from semscale.study.questionnaire import Concept, Questionnaire, SurveyQuestion

SCALE = load_scale("purchase-intent")
CONCEPTS = tuple(Concept(name, name) for name in "abc")
QUESTIONS = tuple(SurveyQuestion(name, name, SCALE, ("dlr",)) for name in "xy")


def places(stops):
    return [(stop.concept, stop.question) for stop in stops]


def test_separate_conversations_have_the_order_of_the_file():
    stops = planned_stops(Questionnaire(CONCEPTS, QUESTIONS), 2, seed=0)
    assert [places(own) for own in stops] == [list(product(range(3), range(2)))] * 2


def test_in_a_sequence_every_stop_comes_once_and_the_questions_of_a_concept_stand_together():
    asked = Questionnaire(CONCEPTS, QUESTIONS, exposure="sequence")
    # A balanced square of three concepts has six orders, so six interviews have each of them once.
    stops = planned_stops(asked, 6, seed=0)
    for own in stops:
        assert sorted(places(own)) == list(product(range(3), range(2)))
        assert [stop.concept_place for stop in own] == [1, 1, 2, 2, 3, 3]
        assert [stop.question_place for stop in own] == [1, 2] * 3
    assert len({tuple(stop.concept for stop in own) for own in stops}) == 6
    assert len({own[0].question for own in stops}) == 2
    assert stops == planned_stops(asked, 6, seed=0) != planned_stops(asked, 6, seed=1)
