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
    estimate_notes,
    facts,
    guard_legend,
    guard_table,
    row_counts,
    run_settings,
    scored_rows,
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
    cautions = summary_of(n, groups=groups).estimates.notes_about("row")
    assert len(cautions) == len(warnings)
    assert all(caution.startswith(start) for caution, start in zip(cautions, warnings, strict=True))


def test_cautions_call_a_row_as_the_instrument_does():
    (caution,) = summary_of(5).estimates.notes_about("prompt")
    assert caution.startswith("wide intervals: 5 prompts allow only t quantiles")


def test_an_input_without_rows_says_no_more():
    assert scored_rows(summary_of(0)).text == "The input has no rows."


def test_scored_rows_are_a_line_on_the_screen_and_a_sentence_on_a_page():
    paragraph = scored_rows(summary_of(20, left_out=2))
    assert paragraph.brief == "20 of 22 rows were scored; left out: 2 empty"
    assert paragraph.text == "20 of 22 rows were scored; left out: 2 empty."
    assert paragraph.detail == "both"


def test_facts_count_rows_that_were_read_in_windows_only_if_there_are_any():
    counts = facts(*row_counts(summary_of(20, left_out=2), n_windowed=3))
    assert [(name, count.value) for name, count in counts] == [
        ("Rows", 22),
        ("Scored", 20),
        ("Left out", 2),
        ("Read in windows", 3),
    ]
    assert len(facts(*row_counts(summary_of(20)))) == 3


def test_notes_state_how_intervals_were_made_and_which_rows_were_read_in_windows():
    method, windows, *_ = estimate_notes(summary_of(20).estimates, n_windowed=3)
    assert method == "intervals: 95 %, 2,000 bootstrap resamples of rows, seed 7"
    assert windows.startswith("3 rows with texts read in overlapping windows")


def test_nothing_to_estimate_is_reported_first():
    summary = summary_of(0, left_out=2)
    nothing = "No prompt was scored, so there is nothing to estimate. 0 of 2 prompts were scored"
    assert scored_rows(summary, "prompt").text.startswith(nothing)
    assert estimate_notes(summary.estimates, "prompt") == (
        "intervals: none, because at least two scored prompts are needed", "", "", "",
    )  # fmt: skip


def test_the_title_of_all_figures_names_a_coverage_only_where_there_is_an_interval():
    with_ends, without = WithInterval(0.5, 0.4, 0.6), WithInterval(0.5, float("nan"), float("nan"))
    assert altogether([("mean", without), ("share", with_ends)], 0.9).title == "Altogether (90 % interval)"
    assert altogether([("mean", without)], 0.9).title == "Altogether"


def settings_of(source, *settings):
    signature = Signature.of("match", method="cosine")
    return run_settings(SimpleNamespace(source=source, created=CREATED, signature=signature), *settings)


CREATED = datetime(2026, 11, 22, 12, 30, tzinfo=UTC)


def test_a_run_without_a_name_has_no_source():
    named, unnamed = settings_of("a.csv", ("Layer", "9")), settings_of("", ("Layer", "9"))
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
    for source in ("/home/ann/secret project/people.csv", "C:\\Users\\Ann\\people.csv"):
        assert settings_of(source)[0] == ("Source", Quoted("people.csv"))
    assert settings_of("waves/people.csv")[0] == ("Source", Quoted("waves/people.csv"))
