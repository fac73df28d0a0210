"""Files of answers and passages: the same figures as in memory, whatever the parts."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.matching.made_up_entailment import KnownPairs

from semscale.answer_consistency.claims import grounding_work
from semscale.answer_consistency.claims.claim_support import ClaimJudge, Support
from semscale.answer_consistency.claims.file_grounding import groundedness_file
from semscale.answer_consistency.claims.long_answers import groundedness
from semscale.errors import InputError, ModelError
from semscale.matching.settings import GroundingColumns
from semscale.store.reading import open_table
from semscale.store.runs.table_run import PartSettings

PASSAGE = "The Eiffel tower stands in Paris and was built in 1889."
ANSWERS = [
    "The tower is in Paris. It was built in 1920. It is 330 metres tall.",
    "The heart pumps blood.",
    None,
    "The liver makes bile.",
    "!!!",
    "The heart does not pump blood. It weighs 300 grams.",
]
PASSAGES = [PASSAGE, "The heart pumps blood.", PASSAGE, None, PASSAGE, "The heart pumps blood."]
MORE = ["Bread is baked every day.", None, None, " ", None, None]
COLUMNS = GroundingColumns(prediction="said", context=("passage", "more"), by="topic")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "answers.parquet"
    topics = ["towers", "bodies", None, "bodies", "bodies", "bodies"]
    pl.DataFrame({"said": ANSWERS, "passage": PASSAGES, "more": MORE, "topic": topics}).write_parquet(path)
    return path


@pytest.mark.parametrize("part_rows", [2, 100])
def test_a_file_has_the_verdicts_of_memory_in_parts_of_any_size(path, tmp_path, part_rows):
    out = tmp_path / "judged.parquet"
    summary = groundedness_file(
        open_table(path), COLUMNS, judge=ClaimJudge(), out=out, settings=PartSettings(part_rows)
    )
    known = groundedness(ANSWERS, list(map(list, zip(PASSAGES, MORE, strict=True))))
    written = pl.read_parquet(out)
    assert written.columns[:4] == ["said", "passage", "more", "topic"]
    added = written.drop("said", "passage", "more", "topic")
    assert_frame_equal(added.rename(lambda name: name.removeprefix("semscale_")), known.to_frame())
    # Row 1: 1 of 3 supported; row 2: its only claim; row 6: none of 2. Rows 3, 4 and 5 have no score.
    assert added["semscale_score"].to_list() == [pytest.approx(1 / 3), 1.0, None, None, None, 0.0]
    assert added["semscale_supported"].to_list() == [1, 1, None, None, None, 0]
    assert {str(status): n for status, n in summary.counts.items()} == {
        "scored": 3,
        "missing": 1,
        "no-reference": 1,
        "weightless": 1,
    }
    assert summary.estimates.overall.mean.value == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert [(group.group, group.n) for group in summary.estimates.groups] == [
        ("towers", 1),
        ("bodies", 2),
        (None, 0),
    ]


def test_the_worst_claims_are_the_contradicted_ones_then_those_least_supported(path):
    summary = groundedness_file(open_table(path), COLUMNS, judge=ClaimJudge())
    assert [(one.row, one.claim, str(one.verdict)) for one in summary.worst[:2]] == [
        (0, "It was built in 1920.", "contradicted"),
        (5, "The heart does not pump blood.", "contradicted"),
    ]
    assert summary.worst[0].sentence == PASSAGE
    assert summary.worst[0].reason == 'The claim says "1920", the sentence "1889".'
    others = summary.worst[2:]
    assert {one.claim for one in others} == {"It is 330 metres tall.", "It weighs 300 grams."}
    assert others[0].score < others[1].score
    assert dict(summary.claims) == {
        Support.SUPPORTED: 2,
        Support.CONTRADICTED: 2,
        Support.NOT_FOUND: 2,
        Support.UNREAD: 0,
    }
    assert (summary.n_claims, summary.n_contradicted, summary.n_unguarded) == (6, 2, 0)


def test_a_stopped_run_goes_on_after_its_last_part(path, tmp_path, monkeypatch):
    whole, out = tmp_path / "whole.csv", tmp_path / "judged.csv"
    settings = PartSettings(2)
    expected = groundedness_file(open_table(path), COLUMNS, judge=ClaimJudge(), out=whole, settings=settings)
    calls, real = [], grounding_work.grounded

    def stops_once(*given):
        calls.append(given)
        if len(calls) == 2:
            raise ModelError("stopped")
        return real(*given)

    monkeypatch.setattr(grounding_work, "grounded", stops_once)
    with pytest.raises(ModelError, match="stopped"):
        groundedness_file(open_table(path), COLUMNS, judge=ClaimJudge(), out=out, settings=settings)
    found = groundedness_file(open_table(path), COLUMNS, judge=ClaimJudge(), out=out, settings=settings)
    assert len(calls) == 4  # one part, the one that stopped, and the two that were left
    assert out.read_bytes() == whole.read_bytes()
    assert found.worst == expected.worst
    assert found.claims == expected.claims


def test_a_model_of_entailment_decides_where_it_is_given(path):
    model = KnownPairs({(PASSAGE, "It was built in 1920."): (0.1, 0.1, 0.8)})
    summary = groundedness_file(open_table(path), COLUMNS, judge=ClaimJudge(nli=model))
    assert [(one.claim, str(one.verdict), one.reason) for one in summary.worst[:1]] == [
        ("It was built in 1920.", "contradicted", None)
    ]
    assert summary.uses_entailment
    assert not np.isnan(summary.estimates.overall.mean.value)


def test_answers_in_other_languages_are_counted_where_guards_do_not_look(tmp_path):
    path = tmp_path / "german.csv"
    german = "Das Herz pumpt das Blut durch den ganzen Körper und schlägt dabei sehr oft in der Minute."
    pl.DataFrame({"said": [german], "passage": [german]}).write_csv(path)
    columns = GroundingColumns(prediction="said", context=("passage",))
    model = KnownPairs({(german, german): (0.9, 0.1, 0.0)})
    assert groundedness_file(open_table(path), columns, judge=ClaimJudge(nli=model)).n_unguarded == 0
    assert (
        groundedness_file(open_table(path), columns, judge=ClaimJudge(embedder="e5-small")).n_unguarded == 1
    )


def test_messages_call_the_passages_context(path):
    with pytest.raises(InputError, match=r"^context must have at least 1 entry"):
        GroundingColumns(prediction="said", context=())
    with pytest.raises(InputError, match=r"^context: .*'pasage'"):
        groundedness_file(
            open_table(path),
            GroundingColumns(prediction="said", context=("pasage",)),
            judge=ClaimJudge(),
        )
