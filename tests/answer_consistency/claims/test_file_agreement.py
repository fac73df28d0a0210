"""Files of answers and samples, claim by claim: the same figures as in memory, whatever the parts."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scripted_chat import ScriptedChat
from tests.matching.made_up_entailment import KnownPairs

from semscale.answer_consistency.asking.asked_model import AskedModel
from semscale.answer_consistency.claims import agreement_work
from semscale.answer_consistency.claims.claim_support import ClaimJudge, Support
from semscale.answer_consistency.claims.file_agreement import claim_consistency_file
from semscale.answer_consistency.claims.long_answers import claim_consistency
from semscale.answer_consistency.files.columns import AnswerColumns
from semscale.answer_consistency.sampling import Sampling, Stopping
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.runner import Runner
from semscale.errors import InputError, ModelError
from semscale.store.reading import open_table
from semscale.store.runs.table_run import PartSettings

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
COLUMNS = AnswerColumns(answer="said", samples=("first", "second"), by="topic")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "answers.parquet"
    topics = ["towers", "bodies", None, "bodies", "bodies"]
    pl.DataFrame({"said": ANSWERS, "first": FIRST, "second": SECOND, "topic": topics}).write_parquet(path)
    return path


@pytest.mark.parametrize("part_rows", [2, 100])
def test_a_file_has_the_claims_of_memory_in_parts_of_any_size(path, tmp_path, part_rows):
    out = tmp_path / "judged.parquet"
    summary = claim_consistency_file(
        open_table(path), COLUMNS, judge=ClaimJudge(), out=out, settings=PartSettings(part_rows)
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


def test_the_worst_claims_have_the_least_support_and_the_sample_that_says_otherwise(path):
    worst = claim_consistency_file(open_table(path), COLUMNS, judge=ClaimJudge()).worst
    assert [(one.item, one.claim, str(one.verdict)) for one in worst] == [
        (0, "It is 330 metres tall.", "not-found"),
        (0, "It was built in 1889.", "contradicted"),
    ]
    assert worst[0].value < worst[1].value
    assert (worst[1].sample, worst[1].sentence) == (1, "It was built in 1920.")
    assert worst[1].reason == 'The claim says "1889", the sentence "1920".'


def test_samples_may_stand_in_rows_of_their_own(path, tmp_path):
    rows = [("a", ANSWERS[0]), ("b", ANSWERS[1]), ("a", FIRST[0]), ("b", FIRST[1]), ("a", SECOND[0])]
    long = tmp_path / "long.csv"
    pl.DataFrame(rows, schema=["item", "said"], orient="row").write_csv(long)
    columns, judge = AnswerColumns(answer="said", item="item"), ClaimJudge()
    settings = PartSettings(1)
    summary = claim_consistency_file(open_table(long), columns, judge=judge, settings=settings)
    beside = claim_consistency_file(open_table(path), COLUMNS, judge=judge)
    assert (summary.n, summary.n_samples, dict(summary.claims)) == (2, 3, dict(beside.claims))
    assert [(one.item, one.claim, one.sample) for one in summary.worst] == [
        (0, "It is 330 metres tall.", 1),
        (0, "It was built in 1889.", 1),
    ]


def test_a_stopped_run_goes_on_after_its_last_part(path, tmp_path, monkeypatch):
    whole, out = tmp_path / "whole.csv", tmp_path / "judged.csv"
    settings, judge = PartSettings(2), ClaimJudge()
    expected = claim_consistency_file(open_table(path), COLUMNS, judge=judge, out=whole, settings=settings)
    calls, real = [], agreement_work.agreeing

    def stops_once(*given):
        calls.append(given)
        if len(calls) == 2:
            raise ModelError("stopped")
        return real(*given)

    monkeypatch.setattr(agreement_work, "agreeing", stops_once)
    with pytest.raises(ModelError, match="stopped"):
        claim_consistency_file(open_table(path), COLUMNS, judge=judge, out=out, settings=settings)
    found = claim_consistency_file(open_table(path), COLUMNS, judge=judge, out=out, settings=settings)
    assert len(calls) == 4  # one part, the one that stopped, and the two that were left
    assert out.read_bytes() == whole.read_bytes()
    assert (found.worst, found.claims) == (expected.worst, expected.claims)
    assert (found.n_samples, str(found.signature)) == (expected.n_samples, str(expected.signature))


def test_a_model_of_entailment_decides_where_it_is_given(path):
    # The first sample contradicts the year, and counts a tenth of 0; the second has the same sentence, 1.
    model = KnownPairs({("It was built in 1920.", "It was built in 1889."): (0.0, 0.1, 0.9)})
    summary = claim_consistency_file(open_table(path), COLUMNS, judge=ClaimJudge(nli=model))
    assert summary.uses_entailment
    assert summary.claims[Support.CONTRADICTED] == 1
    assert (0, "It was built in 1889.", 0.5) in [(one.item, one.claim, one.value) for one in summary.worst]


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
            return claim_consistency_file(
                open_table(prompts),
                AnswerColumns(prompt="q"),
                judge=ClaimJudge(),
                model=model,
                out=out,
                settings=PartSettings(part_rows),
            )

        return ask

    @pytest.mark.parametrize("part_rows", [1, 100])
    def test_answers_and_samples_are_asked_for(self, ask, tmp_path, part_rows):
        summary = ask(part_rows, tmp_path / "out.parquet")
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
