"""Requests: checked when they are made, and resampled with another seed."""

import pytest

from semscale.chat import Message, Parameters, Request
from semscale.errors import InputError


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Message("robot", "a"), "role must be one of system, user, assistant"),
        (lambda: Message("user", ()), "at least one part"),
        (lambda: Message("user", (3,)), "parts are texts and images, got int"),
        (lambda: Request(()), "at least one message"),
        (lambda: Request(("a",)), "messages must be of Message, got str"),
        (lambda: Request.of("a", sample=-1), "sample must be >= 0"),
        (lambda: Request.of("a", temprature=1.0), "got temprature"),
        (lambda: Parameters(temperature=-1.0), "temperature must be from 0"),
        (lambda: Parameters(temperature=float("nan")), "temperature must be from 0"),
        (lambda: Parameters(max_tokens=0), "max_tokens must be >= 1"),
        (lambda: Parameters(top_p=0.0), "top_p must be > 0"),
        (lambda: Parameters(top_logprobs=21), "top_logprobs must be from 0 to 20"),
        (lambda: Parameters(stop="END"), "stop must be a tuple"),
    ],
)
def test_what_cannot_be_asked(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_a_seed_moves_with_the_sample():
    request = Request.of("a", seed=10)
    assert [request.resampled(number).parameters.seed for number in (0, 1, 5)] == [10, 11, 15]
    assert request.resampled(5).resampled(1) == request.resampled(1)
