"""Files of answers whose claims are judged: the same figures as in memory, whatever the parts."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.matching.made_up_entailment import KnownPairs
from tests.support.scripted_chat import ScriptedChat

from semscale.answer_consistency.asking import AskedModel, Sampling, Stopping
from semscale.answer_consistency.claim_tables import measure_agreement, measure_groundedness
from semscale.answer_consistency.claims import (
    ClaimConsistency,
    Groundedness,
    Support,
    claim_consistency,
    groundedness,
)
from semscale.answer_consistency.settings import AnswerColumns, AskedColumns
from semscale.chat.ledger import Ledger
from semscale.chat.runner import Runner
from semscale.errors import InputError, ModelError
from semscale.matching.settings import GroundingColumns
from semscale.results.table_runs import PartSettings
from semscale.store.reading import open_table

ANSWERS = [
    "The tower is in Paris. It was built in 1889. It is 330 metres tall.",
    "The heart pumps blood.",
    None,
    "The liver makes bile.",
    "Yes.",
]
FIRST = [
    "The tower is in Paris. It was built in 1920.",
    "The heart pumps blood.",
    "x",
    None,
    "The liver makes bile.",
]
SECOND = ["The tower is in Paris. It was built in 1889.", "I can't help with that.", "y", " ", None]
COLUMNS = AnswerColumns(answer="said", sample=("first", "second"), by="topic")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "answers.parquet"
    topics = ["towers", "bodies", None, "bodies", "bodies"]
    pl.DataFrame({"said": ANSWERS, "first": FIRST, "second": SECOND, "topic": topics}).write_parquet(path)
    return path


@pytest.mark.exhaustive
def test_a_file_in_parts_has_the_claims_of_memory(path, tmp_path):
    out = tmp_path / "judged.parquet"
    summary = measure_agreement(
        open_table(path), COLUMNS, instrument=ClaimConsistency(), out=out, settings=PartSettings(2)
    )
    known = claim_consistency(ANSWERS, list(map(list, zip(FIRST, SECOND, strict=True))))
    written = pl.read_parquet(out)
    of_memory = known.to_frame().rename(lambda name: f"semscale_{name}")
    assert_frame_equal(written.select(of_memory.columns), of_memory)
    # Both samples have the place; one contradicts the year; none has the height. Row 2 has one claim.
    assert written["semscale_supported"].to_list() == [1, 1, None, None, None]
    shares = written["semscale_supported_share"].to_list()
    assert shares == [pytest.approx(1 / 3), 1.0, None, None, None]
    assert written["semscale_lowest_claim"].to_list()[:3] == [
        "It is 330 metres tall.",
        "The heart pumps blood.",
        None,
    ]
    assert written["semscale_samples"].to_list() == [2, 1, 2, 0, 1]
    assert written["semscale_samples_left_out"].to_list() == [0, 1, 0, 2, 1]
    assert (summary.n_samples, summary.n_samples_left_out) == (6, 4)
    assert {str(status): n for status, n in summary.counts.items()} == {
        "scored": 2,
        "missing": 1,
        "too-few-samples": 1,
        "weightless": 1,
    }
    assert dict(summary.claims) == {
        Support.SUPPORTED: 2,
        Support.CONTRADICTED: 1,
        Support.NOT_FOUND: 1,
        Support.UNREAD: 0,
    }
    mean = summary.estimates.overall_mean("supported_share")
    assert mean.value == pytest.approx((1 / 3 + 1) / 2)
    assert [(group.group, group.n) for group in summary.estimates.groups] == [
        ("towers", 1),
        ("bodies", 1),
        (None, 0),
    ]


@pytest.mark.exhaustive
def test_the_worst_claims_have_the_least_support_and_the_sample_that_says_otherwise(path):
    worst = measure_agreement(open_table(path), COLUMNS, instrument=ClaimConsistency()).worst
    assert [(item, claim.claim, str(claim.verdict)) for item, claim in worst] == [
        (0, "It is 330 metres tall.", "not-found"),
        (0, "It was built in 1889.", "contradicted"),
    ]
    (_, first), (_, second) = worst
    assert first.value < second.value
    assert (second.text, second.sentence) == (0, "It was built in 1920.")
    assert second.reason == 'The claim says "1889", the sentence "1920".'


@pytest.mark.exhaustive
def test_samples_may_be_in_separate_rows(path, tmp_path):
    rows = [("a", ANSWERS[0]), ("b", ANSWERS[1]), ("a", FIRST[0]), ("b", FIRST[1]), ("a", SECOND[0])]
    long = tmp_path / "long.csv"
    pl.DataFrame(rows, schema=["item", "said"], orient="row").write_csv(long)
    columns, instrument = AnswerColumns(answer="said", item="item"), ClaimConsistency()
    settings = PartSettings(1)
    summary = measure_agreement(open_table(long), columns, instrument=instrument, settings=settings)
    beside = measure_agreement(open_table(path), COLUMNS, instrument=instrument)
    assert (summary.n, summary.n_samples, dict(summary.claims)) == (2, 3, dict(beside.claims))
    assert [(item, claim.claim, claim.text) for item, claim in summary.worst] == [
        (0, "It is 330 metres tall.", 0),
        (0, "It was built in 1889.", 0),
    ]


@pytest.mark.exhaustive
def test_a_stopped_run_continues_after_its_last_part(path, tmp_path, monkeypatch):
    whole, out = tmp_path / "whole.csv", tmp_path / "judged.csv"
    settings, instrument = PartSettings(2), ClaimConsistency()
    expected = measure_agreement(
        open_table(path), COLUMNS, instrument=instrument, out=whole, settings=settings
    )
    calls, real = [], ClaimConsistency.measure_prepared

    def stops_once(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise ModelError("stopped")
        return real(*arguments)

    monkeypatch.setattr(ClaimConsistency, "measure_prepared", stops_once)
    with pytest.raises(ModelError, match="stopped"):
        measure_agreement(open_table(path), COLUMNS, instrument=instrument, out=out, settings=settings)
    summary = measure_agreement(open_table(path), COLUMNS, instrument=instrument, out=out, settings=settings)
    assert len(calls) == 4  # one part, the one that stopped, and the two that were left
    assert out.read_bytes() == whole.read_bytes()
    assert (summary.worst, summary.claims) == (expected.worst, expected.claims)
    assert (summary.n_samples, str(summary.signature)) == (expected.n_samples, str(expected.signature))


@pytest.mark.exhaustive
def test_an_entailment_model_decides_on_claims_if_configured(path):
    # The first sample contradicts the year, and counts a tenth of 0; the second has the same sentence, 1.
    model = KnownPairs({("It was built in 1920.", "It was built in 1889."): (0.0, 0.1, 0.9)})
    summary = measure_agreement(open_table(path), COLUMNS, instrument=ClaimConsistency(nli=model))
    assert summary.uses_entailment
    assert summary.claims[Support.CONTRADICTED] == 1
    assert (0, "It was built in 1889.", 0.5) in [
        (item, entry.claim, entry.value) for item, entry in summary.worst
    ]


class TestAsked:
    @pytest.fixture
    def prompts(self, tmp_path):
        path = tmp_path / "prompts.csv"
        pl.DataFrame({"q": ["tower?", None, "heart?"]}).write_csv(path)
        return path

    @pytest.fixture
    def ask(self, prompts, tmp_path):
        script = {
            "tower?": [ANSWERS[0], FIRST[0], SECOND[0]],
            "heart?": ["The heart pumps blood."] * 3,
        }

        def ask(part_rows, out=None, sampling=None):
            chat = ScriptedChat(script)
            model = AskedModel(
                sampling or Sampling(n_samples=2), Runner(chat, ledger=Ledger(tmp_path / "ledger.db"))
            )
            return measure_agreement(
                open_table(prompts),
                AskedColumns(prompt="q"),
                instrument=ClaimConsistency(),
                model=model,
                out=out,
                settings=PartSettings(part_rows),
            )

        return ask

    @pytest.mark.exhaustive
    def test_answers_and_samples_are_asked_for(self, ask, tmp_path):
        summary = ask(1, tmp_path / "out.parquet")
        written = pl.read_parquet(tmp_path / "out.parquet")
        assert written["semscale_status"].to_list() == ["scored", "missing", "scored"]
        assert written["semscale_answer"].to_list() == [ANSWERS[0], None, "The heart pumps blood."]
        assert written["semscale_samples_asked"].to_list()[0] == [FIRST[0], SECOND[0]]
        assert summary.claims[Support.CONTRADICTED] == 1
        assert summary.replies.n_calls == 6
        assert "chat_model" in dict(summary.signature.fields)

    def test_asking_cannot_stop_early(self, ask):
        with pytest.raises(InputError, match=r"^stopping must be None"):
            ask(100, sampling=Sampling(n_samples=2, stopping=Stopping(0.5)))


PASSAGE = "The Eiffel tower stands in Paris and was built in 1889."
BACKED_ANSWERS = [
    "The tower is in Paris. It was built in 1920. It is 330 metres tall.",
    "The heart pumps blood.",
    None,
    "The liver makes bile.",
    "!!!",
    "The heart does not pump blood. It weighs 300 grams.",
]
PASSAGES = [PASSAGE, "The heart pumps blood.", PASSAGE, None, PASSAGE, "The heart pumps blood."]
MORE = ["Bread is baked every day.", None, None, " ", None, None]
BACKED_COLUMNS = GroundingColumns(prediction="said", context=("passage", "more"), by="topic")


@pytest.fixture
def backed_path(tmp_path):
    backed_path = tmp_path / "answers.parquet"
    topics = ["towers", "bodies", None, "bodies", "bodies", "bodies"]
    pl.DataFrame({"said": BACKED_ANSWERS, "passage": PASSAGES, "more": MORE, "topic": topics}).write_parquet(
        backed_path
    )
    return backed_path


@pytest.mark.exhaustive
def test_a_file_in_parts_has_the_verdicts_of_memory(backed_path, tmp_path):
    out = tmp_path / "judged.parquet"
    summary = measure_groundedness(
        open_table(backed_path),
        BACKED_COLUMNS,
        instrument=Groundedness(),
        out=out,
        settings=PartSettings(2),
    )
    known = groundedness(BACKED_ANSWERS, list(map(list, zip(PASSAGES, MORE, strict=True))))
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


@pytest.mark.exhaustive
def test_worst_claims_are_first_contradicted_then_least_supported(backed_path):
    summary = measure_groundedness(open_table(backed_path), BACKED_COLUMNS, instrument=Groundedness())
    assert [(row, claim.claim, str(claim.verdict)) for row, claim in summary.worst[:2]] == [
        (0, "It was built in 1920.", "contradicted"),
        (5, "The heart does not pump blood.", "contradicted"),
    ]
    assert summary.worst[0][1].sentence == PASSAGE
    assert summary.worst[0][1].reason == 'The claim says "1920", the sentence "1889".'
    unsupported = [claim for _, claim in summary.worst[2:]]
    assert {entry.claim for entry in unsupported} == {"It is 330 metres tall.", "It weighs 300 grams."}
    assert unsupported[0].score < unsupported[1].score
    assert dict(summary.claims) == {
        Support.SUPPORTED: 2,
        Support.CONTRADICTED: 2,
        Support.NOT_FOUND: 2,
        Support.UNREAD: 0,
    }
    assert (summary.n_claims, summary.n_contradicted, summary.n_unguarded) == (6, 2, 0)


@pytest.mark.exhaustive
def test_a_stopped_run_by_passages_continues_after_its_last_part(backed_path, tmp_path, monkeypatch):
    whole, out = tmp_path / "whole.csv", tmp_path / "judged.csv"
    settings = PartSettings(2)
    expected = measure_groundedness(
        open_table(backed_path), BACKED_COLUMNS, instrument=Groundedness(), out=whole, settings=settings
    )
    calls, real = [], Groundedness.judge_prepared

    def stops_once(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise ModelError("stopped")
        return real(*arguments)

    monkeypatch.setattr(Groundedness, "judge_prepared", stops_once)
    with pytest.raises(ModelError, match="stopped"):
        measure_groundedness(
            open_table(backed_path), BACKED_COLUMNS, instrument=Groundedness(), out=out, settings=settings
        )
    summary = measure_groundedness(
        open_table(backed_path), BACKED_COLUMNS, instrument=Groundedness(), out=out, settings=settings
    )
    assert len(calls) == 4  # one part, the one that stopped, and the two that were left
    assert out.read_bytes() == whole.read_bytes()
    assert summary.worst == expected.worst
    assert summary.claims == expected.claims


def test_an_entailment_model_judges_passages_if_configured(backed_path):
    model = KnownPairs({(PASSAGE, "It was built in 1920."): (0.1, 0.1, 0.8)})
    summary = measure_groundedness(
        open_table(backed_path), BACKED_COLUMNS, instrument=Groundedness(nli=model)
    )
    assert [(claim.claim, str(claim.verdict), claim.reason) for _, claim in summary.worst[:1]] == [
        ("It was built in 1920.", "contradicted", None)
    ]
    assert summary.uses_entailment
    assert not np.isnan(summary.estimates.overall.mean.value)


@pytest.mark.exhaustive
def test_answers_in_languages_without_guards_are_counted(tmp_path):
    backed_path = tmp_path / "german.csv"
    german = "Das Herz pumpt das Blut durch den ganzen Körper und schlägt dabei sehr oft in der Minute."
    pl.DataFrame({"said": [german], "passage": [german]}).write_csv(backed_path)
    columns = GroundingColumns(prediction="said", context=("passage",))
    model = KnownPairs({(german, german): (0.9, 0.1, 0.0)})
    assert (
        measure_groundedness(open_table(backed_path), columns, instrument=Groundedness(nli=model)).n_unguarded
        == 0
    )
    assert (
        measure_groundedness(
            open_table(backed_path), columns, instrument=Groundedness(embedder="e5-small")
        ).n_unguarded
        == 1
    )


def test_messages_call_the_passages_context(backed_path):
    with pytest.raises(InputError, match=r"^context must have at least 1 entry"):
        GroundingColumns(prediction="said", context=())
    with pytest.raises(InputError, match=r"^context: .*'pasage'"):
        measure_groundedness(
            open_table(backed_path),
            GroundingColumns(prediction="said", context=("pasage",)),
            instrument=Groundedness(),
        )
