"""``semscale.code``: codes of a list of answers in one call."""

import numpy as np
import polars as pl
import pytest
from tests.judging.conftest import Scripted, plain_running

import semscale
from semscale.coding import Code, Codebook
from semscale.errors import InputError, RowError
from semscale.text_preparation import TextWarning

BOOK = Codebook(
    "phones",
    (
        Code("price", "The product is expensive or cheap.", ("It costs too much.",)),
        Code("battery", "How long the battery lasts.", ("The battery dies fast.",)),
    ),
)
ANSWERS = ["The battery is empty by noon.", "Far too expensive.", None, ""]


def test_code_assigns_the_codes_of_all_answers_in_order():
    coding = semscale.code(pl.Series(ANSWERS), BOOK)
    assert coding.to_frame()["outcome"].to_list() == ["coded", "coded", "no-answer", "no-answer"]
    np.testing.assert_array_equal(coding.assigned, [[0, 1], [1, 0], [np.nan, np.nan], [np.nan, np.nan]])
    assert (len(coding), coding.n_read) == (4, 2)
    assert repr(coding) == "Coding(n=4, n_read=2, codes=2)"


@pytest.mark.parametrize("answer", ["asdf", "aaaa", "hjkl asdf qwer"])
def test_keyboard_noise_has_no_code(answer):
    book = Codebook(
        "bank",
        (
            Code("support", "Help from the bank, chat and hotline.", ("quick help on the phone", "no reply")),
            Code("fees", "Costs and interest.", ("free of charge", "high fees abroad", "low interest")),
            Code("notices", "Messages, alerts and advertising.", ("too many push messages", "annoying ads")),
        ),
    )
    assert semscale.code([answer, "fees"], book).outcome.tolist() == ["other", "coded"]


def test_code_reads_a_codebook_from_its_file(pytestconfig):
    path = pytestconfig.rootpath / "examples" / "coding" / "codes.yaml"
    coding = semscale.code(["the battery died"], path)
    assert coding.codebook == semscale.load_codebook(path)


def test_code_fits_probabilities_to_hand_codes():
    answers = ["The battery is empty by noon.", "Far too expensive."] * 12
    human = [["battery"], "price"] * 11 + [None, "none"]
    coding = semscale.code(answers, BOOK, human=human)
    assert coding.is_calibrated.all()
    assert coding.hand.coded.sum() == 23


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"human": ["price"]}, InputError, "human must have 4 rows as answers has, got 1"),
        ({"human": ["prise", "", "", ""]}, RowError, "did you mean 'price'"),
        ({"inclusion": [1, 1, 1, 1]}, InputError, "inclusion belongs to human"),
        ({"given_from": 0.2}, InputError, "unsure_from must be at most given_from"),
    ],
)
def test_code_refuses_wrong_settings(settings, error, message):
    with pytest.raises(error, match=message):
        semscale.code(ANSWERS, BOOK, **settings)


def test_code_asks_a_chat_model_about_all_readable_answers():
    chat = Scripted(lambda _: '{"1": []}')
    coding = semscale.code(ANSWERS, BOOK, chat_model=chat, method="prose", running=plain_running())
    assert coding.to_frame()["chat_status"].to_list() == ["scored", "scored", None, None]
    assert coding.asked.probability[:2].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_reasoning_is_coded_unless_it_is_removed():
    answers = ["<think>The battery, perhaps?</think>the price is high"]
    with pytest.warns(TextWarning, match="1 of 1 texts begin with a model's reasoning"):
        unchanged = semscale.code(answers, BOOK)
    removed = semscale.code(answers, BOOK, reasoning="remove")
    alone = semscale.code(["the price is high"], BOOK)
    assert removed.likeness.tolist() == alone.likeness.tolist() != unchanged.likeness.tolist()


def test_code_learns_nothing_from_codes_for_missing_answers():
    answers = ["The battery is empty by noon.", "Far too expensive."] * 6 + ["not applicable"]
    human = ["battery", "price"] * 6 + ["none"]
    coding = semscale.code(answers, BOOK, human=human, missing=["Not applicable"])
    # 12 of the 13 hand-coded answers are read, as in a table
    assert dict(coding.signature.fields)["learned"].startswith("12#")


def test_code_leaves_out_codes_for_missing_answers():
    coding = semscale.code(["The battery is empty by noon.", " N/a"], BOOK, missing=["n/a"])
    assert coding.to_frame().select("outcome", "reason").rows() == [("coded", None), ("no-answer", "missing")]
