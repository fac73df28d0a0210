"""Requests: checked when they are made, and keyed by all that decides a reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.chat import Message, Parameters, Request, TextPart
from semscale.chat.ledger.content_key import ContentKeys
from semscale.errors import InputError
from semscale.signature import Signature


class Model:
    name = "m"
    signature = Signature.of("chat", engine="test")


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


DISTINCT = [
    Request.of("a"),
    Request.of("b"),
    Request.of("a", sample=1),
    Request.of("a", system=""),
    Request.of("a", system="b"),
    Request((Message("assistant", "a"),)),
    Request((Message("user", "a"), Message("user", "a"))),
    Request.of("a", temperature=0.0),
    Request.of("a", temperature=1.0),
    Request.of("a", seed=0),
    Request.of("a", max_tokens=1),
    Request.of("a", stop=("b",)),
    Request.of("a", top_logprobs=0),
    Request.of("a", schema={"type": "object"}),
    Request.of("a", extra={"b": 1}),
]


def test_whatever_decides_a_reply_is_in_its_key():
    keys = ContentKeys(Model())
    assert len({keys.of(request) for request in DISTINCT}) == len(DISTINCT)


def test_a_text_and_its_only_part_are_the_same():
    keys = ContentKeys(Model())
    assert keys.of(Request.of("a")) == keys.of(Request.of([TextPart("a")]))


@given(st.text(), st.text())
def test_texts_are_not_mixed_up(first, second):
    keys = ContentKeys(Model())
    one, other = (
        Request((Message("user", pair[0]), Message("user", pair[1])))
        for pair in ((first, second), (second, first))
    )
    assert (keys.of(one) == keys.of(other)) is (first == second)


def test_a_key_stays_the_same_across_versions():
    # Computed once, by hand from the description: a change would make everybody pay again.
    import hashlib
    import json

    identity = '["m","chat",[["engine","test"]]]'
    content = json.dumps([[["user", [["text", "a"]]]], {"temperature": 0.0}, 2], separators=(",", ":"))
    expected = hashlib.blake2b((identity + content).encode(), digest_size=20).digest()
    assert ContentKeys(Model()).of(Request.of("a", temperature=0.0, sample=2)) == expected
