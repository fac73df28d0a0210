"""Tables of a panel."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.study.panel_crosstabs import panel_tables
from semscale.tabulation.settings import TestSettings

TESTS = TestSettings(min_base=1)


@pytest.fixture
def result(written, played, running, toy_embedder):
    """Run a study whose personas pick 1 to 3 for oats, and one more for nuts, but for the last one."""

    def number(request):
        who = next(n for n, name in enumerate(("Ann", "Bob", "Cid")) if name in request.messages[0].text)
        nuts = "nuts" in request.messages[-1].text
        return "no number" if nuts and who == 2 else str(1 + who + nuts)

    def make(*changes):
        played.number = number
        return written(*changes).run(played, embedder=toy_embedder, running=running)

    return make


def means(tables):
    (table,) = tables.tables
    return table.cells.values[-1]


def test_persona_counts_once_per_concept(result):
    tables = panel_tables(result(), method="dlr", tests=TESTS)
    (table,) = tables.tables
    assert means(tables) == pytest.approx([(1 + 2 + 3 + 2 + 3) / 5, 2, 2.5])
    assert table.cells.n[-1].tolist() == [5, 3, 2]
    assert table.cells.n_missing[-1].tolist() == [1, 0, 1]
    assert "method:dlr" in str(tables.signature)


def test_panel_weights_are_applied(result):
    raked = (
        "panel: {file: people.csv}",
        'panel: {file: people.csv, marginals: {age: {"30": 0.5, "60": 0.5}}}',
    )
    tables = panel_tables(result(raked), method="dlr", tests=TESTS)
    # Ann has half of the weight, Bob and Cid a quarter each.
    assert means(tables)[1:] == pytest.approx([0.5 * 1 + 0.25 * 2 + 0.25 * 3, (0.5 * 2 + 0.25 * 3) / 0.75])
    assert tables.is_weighted


def test_concepts_are_compared_within_personas(result):
    tables = panel_tables(result(), method="dlr", tests=TESTS)
    (table,) = tables.tables
    difference = result().summary().figures.select("difference", method="dlr", by="concept")[0]
    assert table.differences.values[-1, 0] == pytest.approx(difference.value)
    assert table.differences.p_values[-1, 0] == pytest.approx(difference.p)


def test_samples_are_averaged(result):
    twice = panel_tables(result(("model: {", "samples: 2\nmodel: {")), method="dlr", tests=TESTS)
    assert twice.tables[0].cells.n[-1].tolist() == [5, 3, 2]


def test_similarity_has_probabilities_of_points(result):
    outcome = result()
    (table,) = panel_tables(outcome, tests=TESTS).tables
    pmfs = np.array(outcome.answers.filter(pl.col("method") == "ssr")["pmf"].to_list())
    assert table.question.kind == "rated text"
    assert table.cells.values[:5, 0] == pytest.approx(pmfs.mean(axis=0))


def test_a_method_without_a_rating_is_refused(written, played, running, toy_embedder):
    played.number = lambda request: "none"
    outcome = written().run(played, embedder=toy_embedder, running=running)
    with pytest.raises(InputError, match="no answer to 'intent' by 'dlr' has a rating"):
        panel_tables(outcome, method="dlr")
