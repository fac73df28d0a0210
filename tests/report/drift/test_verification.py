"""What a verification of a history shows."""

import pytest

pytest.importorskip("sqlalchemy")

from semscale.history.verification import Flaw, Verification
from semscale.report.drift_runs import verification_document
from semscale.report.html import page
from semscale.report.terminal import print_document

HEAD = "ab" * 32


def test_what_holds_is_said_with_the_hash_to_note_down(capsys):
    print_document(verification_document(Verification("h.sqlite", 5, 2, (), {"exam": (HEAD,)})))
    shown = capsys.readouterr().out
    assert HEAD in shown
    assert "2 entries came from an older Semscale, which kept no hashes" in shown
    assert "can compute all hashes anew" in shown
    assert shown.splitlines()[-1] == "holds: 5 entries as stored"


def test_the_first_entry_that_does_not_hold_is_in_the_last_line(capsys, read_page):
    flaws = (
        Flaw("approval", "a1", "exam", "it has no seal"),
        Flaw("head", "<b>", None, "no seal has this hash"),
    )
    document = verification_document(Verification("h.sqlite", 5, 0, flaws, {"exam": (HEAD,)}))
    print_document(document)
    shown = capsys.readouterr().out
    assert shown.splitlines()[-1] == (
        "changed: 2 entries do not hold, the first is approval 'a1': it has no seal"
    )
    assert "older Semscale" not in shown
    read = read_page(page(document))
    read.assert_harmless()
    assert "no seal has this hash" in read.text
