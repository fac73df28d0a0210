"""Codes of answers: decisions, calibrated or not, and their table."""

import numpy as np
import polars as pl
import pytest

from semscale.coding.coder import ChatCodes, Coder, CodeScores
from semscale.coding.coding import code_answers, decide
from semscale.coding.labels import HandCodes
from semscale.coding.settings import BY_LIKENESS, CodeSettings
from semscale.errors import InputError
from semscale.signature import Signature
from semscale.stats.intervals import Estimate
from semscale.types import Status

TEXTS = ["the battery", None, "a price", "hello", ""]


def scored(book, n=120, seed=1):
    """Likenesses and hand codes that go together for all codes but the last, which nobody gave."""
    rng = np.random.default_rng(seed)
    likeness = rng.uniform(size=(n, 3))
    codes = (rng.uniform(size=(n, 3)) < likeness).astype(float)
    codes[:, 2] = 0.0
    codes[n // 2 :] = np.nan
    status = np.array([Status.SCORED] * n, dtype=object)
    return CodeScores(book, likeness, status, Signature.of("code")), HandCodes(codes[None], ("human",))


def test_without_hand_codes_nothing_is_a_probability(book, key_words):
    found = code_answers(Coder(book, embedder=key_words).score(TEXTS))
    assert np.isnan(found.probability).all()
    assert found.values is not found.probability
    assert [str(each) for each in found.outcome] == [
        "coded", "no-answer", "coded", "other", "no-answer"
    ]  # fmt: skip
    assert found.assigned[2].tolist() == [0, 1, 0]
    assert not [name for name in found.to_frame().columns if name.endswith("_p")]


def test_shares_are_of_the_answers_about_which_a_code_is_decided(book):
    # From 0.7 on a code is assigned, below 0.5 it is not, between these it is undecided.
    likeness = np.array([[0.9, 0.1, 0.6], [0.2, 0.1, 0.6], [0.8, 0.3, 0.0], [np.nan] * 3])
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


def test_a_code_with_too_few_labels_stays_a_likeness_beside_calibrated_ones(book):
    scores, hand = scored(book)
    found = code_answers(scores, hand=hand, settings=CodeSettings(given_from=0.6, unsure_from=0.4))
    assert found.is_calibrated.tolist() == [True, True, False]
    assert found.given_from == [0.6, 0.6, BY_LIKENESS.given_from]
    assert np.isnan(found.probability[:, 2]).all()
    assert found.assigned[:, 0].tolist() == pytest.approx(
        np.where(found.probability[:, 0] >= 0.6, 1, np.where(found.probability[:, 0] < 0.4, 0, np.nan)),
        nan_ok=True,
    )
    assert found.to_frame().columns == [
        "outcome", "reason", "power", "power_p", "cost",
        "cost_p", "display", "display_likeness",
    ]  # fmt: skip


def test_the_table_has_its_types_where_no_answer_has_a_reason(book, key_words):
    table = code_answers(Coder(book, embedder=key_words).score(["the battery", "hello"])).to_frame()
    assert table.schema["reason"] == pl.String
    assert table.schema["power"] == pl.Int8
    assert table["reason"].null_count() == 2


def test_the_signature_knows_labels_and_thresholds(book):
    scores, hand = scored(book)
    bare, labelled = (str(code_answers(scores, hand=one).signature) for one in (None, hand))
    assert "labels:" not in bare
    assert "labels:" in labelled
    assert "inclusion:no" in labelled
    other = scored(book, seed=2)[1]
    assert str(code_answers(scores, hand=other).signature) != labelled


def test_what_a_chat_model_said_moves_the_score(book):
    scores, _ = scored(book)
    asked = np.full((120, 3), np.nan)
    asked[0] = [1.0, 0.0, 0.5]
    status = np.array([Status.SCORED] + [Status.REFUSED] * 119, dtype=object)
    found = code_answers(scores, asked=ChatCodes("m", asked, status, (), Signature.of("judge")))
    # without labels both count alike; an answer that was not asked about is placed by its likeness
    assert found.likeness[0].tolist() == pytest.approx(((scores.likeness[0] + asked[0]) / 2).tolist())
    assert found.likeness[1:].argsort(axis=0).tolist() == scores.likeness[1:].argsort(axis=0).tolist()


def test_hand_codes_of_unreadable_answers_alone_are_refused(book, key_words):
    scores = Coder(book, embedder=key_words).score(["battery", ""])
    codes = np.array([[[np.nan] * 3, [1.0, 0, 0]]])
    with pytest.raises(InputError, match="no answer that can be read was coded in human"):
        code_answers(scores, hand=HandCodes(codes, ("human",)))


def test_a_label_without_its_probability_is_refused(book):
    scores, hand = scored(book)
    with pytest.raises(InputError, match="inclusion"):
        code_answers(scores, hand=HandCodes(hand.codes, hand.people, np.full(120, np.nan)))


def test_the_table_says_of_each_answer_what_the_chat_model_made_of_it(book):
    scores, _ = scored(book, n=3)
    status = np.array([Status.SCORED, Status.REFUSED, None], dtype=object)
    asked = ChatCodes("m", np.full((3, 3), np.nan), status, (), Signature.of("judge"))
    table = code_answers(scores, asked=asked).to_frame()
    assert table["chat_status"].to_list() == ["scored", "refused", None]
    assert "chat_status" not in code_answers(scores).to_frame().columns


def test_each_code_has_its_own_thresholds_and_ends_belong_to_the_higher_side():
    values = np.array([[0.5, 0.5], [0.3, 0.7], [0.29, 0.49]])
    found = decide(values, [CodeSettings(), BY_LIKENESS])
    assert np.nan_to_num(found, nan=-1).tolist() == [[1, -1], [-1, 1], [0, 0]]


def test_every_reason_is_stated_and_only_unread_answers_are_no_base(book):
    status = np.array(
        [
            Status.SCORED, Status.SCORED, Status.SCORED,
            Status.EMPTY, Status.MISSING, Status.NOT_TEXT, Status.WEIGHTLESS,
        ],
        dtype=object,
    )  # fmt: skip
    # without hand codes: assigned from 0.7, unsure from 0.5
    likeness = np.array([[0.6, 0.1, 0.1], [0.6, 0.7, 0.1], [0.4, 0.4, 0.4], *[[np.nan] * 3] * 4])
    found = code_answers(CodeScores(book, likeness, status, Signature.of("code")))
    assert [str(outcome) for outcome in found.outcome] == [
        "cannot-tell", "coded", "other", "no-answer", "no-answer", "no-answer", "cannot-tell"
    ]  # fmt: skip
    assert list(found.reason) == ["unsure", None, None, "empty", "missing", "not-text", "weightless"]
    assert found.readable.tolist() == [True, True, True, False, False, False, False]


@pytest.mark.parametrize("pair", [(0.0, 0.0), (1.1, 0.3), (0.5, 0.6), (0.5, -0.1)])
def test_thresholds_out_of_range_are_refused(pair):
    with pytest.raises(InputError, match="_from must be"):
        CodeSettings(given_from=pair[0], unsure_from=pair[1])
