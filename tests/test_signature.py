"""Signatures: the line with which others can reproduce a number."""

import pytest

from semscale.errors import InputError
from semscale.signature import Signature
from semscale.version import __version__


def test_reads_in_the_order_of_application():
    signature = Signature.of("rate", scale="quality#1f2e", temperature=0.5, floor=None, cased=True, seed=3)
    assert str(signature) == (
        f"semscale {__version__}|rate|scale:quality#1f2e|temperature:0.5|floor:none|cased:yes|seed:3"
    )


@pytest.mark.parametrize(("value", "shown"), [(1.0, "1"), (0.1 + 0.2, "0.3"), (1e-9, "1e-09"), (False, "no")])
def test_values_read_the_same_everywhere(value, shown):
    assert str(Signature.of("x", value=value)).endswith(f"value:{shown}")


@pytest.mark.parametrize("value", ["a|b", "a:b"])
def test_separators_in_values_are_refused(value):
    with pytest.raises(InputError, match="signature"):
        Signature.of("x", value=value)


def test_a_part_is_appended():
    whole = Signature.of("rate", scale="a").plus(Signature.of("embed", model="m", precision="exact"))
    assert whole.fields == (("scale", "a"), ("model", "m"), ("precision", "exact"))
    assert whole.instrument == "rate"


def test_differences_name_both_values():
    left = Signature.of("rate", scale="a", temperature=1.0)
    right = Signature.of("rate", scale="b", seed=2)
    assert left.differences(right) == {"scale": ("a", "b"), "temperature": ("1", None), "seed": (None, "2")}
    assert left.differences(left) == {}


def test_version_and_instrument_matter():
    left, right = Signature("rate", version="1.0"), Signature("match", version="1.1")
    assert left.differences(right) == {"version": ("1.0", "1.1"), "instrument": ("rate", "match")}


def test_a_signature_is_parsed_from_its_text():
    signature = Signature.of("drift", spans="1#f06f", alpha=0.05)
    assert Signature.parse(str(signature)) == signature
    assert Signature.parse("semscale 0.0.9|drift").version == "0.0.9"


@pytest.mark.parametrize(
    "line", ["", "semscale", "semscale 0.1.0", "other 0.1|drift", "semscale 0.1|drift|seed"]
)
def test_a_line_that_is_no_signature_is_refused(line):
    with pytest.raises(InputError, match="signature must read semscale VERSION"):
        Signature.parse(line)
