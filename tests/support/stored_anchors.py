"""Anchor sets and readings to store."""

import numpy as np
from tests.support.stored_runs import NAN, START

from semscale.history.anchor_sets import AnchorPair, AnchorReadings, AnchorSet


def pairs(n=10, *, said="Yes"):
    return tuple(
        AnchorPair(str(at), f"{said}, it is {at}.", f"It is {at}.", None if at % 2 else at / 10)
        for at in range(n)
    )


def an_anchor_set(**settings):
    defaults = {"dataset": "answers", "name": "pairs", "pairs": pairs(), "frozen": START, "id": "the-anchors"}
    return AnchorSet(**(defaults | settings))


def some_readings(**settings):
    defaults = {
        "set_id": "the-anchors",
        "dataset": "answers",
        "signature": "semscale 0|drift",
        "readings": {"match": np.array([1 / 3, NAN, *[0.5] * 8])},
        "series": "first",
        "is_reference": True,
        "measured": START,
    }
    return AnchorReadings(**(defaults | settings))
