"""Rows that are no finished interviews."""

import pytest

from semscale.store.expressions import filtered
from semscale.store.reading import open_table
from semscale.store.surveys import with_unfinished_counted


@pytest.fixture
def opened(tmp_path):
    def write(text):
        (tmp_path / "answers.csv").write_text(text)
        return open_table(tmp_path / "answers.csv")

    return write


def counted(table):
    return [
        note.partition(" and counted")[0] for note in with_unfinished_counted(table).notes[len(table.notes) :]
    ]


def test_previews_of_qualtrics_and_people_who_broke_off_are_counted(opened):
    table = opened(
        "ResponseId,Status,Finished,Q1\nR_1,Survey Preview,True,a\nR_2,Survey Preview,True,a\n"
        "R_3,IP Address,False,\nR_4,IP Address,True,b\n"
    )
    assert counted(table) == ["2 rows are of a preview", "1 row is not finished"]
    notes = with_unfinished_counted(table).notes
    assert "--where \"Status != 'Survey Preview'\" leaves such rows out" in notes[0]
    assert counted(filtered(table, "Status != 'Survey Preview' and Finished != 'False'")) == []


def test_codes_of_qualtrics_are_read(opened):
    assert counted(opened("ResponseId,Status,Finished\nR_1,1,1\nR_2,0,1\nR_3,8,0\n")) == [
        "1 row is of a preview", "1 row is marked as spam", "1 row is not finished",
    ]  # fmt: skip


def test_rows_of_limesurvey_without_a_date_of_submission_are_counted(opened):
    table = opened("id,submitdate,lastpage,Q1\n1,,1,a\n2,2026-01-02,3,b\n3,,2,\n")
    assert counted(table) == ["2 rows are not finished"]
    assert '--where "submitdate IS NOT NULL"' in with_unfinished_counted(table).notes[-1]
    table = opened("Response ID,Date submitted,Last page,Q1\n1,,1,a\n2,2026-01-02,3,b\n")
    assert """--where '"Date submitted" IS NOT NULL'""" in with_unfinished_counted(table).notes[-1]
    assert len(next(filtered(table, '"Date submitted" IS NOT NULL').batches(9))) == 1


def test_other_tables_stay_as_they_are(opened):
    table = opened("id,Status,Finished\n1,1,0\n")
    assert with_unfinished_counted(table) is table
