"""The summary of a study."""

import json

import pytest
from tests.schema_check import check_json


@pytest.fixture
def summary(written, played, running, toy_embedder):
    # Ann picks 2, the others pick 4; Cid's numbers cannot be read.
    def number(request):
        who = request.messages[0].text
        return "2" if "Ann" in who else "4" if "Bob" in who else "4 or 5"

    played.number = number
    return written().run(played, embedder=toy_embedder, running=running).summary()


def measure(summary, method):
    return next(each for each in summary.measures if each.method == method)


def test_means_are_of_answers_with_a_rating(summary):
    direct = measure(summary, "dlr").estimates
    assert [group.group for group in direct.groups] == ["oat", "nut"]
    oat = direct.groups[0]
    assert (oat.mean.value, oat.n, oat.left_out) == (3.0, 2, {"unparsable": 1})
    # Half of the rated answers on 2, half on 4.
    assert [mass.value for mass in oat.pmf] == [0, 0.5, 0, 0.5, 0]


def test_personas_are_resampled_and_not_answers(summary):
    overall = measure(summary, "flr").estimates.overall
    assert (overall.n, overall.n_clusters) == (6, 3)


def test_groups_of_personas_are_in_order(summary):
    by_age = measure(summary, "dlr").by_attribute["age"]
    assert (by_age.by, [(group.group, group.n) for group in by_age.groups]) == ("age", [("30", 2), ("60", 2)])


def test_counts_and_reasons(summary):
    assert summary.counts == {"scored": 16, "unparsable": 2}
    assert summary.reasons == {"unparsable": 2}
    assert summary.failed is None
    assert repr(summary) == "StudySummary('bars', n=18, n_scored=16)"


def test_costs_are_summed_by_method(summary):
    costs = {cost.method: (cost.n, cost.tokens, cost.seconds) for cost in summary.costs}
    assert costs == {method: (6, 90, 0.25) for method in ("ssr", "flr", "dlr")}


def test_json_keeps_to_its_schema_and_calls_its_intervals_simulated(summary):
    text = summary.to_json()
    check_json(text)
    assert '"kind": "simulation"' in text


def test_json_has_answers_to_read(summary):
    quotes = json.loads(summary.to_json())["quotes"]
    # Three personas for each of two concepts, and no more than three are drawn.
    assert [quote["concept"] for quote in quotes] == ["oat"] * 3 + ["nut"] * 3
    assert [quote["persona"] for quote in quotes] == ["ann", "bob", "cid"] * 2
    assert {quote["reply"] for quote in quotes} == {"I would probably buy it."}
    assert {quote["values"]["flr"] for quote in quotes} == {5.0}


def test_an_attribute_may_be_called_as_a_column_of_answers(written, played, running, toy_embedder):
    study = written(
        ("{age}", "{status}"), ("[age]", "[status]"), people="persona,name,status\na,Ann,x\nb,Bob,y\n"
    )
    summary = study.run(played, embedder=toy_embedder, running=running).summary()
    assert [group.group for group in measure(summary, "dlr").by_attribute["status"].groups] == ["x", "y"]
