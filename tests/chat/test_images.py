"""Pictures in prompts: by bytes, path and address; what is none is refused."""

import base64

import pytest

from semscale.chat import ImagePart
from semscale.errors import InputError

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
def test_what_is_no_picture(source, words):
    with pytest.raises(InputError, match=words):
        ImagePart.of(source)


def test_a_picture_is_not_printed_whole():
    assert len(repr(ImagePart.of(STARTS["image/png"] * 1000))) < 100
