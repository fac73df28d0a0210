"""Conclusions, and where a panel stands."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from tests.study.comparing.made_answers import panel_tables, people_table

from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.study import compare
from semscale.study.comparing.conclusions import conclude
from semscale.study.comparing.group_contrasts import GroupContrast, GroupContrasts
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


def held_distributions(marginals, **changes):
    # Equal shares at .3, pooled people at .25, halves at .05: half of the way is .125 and .1.
    given = {"uniform": at(0.3), "pooled": at(0.25), "split_half": at(0.05), **changes}
    drawn = conclude(with_held(marginals, **given), None, None, (), 0.95)
    return next(each.holds for each in drawn if each.subject == "distributions")


def at(value):
    return Estimate(value, value, value)


def test_distributions_must_be_closer_than_both_nulls(found):
    near, short, wide = Estimate(0.1, 0.05, 0.2), Estimate(0.0, -0.1, 0.09), Estimate(0.1, -0.1, 0.2)
    held = partial(held_distributions, found.marginals)
    assert held(below_uniform=near, below_pooled=near) is True
    assert held(below_uniform=near, below_pooled=short) is False
    assert held(below_uniform=short, below_pooled=near) is False
    # An interval from 0 to beyond half of the way is no proof that there is nothing.
    assert held(below_uniform=near, below_pooled=wide) is None
    assert held(below_uniform=short, below_pooled=wide) is False


def test_a_null_as_close_as_halves_of_people_shows_nothing(found):
    held = partial(held_distributions, found.marginals, below_uniform=Estimate(0.1, 0.05, 0.2))
    assert held(pooled=at(0.04), below_pooled=Estimate(0.0, -0.02, 0.03)) is None


def test_an_order_that_chance_gives_too_is_not_concluded(found):
    name, known = next(iter(found.marginals.attainments.items()))

    def holds(**changes):
        changed = replace(found.marginals, attainments={name: replace(known, **changes)})
        return conclude(changed, None, None, (), 0.95)[0].holds

    assert holds(p_value=0.01) is True
    # One-sided: half of .05. The interval says whether it is little or cannot be told.
    assert holds(p_value=0.04, ratio=Estimate(0.2, -0.4, 0.45)) is False
    assert holds(p_value=0.04, ratio=Estimate(0.7, -0.1, 1.0)) is None
    assert holds(p_value=0.01, n_surveys=4) is None  # 1 of 24 orders is .042


def groups(panel, people, *, invented, ratio, n_clear, n_panel=20):
    pair = GroupContrast("intent", "age", "old", "young", panel, people, n_panel, 30, invented)
    return GroupContrasts((pair,), n_clear, 1.0, 1.0, 0.5, ratio)


def test_invented_differences_of_groups_are_no_knowledge_of_groups(found):
    none, wide = Estimate(0.0, -0.03, 0.02), Estimate(-0.26, -0.31, -0.2)
    unknown = at(float("nan"))

    def concluded(contrasts):
        drawn = conclude(found.marginals, None, contrasts, (), 0.95)
        return next(each for each in drawn if each.subject == "groups")

    made_up = concluded(groups(wide, none, invented=True, ratio=unknown, n_clear=0))
    assert made_up.holds is False
    assert "invents 1 of 1 differences" in made_up.because
    assert concluded(groups(none, none, invented=False, ratio=unknown, n_clear=0)).holds is None
    # Of people's differences the panel has -.4 to .3, less than half; or -.4 to .9, which may be all.
    assert (
        concluded(groups(none, wide, invented=False, ratio=Estimate(0, -0.4, 0.3), n_clear=1)).holds is False
    )
    assert (
        concluded(groups(none, wide, invented=False, ratio=Estimate(0, -0.4, 0.9), n_clear=1)).holds is None
    )


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


@pytest.mark.parametrize(
    ("p_value", "holds"), [(1 / 120, True), (0.3, None), (119 / 120, False), (1.0, False)]
)
def test_of_few_concepts_p_alone_tells_the_order(found, p_value, holds):
    # Five concepts have 120 orders; of these one or two may be at least as low where p is 1 or 119 / 120.
    order = replace(found.marginals.attainments["intent"], p_value=p_value)
    assert np.isnan(order.ratio.high)
    marginals = replace(found.marginals, attainments={"intent": order})
    drawn = conclude(marginals, None, None, (), 0.95)
    assert next(each.holds for each in drawn if each.subject == "ranking") is holds
