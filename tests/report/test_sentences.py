"""Sentences that all instruments share say the same things in the same words."""

import pytest

from semscale.report.consistency import MEANINGS as CONSISTENCY
from semscale.report.document import Paragraph, Reasons
from semscale.report.judging import MEANINGS as JUDGING
from semscale.report.matching.words import MEANINGS as MATCHING
from semscale.report.parts import left_out_section
from semscale.report.rating import MEANINGS as RATING
from semscale.report.sentences import most_frequent, rows_scored
from semscale.types import Status


def test_counts_and_reasons_make_one_sentence():
    # 10 = 6 + 3 + 1
    said = rows_scored(6, 10, {"no-weight": 1, "not-text": 3, "empty": 0}, "answer")
    assert said == "6 of 10 answers were scored; left out: 3 not text and 1 without weight"
    assert rows_scored(1, 1, {}) == "1 of 1 row was scored"


def test_reasons_that_do_not_occur_are_not_named():
    assert most_frequent({"empty": 0, "missing": 2, "failed": 5}) == {"failed": 5, "missing": 2}


@pytest.mark.parametrize("meanings", [JUDGING, MATCHING, RATING, CONSISTENCY])
def test_shared_statuses_have_a_meaning_in_every_instrument(meanings):
    assert {Status.MISSING, Status.NOT_TEXT, Status.EMPTY} <= set(meanings)


def test_a_few_rows_of_each_reason_are_shown():
    found = [(row, f"text {row}") for row in range(5)]
    section = left_out_section({"empty": 5}, 10, {"empty": "blank"}, lambda _: found)
    (reasons,) = (block for block in section.blocks if isinstance(block, Reasons))
    (reason,) = reasons.reasons
    assert (reason.status, reason.meaning, reason.n, reason.share) == ("empty", "blank", 5, 0.5)
    assert [row for row, _ in reason.examples] == [1, 2, 3]


@pytest.mark.parametrize(
    ("total", "said"), [(3, "Nothing: every row has a score."), (0, "The input has no rows.")]
)
def test_nothing_left_out_is_said(total, said):
    assert left_out_section({}, total, {}, lambda _: ()).blocks == (Paragraph(said),)
