"""Matches made by hand: eight items, one without a prediction, two with findings."""

import numpy as np

from semscale.guards.findings import Finding, Span
from semscale.matching.matches import Matches
from semscale.signature import Signature
from semscale.types import Status

NAN = float("nan")
SCORE = np.array([0.5, NAN, 0.1, 0.9, 0.3, 0.7, 0.2, 0.8])
PREDICTIONS = ["one", None, "not three", "four", "five", "six", "seven", "not eight"]
REFERENCES = [["eins"], [None, "zwei"], ["three", "drei"], ["vier"], ["fünf"], "sechs", ["sieben"], ["acht"]]
GROUPS = ["a", "a", "b", "b", "a", None, "b", ""]


def denied(text):
    return Finding("negation", "negated-prediction", f"It denies {text}.", Span(0, 3, "not"), None)


def matches(*, findings=True, parts=True, method="cosine"):
    result = [()] * 8
    result[2], result[7] = (denied("three"), denied("drei")), (denied("eight"),)
    status = np.full(8, Status.SCORED, dtype=object)
    status[1] = Status.MISSING
    return Matches(
        score=SCORE,
        status=status,
        reference=np.array([0, -1, 1, 0, 0, 0, 0, 0]),
        windows=np.array([1, 0, 3, 1, 1, 1, 1, 2]),
        signature=Signature.of("match", method=method),
        components={"word": 1 - SCORE} if parts else {},
        findings=tuple(result) if findings else (),
    )
