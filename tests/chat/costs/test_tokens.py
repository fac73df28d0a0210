"""Estimates of a request's tokens."""

from semscale.chat import ImagePart, Message, Request, TextPart
from semscale.chat.budget import estimated_prompt, most_reply_tokens


def test_a_third_of_the_bytes_rounded_up_and_eight_a_message():
    # "ü" has two bytes, so the user's message has 4 and the system's 3: 2 + 8 and 1 + 8.
    assert estimated_prompt(Request.of("abü", system="abc")) == 19


def test_an_image_counts_1500():
    message = Message("user", (TextPart("abc"), ImagePart("https://example.org/a.png")))
    assert estimated_prompt(Request((message,))) == 1 + 8 + 1500


def test_the_questions_of_a_decision_count():
    # {"q": "abc"} has 12 bytes: 4, beside the 1 + 8 of the message
    assert estimated_prompt(Request.of("abc", extra={"q": "abc"})) == 13


def test_an_unpaired_surrogate_is_no_error():
    assert estimated_prompt(Request.of("\ud800")) == 9  # three bytes


def test_the_longest_reply_is_the_limit_or_1024():
    assert most_reply_tokens(Request.of("a", max_tokens=5)) == 5
    assert most_reply_tokens(Request.of("a")) == 1024
