"""Requests, replies and outcomes: messages, pictures and parameters."""

import base64

import pytest

from semscale.chat import ImagePart, Message, Parameters, Request
from semscale.chat.messages import (
    CallError,
    FailureKind,
    OutcomeStatus,
    Reply,
    RequestOutcome,
)
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
def test_invalid_requests_are_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_a_seed_moves_with_the_sample():
    request = Request.of("a", seed=10)
    assert [request.with_sample(number).parameters.seed for number in (0, 1, 5)] == [10, 11, 15]
    assert request.with_sample(5).with_sample(1) == request.with_sample(1)


# The first bytes of each kind, as its specification has them.
STARTS = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff\xe0",
    "image/gif": b"GIF87a",
    "image/webp": b"RIFF\x10\x00\x00\x00WEBPVP8 ",
}


@pytest.mark.parametrize("media_type", STARTS)
def test_bytes_and_files_become_data_urls(tmp_path, media_type):
    picture = STARTS[media_type] + b"rest"
    (tmp_path / "picture").write_bytes(picture)
    expected = f"data:{media_type};base64,{base64.b64encode(picture).decode()}"
    assert ImagePart.of(picture).url == expected
    assert ImagePart.of(tmp_path / "picture").url == ImagePart.of(str(tmp_path / "picture")).url == expected
    assert ImagePart.of(expected).url == expected


def test_an_address_is_left_to_the_endpoint():
    assert ImagePart.of("https://example.org/a.png").url == "https://example.org/a.png"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (b"%PDF-1.7", "must be PNG, JPEG, GIF or WebP"),
        (b"", "must be PNG, JPEG, GIF or WebP"),
        ("no/such.png", "cannot be read: No such file"),
        ("data:text/plain;base64,aGVsbG8=", "a data URL must be base64 of image/png"),
        ("data:image/png,plain", "a data URL must be base64"),
        ("data:image/png;base64,R0lGODdh", "says image/png, but its picture is image/gif"),
        ("data:image/png;base64,aGVsbG8", "base64"),
    ],
)
def test_invalid_pictures_are_refused(source, words):
    with pytest.raises(InputError, match=words):
        ImagePart.of(source)


def test_a_picture_is_not_printed_whole():
    assert len(repr(ImagePart.of(STARTS["image/png"] * 1000))) < 100


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (Reply("4"), OutcomeStatus.REPLIED),
        (CallError("no", kind=FailureKind.REFUSED), OutcomeStatus.REFUSED),
        (CallError("no", kind=FailureKind.SILENT), OutcomeStatus.FAILED),
        (CallError("no", kind=FailureKind.TIMEOUT), OutcomeStatus.FAILED),
    ],
)
def test_status_follows_from_reply_or_failure(result, status):
    outcome = RequestOutcome.of(3, result, attempts=2)
    assert (outcome.index, outcome.attempts, outcome.status) == (3, 2, status)
    assert (outcome.reply or outcome.failure) is result
