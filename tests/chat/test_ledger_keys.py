"""Keys of the ledger: equal requests share one, and everything that decides a reply changes it."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.chat import ImagePart, Message, Request, TextPart
from semscale.chat.ledger import ContentKeys
from semscale.errors import InputError
from semscale.signature import Signature


class Model:
    name = "m"
    signature = Signature.of("chat", engine="test")


OAT = ImagePart("data:image/png;base64,AAAA")
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
    Request.of([TextPart("a"), OAT]),
    Request.of([TextPart("a"), ImagePart("data:image/png;base64,BBBB")]),
    Request.of([TextPart("a"), ImagePart("https://example.org/a.png")]),
    Request.of([TextPart("a"), TextPart(OAT.url)]),
]


def test_requests_that_differ_in_any_setting_have_different_keys():
    keys = ContentKeys(Model())
    assert len({keys.of(request) for request in DISTINCT}) == len(DISTINCT)


def test_a_text_and_its_only_part_are_the_same():
    keys = ContentKeys(Model())
    assert keys.of(Request.of("a")) == keys.of(Request.of([TextPart("a")]))


@given(st.text(), st.text())
def test_texts_are_not_mixed_up(first, second):
    keys = ContentKeys(Model())
    request, other = (
        Request((Message("user", pair[0]), Message("user", pair[1])))
        for pair in ((first, second), (second, first))
    )
    assert (keys.of(request) == keys.of(other)) is (first == second)


def test_a_key_stays_the_same_across_versions():
    # Computed once, by hand from the description: a change would make everybody pay again.
    identity = '["m","chat",[["engine","test"]]]'
    content = json.dumps([[["user", [["text", "a"]]]], {"temperature": 0.0}, 2], separators=(",", ":"))
    expected = hashlib.blake2b((identity + content).encode(), digest_size=20).digest()
    assert ContentKeys(Model()).of(Request.of("a", temperature=0.0, sample=2)) == expected


def test_a_key_contains_the_hash_of_an_image():
    # echo -n data:image/png;base64,AAAA | sha256sum
    assert OAT.content_hash == "bde6da8e9d3902a86a1452ec62648cd07cb1cfbae0ec8dd5142ad881c7aa2ba0"
    request = ContentKeys(Model()).of(Request.of([OAT]))
    assert ContentKeys(Model()).of(Request.of([ImagePart(OAT.url)])) == request


def test_an_image_is_hashed_once_for_all_its_requests(monkeypatch):
    hashed = []
    sha256 = hashlib.sha256
    monkeypatch.setattr(hashlib, "sha256", lambda content: hashed.append(content) or sha256(content))
    image, keys = ImagePart(OAT.url), ContentKeys(Model())
    for number in range(5):
        keys.of(Request.of([TextPart(str(number)), image]))
    assert len(hashed) == 1


def test_a_different_model_has_different_keys():
    class Other(Model):
        signature = Signature.of("chat", engine="another")

    assert ContentKeys(Model()).of(Request.of("a")) != ContentKeys(Other()).of(Request.of("a"))


def test_a_parameter_that_json_cannot_hold_is_refused():
    with pytest.raises(InputError, match="values that JSON can hold, got object"):
        ContentKeys(Model()).of(Request.of("a", extra={"b": object()}))
