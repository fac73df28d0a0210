"""Shares of levels from the probabilities of tokens; expected values by hand."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from semscale.chat.messages import TokenLogprob
from semscale.judging.replies import read_reply
from semscale.judging.templates import Level, Template, load_template
from semscale.judging.verdict import level_probabilities

ELEVEN = Template(
    name="eleven", task="?", levels=tuple(Level(score=n / 10, label=f"l{n}", number=n) for n in range(11))
)


def tokens(*entries):
    """Tokens with probabilities of what might stand there; a lone string has none."""
    return [
        TokenLogprob(entry, 0.0)
        if isinstance(entry, str)
        else TokenLogprob(
            next(iter(entry)),
            math.log(next(iter(entry.values()))),
            tuple((t, math.log(p)) for t, p in entry.items()),
        )
        for entry in entries
    ]


def probabilities(template, *entries):
    stream = tokens(*entries)
    reply = "".join(token.token for token in stream)
    result = level_probabilities(reply, stream, read_reply(reply, template).span, template)
    return None if result is None else SimpleNamespace(masses=result[0], covered=result[1])


def test_a_space_may_belong_to_the_token():
    result = probabilities(
        load_template("likert"), "Score", ":", {" 4": 0.5, " 5": 0.3, "4": 0.1, " high": 0.1}
    )
    np.testing.assert_allclose(result.masses, [0, 0, 0, 0.6 / 0.9, 0.3 / 0.9])
    assert result.covered == pytest.approx(0.9)


def test_score_token_is_located_anywhere_in_the_reply():
    result = probabilities(
        load_template("likert"), "On a ", "1", "-", "5", " scale I give it a ", {"5": 0.7, "4": 0.3}
    )
    np.testing.assert_allclose(result.masses, [0, 0, 0, 0.3, 0.7])


def test_the_first_digit_of_ten_counts_for_nobody_unless_it_was_chosen():
    result = probabilities(ELEVEN, "Score: ", {"9": 0.6, "1": 0.3, "8": 0.1})
    assert result.covered == pytest.approx(0.7)
    assert result.masses[[8, 9]] == pytest.approx([1 / 7, 6 / 7])
    # Chosen, the next token decides: .3 * .8 for 10, .3 * .2 for 1 ("1" and an end of line).
    result = probabilities(ELEVEN, "Score: ", {"1": 0.3, "9": 0.6, "8": 0.1}, {"0": 0.8, "\n": 0.2})
    assert result.masses[[1, 8, 9, 10]] == pytest.approx([0.06, 0.1, 0.6, 0.24])


def test_labels_in_pieces():
    template = load_template("likert")
    result = probabilities(
        template,
        "Score: ",
        {"Mostly": 0.8, "Part": 0.1, "Completely": 0.1},
        {" correct": 0.75, " incorrect": 0.25},
    )
    # "Completely" begins two levels and was not chosen.
    assert result.masses == pytest.approx([0, 0.2 / 0.9, 0.1 / 0.9, 0.6 / 0.9, 0])
    assert result.covered == pytest.approx(0.9)


def test_whole_numbers_to_100():
    template = load_template("continuous")
    result = probabilities(template, "Score: ", {"8": 0.9, "9": 0.1}, {"5": 0.5, "0": 0.5}, "\n")
    # "9" alone may be 9 or 90 to 99.
    assert result.masses[[80, 85]] == pytest.approx([0.5, 0.5])
    assert result.covered == pytest.approx(0.9)


def test_a_number_that_ends_the_reply():
    result = probabilities(ELEVEN, "Score: ", {"1": 0.9, "2": 0.1})
    assert result.masses[[1, 2]] == pytest.approx([0.9, 0.1])


def test_tokens_of_another_text_say_nothing():
    assert level_probabilities("Score: 4", tokens("Score: 5"), (7, 8), load_template("likert")) is None
    assert level_probabilities("4", [], (0, 1), load_template("likert")) is None


def test_tokens_around_the_reply_do_no_harm():
    stream = tokens("\n", {"4": 0.9, "3": 0.1}, "\n")
    masses, _ = level_probabilities("4", stream, (0, 1), load_template("likert"))
    np.testing.assert_allclose(masses, [0, 0, 0.1, 0.9, 0])


def test_probabilities_that_are_none_say_nothing():
    assert probabilities(load_template("likert"), "Score: ", {"4": 0.9, "5": 0.8}) is None
