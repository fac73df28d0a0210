"""Runs and approvals as rows, and the digest that shows a change of the database."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from stored_runs import DAY, START, a_run, an_approval

from semscale.errors import InputError
from semscale.history.run_rows import approval_row, read_approval, read_run, read_summary, run_rows


def test_a_run_comes_back_from_its_rows():
    run = a_run(note="by hand", revision="a1b2c3d")
    row, items = run_rows(run)
    assert [item["position"] for item in items] == [0, 1, 2]
    assert read_run(row, [item["body"] for item in items]) == run
    assert read_summary(row).n_items == 3
    assert read_summary(row).signature == str(run.signature)


def test_a_changed_item_is_noticed():
    row, items = run_rows(a_run())
    bodies = [item["body"] for item in items]
    for changed in (bodies[::-1], bodies[:2], [*bodies[:2], bodies[2].replace("Answer", "answer")]):
        with pytest.raises(InputError, match="is not what was recorded"):
            read_run(row, changed)


def test_an_approval_comes_back_from_its_row():
    approval = an_approval(a_run(), expires=START + DAY)
    assert read_approval(approval_row(approval)) == approval


def test_an_approval_cannot_expire_before_it_is_given():
    # 13:00 in a zone of +02:00 is 11:00 UTC, before 12:30 UTC.
    earlier = datetime(2026, 3, 1, 13, tzinfo=timezone(timedelta(hours=2)))
    assert earlier < START < datetime(2026, 3, 1, 13, tzinfo=UTC)
    with pytest.raises(InputError, match="expires must be later than the approval"):
        approval_row(an_approval(a_run(), expires=earlier))
