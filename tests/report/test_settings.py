"""The settings of a run: what was read, from which columns, how intervals were made, and the signature."""

from datetime import UTC, datetime

from semscale.report.document import Quoted
from semscale.report.parts import settings, signature_fields
from semscale.signature import Signature

MADE = datetime(2026, 11, 22, 12, 30, tzinfo=UTC)


def test_a_run_without_a_name_has_no_source():
    signature = Signature.of("match", method="cosine")
    named = settings("a.csv", MADE, [("Layer", "9")], signature)
    unnamed = settings("", MADE, [("Layer", "9")], signature)
    assert named == (("Source", Quoted("a.csv")), *unnamed)
    assert [name for name, _ in unnamed] == ["Made", "Layer", "method"]


def test_values_of_a_signature_are_not_our_own_words():
    assert signature_fields(Signature.of("match", corpus="<b>")) == (("corpus", Quoted("<b>")),)
