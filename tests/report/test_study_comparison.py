"""The document of a panel beside people."""

import polars as pl
import pytest
from tests.study.simulated_answers import panel_result, people_table

from semscale.report.document import Figure
from semscale.report.html import page
from semscale.stats.intervals import IntervalPlan
from semscale.study import compare


@pytest.fixture
def outcome(tmp_path):
    def make(people=None, **how):
        table = people_table() if people is None else people
        plan = IntervalPlan(replicates=200)
        return compare(panel_result(), table, concept="shown", splits=50, plan=plan, **how)

    return make


def page_text(summary, tmp_path):
    summary.report(tmp_path / "r.md")
    return (tmp_path / "r.md").read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ")


def test_the_first_line_says_what_can_be_concluded(outcome):
    first = outcome(by=["age"]).document().brief_introduction[0]
    assert first == (
        "Direct rating (DLR) is better than chance on order of concepts, distributions and relations "
        "between questions; cannot be judged on differences between groups and individuals"
    )


def test_everything_stands_beside_nulls_and_ceiling(outcome, tmp_path):
    text = page_text(outcome(by=["age"], respondent="who"), tmp_path)
    for message in (
        "Halves of people",
        "Equal shares",
        "Pooled people",
        "shuffled personas by",
        "p of the order",
        "How many people the panel is worth",
        "Simulation interval",
    ):
        assert message in text


def test_impossible_comparisons_are_explained(outcome, tmp_path):
    single = people_table().filter(pl.col("shown") == "oat").drop("liking")
    text = page_text(outcome(single), tmp_path)
    assert "One question about one concept was compared" in text
    assert "Individuals cannot be compared" in text
    assert "it takes two questions, or groups of both personas and people" in text


@pytest.mark.exhaustive
def test_every_output_takes_it(outcome, tmp_path):
    summary = outcome(by=["age"], respondent="who")
    for name in ("r.html", "r.xlsx"):
        summary.report(tmp_path / name, figures=tmp_path / "pictures")
        assert (tmp_path / name).stat().st_size > 5_000
    assert (tmp_path / "pictures" / "axes.svg").is_file()
    assert "bars" in summary._repr_html_()


def test_a_picture_with_intervals_leads_the_page(outcome, read_page):
    document = outcome(by=["age"], respondent="who").document()
    assert isinstance(document.lead, Figure)
    assert next(document.figures()) is document.lead
    rows = {str(row[0].text): row[2] for row in document.lead.table.rows}
    distributions = rows["distributions (marginals)"]
    assert distributions.low < distributions.value < distributions.high
    text = read_page(page(document)).text
    assert text.index("0: knows nothing; 1: as people") < text.index("is little or no better")


def test_the_people_are_named_without_their_folder(tmp_path):
    file = tmp_path / "people.csv"
    people_table().write_csv(file)
    summary = compare(panel_result(), file, concept="shown", splits=20, plan=IntervalPlan(replicates=100))
    assert str(tmp_path) not in page(summary.document())
