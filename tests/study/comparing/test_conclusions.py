"""Conclusions, and where a panel stands."""

from dataclasses import replace

import pytest
from tests.study.comparing.made_answers import panel_tables, people_table

from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.study import compare
from semscale.study.comparing.conclusions import conclude
from semscale.study.comparing.standings import standings


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    answers, _ = panel_tables()
    answers.write_parquet(folder / "answers.parquet")
    plan = IntervalPlan(replicates=200)
    return compare(folder, people_table(), concept="shown", splits=50, plan=plan).methods[0]


def with_held(marginals, **changes):
    held = {**marginals.benchmarks.held}
    held["wasserstein"] = replace(held["wasserstein"], **changes)
    return replace(marginals, benchmarks=replace(marginals.benchmarks, held=held))


def test_distributions_must_be_closer_than_both_nulls(found):
    far, near = Estimate(0.0, -0.1, 0.1), Estimate(0.1, 0.05, 0.2)

    def held(**changes):
        drawn = conclude(with_held(found.marginals, **changes), None, None, (), 0.95)
        return next(each.holds for each in drawn if each.subject == "distributions")

    assert held(below_uniform=near, below_pooled=near) is True
    assert held(below_uniform=near, below_pooled=far) is False
    assert held(below_uniform=far, below_pooled=near) is False


def test_an_order_that_chance_gives_too_is_not_concluded(found):
    name, known = next(iter(found.marginals.attainments.items()))

    def holds(**changes):
        changed = replace(found.marginals, attainments={name: replace(known, **changes)})
        return conclude(changed, None, None, (), 0.95)[0].holds

    assert holds(p_value=0.01) is True
    assert holds(p_value=0.04) is False  # one-sided: half of .05
    assert holds(p_value=0.01, n_surveys=4) is None  # 1 of 24 orders is .042


def test_standings_by_hand(found):
    changed = with_held(
        found.marginals,
        panel=Estimate(0.1, 0, 1),
        uniform=Estimate(0.3, 0, 1),
        pooled=Estimate(0.25, 0, 1),
        split_half=Estimate(0.05, 0, 1),
    )
    placed = {each.subject: each.value for each in standings(changed, None, None, ())}
    # From pooled people, the closer null, at .25 to halves at .05 the panel has gone .15 of .20.
    assert placed["distributions"] == pytest.approx(0.75)
    assert "groups" not in placed
