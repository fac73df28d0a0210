"""A plan shows what the gate finds, and says which drift it is not asked to fail."""

from made_up import comparison, spread_out

from semscale.drift.sizing.plan import plan_gate
from semscale.report.document import Count, Number
from semscale.report.drift_runs import plan_document
from semscale.report.terminal import print_document

LOSSES = {"match": spread_out(0.1, half=0.05), "silence": spread_out(0.0, half=0.0)}


def rows_of(plan):
    (section,) = plan_document(plan).sections
    return section.blocks[0].columns, section.blocks[0].rows


def test_cells_hold_the_numbers_of_the_plan():
    plan = plan_gate(comparison(LOSSES), power=0.9)
    columns, rows = rows_of(plan)
    assert columns == ("metric", "spread", "margin", "finds from", "items for the margin", "items to pass")
    match = plan.metrics[0]
    assert rows[0][1:] == (
        Number(match.sd, 3), Number(match.margin, 3), Number(match.detectable, 3),
        Count(match.items_for_margin), Count(match.items_to_pass),
    )  # fmt: skip


def test_a_drift_that_is_asked_about_has_its_columns():
    columns, rows = rows_of(plan_gate(comparison(LOSSES), drift={"match": 0.2}))
    assert columns[-2:] == ("drift", "items for it")
    assert rows[0][-2] == Number(0.2, 3)
    assert rows[1][-2:] == (Number(None, 3), Count(None))  # nothing was asked about silence


def test_what_is_not_to_fail_and_what_is_a_bound_is_said(capsys):
    document = plan_document(plan_gate(comparison(LOSSES), drift={"match": 0.04}))
    # The margin is .05; silence has no spread.
    assert document.cautions == (
        "a drift within its margin is not to fail, whatever the number of items: match",
        "nothing varied in silence, so that the spread is unknown: the numbers for it are the fewest items "
        "with which the gate fails or passes; to exclude that 5 % of items differ takes 59 that are all "
        "alike",
    )
    print_document(document)
    shown = capsys.readouterr().out
    assert "30 items, 2 tests, power 0.8; strictest level 0.0250" in shown  # .05 / 2
    assert "spread: drift of model model-b over 30 items (no rerun to take off)" in shown
