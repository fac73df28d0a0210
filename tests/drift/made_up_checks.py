"""Checks of a ruler that say what a test names."""

from dataclasses import replace

from semscale.drift.ruler.bets import RulerTest
from semscale.drift.ruler.ruler_check import RulerCheck, RulerStatus


def a_check(status="kept", **settings):
    """A check of 20 anchors in match and cosine; ``moved``: match lies .08 apart."""
    moved = status == "moved"
    match = RulerTest("match", "changed", 0.08 if moved else 0.0, 1e-4, (1e9 if moved else 1.0,), 20)
    cosine = RulerTest("cosine", "changed", 0.0, 1e-4, (1.0,), 20)
    tests = (replace(match, p_adjusted=4e-9, is_significant=True) if moved else match, cosine)
    given = {
        "name": "pairs",
        "digest": "0123456789ab",
        "n": 20,
        "status": RulerStatus(status),
        "alpha": 0.01,
        "tests": () if status == "new" else tests,
        "runs": 0 if status == "new" else 1,
        "errors": (),
        "reference_errors": (),
        "declared": {},
        "apart": {},
        "ruler_signature": "semscale 0|drift",
        "measured": (),
    }
    return RulerCheck(**(given | settings))
