"""``semscale tables`` gives the figures of R's survey package on a stratified sample of schools.

The figures are those of bench/reference/survey.R. The data are the package's, and R writes them.
"""

import json

import polars as pl
import pytest
from tests.support.reference_figures import figures, jackknife_replicates, six_digits, write_examples

from semscale.stats.survey_designs import SurveyDesign


@pytest.fixture(scope="module")
def schools(tmp_path_factory):
    """The file with R's apistrat."""
    return write_examples(tmp_path_factory.mktemp("survey")) / "apistrat.csv"


@pytest.fixture
def mean_of_scores(semscale):
    """The table of the schools' scores, and the cell of its mean in the total."""

    def create(file, *options):
        shared = ("--question", "api00", "--numeric", "api00", "--weight", "pw", "--json")
        ended = semscale("tables", str(file), *shared, *options)
        assert ended.code == 0, ended.err
        (table,) = json.loads(ended.out)["tables"]
        return table, table["lines"][0]["cells"]

    return create


def check_mean(cell, expected):
    shown = [cell[name] for name in ("value", "low", "high")]
    assert shown == six_digits([expected[name] for name in ("value", "low", "high")])


def test_strata_and_their_populations(schools, mean_of_scores):
    expected = figures("api")["apistrat"]
    design = ("--strata", "stype", "--fpc", "fpc")
    table, (total, *groups) = mean_of_scores(schools, *design, "--banner", "stype")
    check_mean(total, expected["mean"])
    assert [column["value"] for column in groups] == six_digits(expected["by_stype"]["value"])
    table, _ = mean_of_scores(schools, *design, "--banner", "sch.wide")
    (difference,) = table["differences"]
    # R has the schools that met their target less the others, and the table the other way.
    names = ("value", "p")
    assert [-difference["value"], difference["p"]] == six_digits(
        [expected["difference"][column] for column in names]
    )


def test_raked_margins(schools, mean_of_scores, tmp_path):
    (tmp_path / "m.yaml").write_text(
        "stype: {E: 4421, H: 755, M: 1018}\nsch.wide: {'No': 1072, 'Yes': 5122}\n"
    )
    design = ("--strata", "stype", "--fpc", "fpc", "--raked-to", str(tmp_path / "m.yaml"))
    _, (total,) = mean_of_scores(schools, *design)
    check_mean(total, figures("api")["apistrat_calibrated"]["mean"])


def test_jackknife_weights_with_factors_in_a_file(schools, mean_of_scores, tmp_path):
    frame = pl.read_csv(schools, infer_schema_length=None)
    weights, strata, populations = (frame[name].to_numpy() for name in ("pw", "stype", "fpc"))
    create = jackknife_replicates(SurveyDesign(weights, strata, fpc=populations))
    columns = [pl.Series(f"rw{number}", column) for number, column in enumerate(create.replicates.T)]
    frame.select("api00", "pw").with_columns(columns).write_csv(tmp_path / "jkn.csv")
    (tmp_path / "rscales.txt").write_text("\n".join(map(str, create.rscales)))
    replicates = (
        "--replicates",
        "rw*",
        "--replicate-type",
        "jkn",
        "--rscales",
        str(tmp_path / "rscales.txt"),
    )
    _, (total,) = mean_of_scores(tmp_path / "jkn.csv", *replicates)
    check_mean(total, figures("api")["apistrat_jkn"]["mean"])
