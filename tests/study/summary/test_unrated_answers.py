"""Why answers have no rating."""

import polars as pl

from semscale.study.summary.unrated_answers import UnratedReason, unrated_reasons


def test_reasons_are_counted_by_method_with_the_words_of_one():
    rows = [
        ("ssr", "scored", None, "I would.", None),
        ("ssr", "refused", "declines", "I cannot say.", None),
        ("flr", "unparsable", None, "I would.", "4 or 5"),
        ("flr", "unparsable", None, None, "4 or 5"),
        ("dlr", "failed", "no connection", None, None),
    ]
    names = ("method", "status", "reason", "reply", "rating_reply")
    found = list(unrated_reasons(pl.DataFrame(rows, schema=names, orient="row"), seed=0))
    assert found == [
        UnratedReason("flr", "unparsable", "unparsable", 2, "4 or 5"),
        UnratedReason("ssr", "refused", "declines", 1, "I cannot say."),
        UnratedReason("dlr", "failed", "no connection", 1, None),
    ]
