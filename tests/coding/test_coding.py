"""Codes of answers: decisions, calibrated or not, and their table."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import semscale
from semscale.chat.messages import Usage
from semscale.chat.settings import Spent
from semscale.coding.chat_codes import ChatCodes
from semscale.coding.coder import Coder, CodeScores
from semscale.coding.coding import code_answers, decide
from semscale.coding.labels import HandCodes
from semscale.coding.settings import BY_LIKENESS, CodeSettings
from semscale.errors import InputError
from semscale.signature import Signature
from semscale.stats.intervals import Estimate
from semscale.types import Status

OFF_TOPIC = "there is nothing at all that I would like to say"
TEXTS = ["the battery", None, "a price", OFF_TOPIC, ""]


def scored(book, n=120, seed=1):
    """Likenesses and hand codes that go together for all codes but the last, which nobody gave."""
    rng = np.random.default_rng(seed)
    likeness = rng.uniform(size=(n, 3))
    codes = (rng.uniform(size=(n, 3)) < likeness).astype(float)
    codes[:, 2] = 0.0
    codes[n // 2 :] = np.nan
    status = np.array([Status.SCORED] * n, dtype=object)
    return CodeScores(book, likeness, status, Signature.of("code")), HandCodes(codes[None], ("human",))


def test_without_hand_codes_nothing_is_a_probability(book, keyword_embedder):
    coding = code_answers(Coder(book, embedder=keyword_embedder).score(TEXTS))
    assert np.isnan(coding.probability).all()
    assert coding.values is not coding.probability
    assert [str(outcome) for outcome in coding.outcome] == [
        "coded", "no-answer", "coded", "other", "no-answer"
    ]  # fmt: skip
    assert coding.assigned[2].tolist() == [0, 1, 0]
    assert not [name for name in coding.to_frame().columns if name.endswith("_p")]


def test_shares_count_only_decided_answers(book):
    # From 0.5 on a code is assigned, below 0.4 it is not, between these it is undecided.
    likeness = np.array([[0.9, 0.1, 0.45], [0.2, 0.1, 0.45], [0.8, 0.3, 0.0], [np.nan] * 3])
    status = np.array([*[Status.SCORED] * 3, Status.MISSING], dtype=object)
    coding = code_answers(CodeScores(book, likeness, status, Signature.of("code")))
    assert coding.counts == {"coded": 2, "cannot-tell": 1, "no-answer": 1}
    assert [(share.code, share.n, share.n_assigned, share.n_unsure) for share in coding.shares()] == [
        ("power", 3, 2, 0),
        ("cost", 3, 0, 0),
        ("display", 1, 0, 2),
    ]
    # Wilson's interval of 0 in n is from 0 to z²/(n + z²), with z² = 3.8415 for 95 % and 2.7055 for 90 %.
    assert coding.shares()[1].counted == Estimate(0.0, 0.0, pytest.approx(0.5615, abs=1e-4))
    assert coding.shares(interval=0.9)[1].counted.high == pytest.approx(0.4742, abs=1e-4)


def test_a_code_with_too_few_labels_stays_a_likeness_next_to_calibrated_codes(book):
    scores, hand = scored(book)
    coding = code_answers(scores, hand=hand, settings=CodeSettings(given_from=0.6, unsure_from=0.4))
    assert coding.is_calibrated.tolist() == [True, True, False]
    assert coding.given_from == [0.6, 0.6, BY_LIKENESS.given_from]
    assert np.isnan(coding.probability[:, 2]).all()
    assert coding.assigned[:, 0].tolist() == pytest.approx(
        np.where(coding.probability[:, 0] >= 0.6, 1, np.where(coding.probability[:, 0] < 0.4, 0, np.nan)),
        nan_ok=True,
    )
    assert coding.to_frame().columns == [
        "outcome", "reason", "power", "power_p", "cost",
        "cost_p", "display", "display_likeness",
    ]  # fmt: skip


def test_tables_of_codes_have_the_counted_shares(book):
    scores, hand = scored(book)
    for labels in (None, hand):
        coding = code_answers(scores, hand=labels)
        shares = coding.shares()
        assert min(share.n_unsure for share in shares) > 0
        frame = coding.to_frame().rename(lambda name: f"semscale_{name}")
        (table,) = semscale.crosstabs(frame, questions=["semscale_outcome"]).tables
        assert [line.name for line in table.question.lines] == [share.code for share in shares]
        assert table.cells.values[:, 0] == pytest.approx([share.counted.value for share in shares])


def test_the_table_has_its_types_even_without_reasons(book, keyword_embedder):
    table = code_answers(Coder(book, embedder=keyword_embedder).score(["the battery", OFF_TOPIC])).to_frame()
    assert table.schema["reason"] == pl.String
    assert table.schema["power"] == pl.Int8
    assert table["reason"].null_count() == 2


def test_the_table_has_the_unit_of_each_assigned_code(book, keyword_embedder):
    texts = ["The screen is bright. The battery is bad, but the price is fair!", OFF_TOPIC]
    table = code_answers(Coder(book, embedder=keyword_embedder).score(texts)).to_frame()
    assert table.select("power_evidence", "cost_evidence", "display_evidence").rows() == [
        ("The battery is bad", "but the price is fair!", "The screen is bright."),
        (None, None, None),
    ]


def test_the_signature_knows_labels_and_thresholds(book):
    scores, hand = scored(book)
    bare, labelled = (str(code_answers(scores, hand=labels).signature) for labels in (None, hand))
    assert "labels:" not in bare
    assert "labels:" in labelled
    assert "inclusion:no" in labelled
    other = scored(book, seed=2)[1]
    assert str(code_answers(scores, hand=other).signature) != labelled


def chat_codes(probability, status):
    units = np.full(probability.shape, None, dtype=object)
    spent = Spent(0, Usage(0, 0), None)
    return ChatCodes("m", "prose", probability, units, status, (), spent, Signature.of("chat-codes"))


def test_the_answer_of_a_chat_model_moves_the_score(book):
    scores = replace(scored(book)[0], reasons=np.full((120, 3), "keyword", dtype=object))
    asked = np.full((120, 3), np.nan)
    asked[0] = [1.0, 0.0, 0.5]
    status = np.array([Status.SCORED] + [Status.REFUSED] * 119, dtype=object)
    coding = code_answers(scores, asked=chat_codes(asked, status))
    # where the chat model adds more to the score, it decided
    assert (coding.reasons == "chat model").tolist() == [
        *(asked[[0]] > scores.likeness[[0]]).tolist(), *[[False] * 3] * 119,
    ]  # fmt: skip
    # without labels both count alike; an answer that was not asked about is placed by its likeness
    assert coding.likeness[0].tolist() == pytest.approx(((scores.likeness[0] + asked[0]) / 2).tolist())
    assert coding.likeness[1:].argsort(axis=0).tolist() == scores.likeness[1:].argsort(axis=0).tolist()


def test_hand_codes_of_unreadable_answers_alone_are_refused(book, keyword_embedder):
    scores = Coder(book, embedder=keyword_embedder).score(["battery", ""])
    codes = np.array([[[np.nan] * 3, [1.0, 0, 0]]])
    with pytest.raises(InputError, match="no answer that can be read was coded in human"):
        code_answers(scores, hand=HandCodes(codes, ("human",)))


def test_a_label_without_its_probability_is_refused(book):
    scores, hand = scored(book)
    with pytest.raises(InputError, match="inclusion"):
        code_answers(scores, hand=HandCodes(hand.codes, hand.people, np.full(120, np.nan)))


def test_the_table_states_the_chat_status_of_all_answers(book):
    scores, _ = scored(book, n=3)
    status = np.array([Status.SCORED, Status.REFUSED, None], dtype=object)
    asked = chat_codes(np.full((3, 3), np.nan), status)
    table = code_answers(scores, asked=asked).to_frame()
    assert table["chat_status"].to_list() == ["scored", "refused", None]
    assert "chat_status" not in code_answers(scores).to_frame().columns


def test_codes_have_separate_thresholds_and_ends_belong_to_the_higher_side():
    values = np.array([[0.4, 0.4], [0.25, 0.5], [0.24, 0.39]])
    coding = decide(values, [CodeSettings(), BY_LIKENESS])
    assert np.nan_to_num(coding, nan=-1).tolist() == [[1, -1], [-1, 1], [0, 0]]


def test_every_reason_is_stated_and_only_unread_answers_are_no_base(book):
    status = np.array(
        [
            Status.SCORED, Status.SCORED, Status.SCORED,
            Status.EMPTY, Status.MISSING, Status.NOT_TEXT, Status.WEIGHTLESS,
        ],
        dtype=object,
    )  # fmt: skip
    # without hand codes: assigned from 0.5, unsure from 0.4
    likeness = np.array([[0.45, 0.1, 0.1], [0.45, 0.7, 0.1], [0.3, 0.3, 0.3], *[[np.nan] * 3] * 4])
    coding = code_answers(CodeScores(book, likeness, status, Signature.of("code")))
    assert [str(outcome) for outcome in coding.outcome] == [
        "cannot-tell", "coded", "other", "no-answer", "no-answer", "no-answer", "cannot-tell"
    ]  # fmt: skip
    assert list(coding.reason) == ["unsure", None, None, "empty", "missing", "not-text", "weightless"]
    assert coding.readable.tolist() == [True, True, True, False, False, False, False]


@pytest.mark.parametrize("pair", [(0.0, 0.0), (1.1, 0.3), (0.5, 0.6), (0.5, -0.1)])
def test_thresholds_out_of_range_are_refused(pair):
    with pytest.raises(InputError, match="_from must be"):
        CodeSettings(given_from=pair[0], unsure_from=pair[1])
