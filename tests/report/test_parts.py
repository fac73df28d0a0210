"""Parts that documents share: what they state about estimates, settings and findings of guards."""

from datetime import UTC, datetime
from types import SimpleNamespace

import numpy as np
import pytest

from semscale.guards.registry import GUARDS
from semscale.report.document import Count, Label, Quoted, WithInterval
from semscale.report.parts import (
    GUARD_MEANINGS,
    altogether,
    estimates_document,
    guard_legend,
    guard_table,
    run_settings,
    signature_fields,
)
from semscale.results.estimates import Estimates
from semscale.signature import Signature
from semscale.stats.groups import GroupEstimate
from semscale.stats.intervals import Estimate


def summary_of(n, *, left_out=0, groups=()):
    def group(name, m):
        half = 0.1 if m > 1 else np.nan
        figures = {"score": Estimate(0.5, 0.5 - half, 0.5 + half)} if m else {}
        method = ("bootstrap" if m >= 10 else "linearized") if m > 1 else None
        return GroupEstimate(name, m, {"empty": left_out}, float(m), figures, n_clusters=m, method=method)

    estimates = Estimates(
        overall=group(None, n),
        groups=tuple(group(f"group {index}", m) for index, m in enumerate(groups)),
        by="kind" if groups else None,
        interval=0.95,
        method="bootstrap",
        seed=7,
        replicates=2000,
        clustered=False,
        signature=Signature.of("match"),
    )
    return SimpleNamespace(
        source="a.csv",
        created=datetime(2026, 11, 22, tzinfo=UTC),
        n=n + left_out,
        estimates=estimates,
        signature=Signature.of("match"),
    )


def document_of(summary, **further):
    return estimates_document(summary, kind="matching report", name="Match", title="A title", **further)


@pytest.mark.parametrize(
    ("n", "groups", "warnings"),
    [
        (1, (), ["no interval: it takes at least 2 rows, and there is 1"]),
        (5, (), ["wide intervals: 5 rows allow only t quantiles"]),
        (20, (10, 10), []),
        (20, (17, 3), ["1 group has fewer than 10 rows"]),
    ],
)
def test_what_estimates_warn_of_is_a_caution(n, groups, warnings):
    cautions = document_of(summary_of(n, groups=groups)).cautions
    assert len(cautions) == len(warnings)
    assert all(caution.startswith(start) for caution, start in zip(cautions, warnings, strict=True))


def test_cautions_call_a_row_as_the_instrument_does():
    (caution,) = document_of(summary_of(5), noun="prompt").cautions
    assert caution.startswith("wide intervals: 5 prompts allow only t quantiles")


def test_an_input_without_rows_says_no_more():
    assert document_of(summary_of(0)).reading == ("The input has no rows.",)


def test_counts_stand_in_the_head_and_the_making_of_intervals_below():
    document = document_of(summary_of(20, left_out=2), n_windowed=3)
    assert document.counting == ("20 of 22 rows were scored; left out: 2 empty",)
    assert document.reading == ("20 of 22 rows were scored; left out: 2 empty.",)
    assert [(name, count.value) for name, count in document.facts] == [
        ("Rows", 22),
        ("Scored", 20),
        ("Left out", 2),
        ("Read in windows", 3),
    ]
    assert document.notes[0] == "intervals: 95 %, 2,000 bootstrap resamples of rows, seed 7"
    assert document.notes[1].startswith("3 rows with texts read in overlapping windows")


def test_nothing_to_estimate_is_reported_first():
    document = document_of(summary_of(0, left_out=2), noun="prompt")
    nothing = "No prompt was scored, so there is nothing to estimate. 0 of 2 prompts were scored"
    assert document.reading[0].startswith(nothing)
    assert document.notes == ("intervals: none, because at least two scored prompts are needed",)


def test_the_title_of_all_figures_names_a_coverage_only_where_there_is_an_interval():
    with_ends, without = WithInterval(0.5, 0.4, 0.6), WithInterval(0.5, float("nan"), float("nan"))
    assert altogether([("mean", without), ("share", with_ends)], 0.9).title == "Altogether (90 % interval)"
    assert altogether([("mean", without)], 0.9).title == "Altogether"


CREATED = datetime(2026, 11, 22, 12, 30, tzinfo=UTC)


def test_a_run_without_a_name_has_no_source():
    signature = Signature.of("match", method="cosine")
    named = run_settings("a.csv", CREATED, [("Layer", "9")], signature)
    unnamed = run_settings("", CREATED, [("Layer", "9")], signature)
    assert named == (("Source", Quoted("a.csv")), *unnamed)
    assert [name for name, _ in unnamed] == ["Made", "Layer", "method"]


def test_signature_values_are_quoted():
    assert signature_fields(Signature.of("match", corpus="<b>")) == (("corpus", Quoted("<b>")),)


def test_every_guard_has_a_meaning():
    assert set(GUARDS) == set(GUARD_MEANINGS)


def test_counts_stand_beside_what_they_mean():
    table = guard_table({"number": 3, "odd": 1}, GUARD_MEANINGS, noun="prompt", title="Findings")
    assert table.columns == ("guard", "prompts", "")
    assert table.rows == (
        (Label("number"), Count(3), Label("a number or a unit differs")),
        (Label("odd"), Count(1), Label("")),
    )


def test_marks_are_explained_with_their_counts():
    assert guard_legend({"number": 3}, GUARD_MEANINGS) == (("number", "a number or a unit differs", 3),)


def test_a_page_names_the_file_and_not_where_it_lies():
    signature = Signature.of("match", method="cosine")
    for source in ("/home/ann/secret project/people.csv", "C:\\Users\\Ann\\people.csv"):
        assert run_settings(source, CREATED, (), signature)[0] == ("Source", Quoted("people.csv"))
    assert run_settings("waves/people.csv", CREATED, (), signature)[0] == (
        "Source",
        Quoted("waves/people.csv"),
    )
