"""``semscale demo`` gives a newcomer a rated table and a report without a file."""

import polars as pl
import pytest


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_rates_the_sentences_that_come_with_the_package(semscale, here):
    ended = semscale("demo", "--no-open", "--out", "first")
    assert ended.code == 0, ended.err
    assert sorted(path.name for path in (here / "first").iterdir()) == [
        "ratings.csv",
        "report.html",
        "reviews.csv",
    ]
    rated = pl.read_csv(here / "first" / "ratings.csv")
    assert rated.height == 300
    assert rated["review"].n_unique() == 27
    assert "Pearson r of means" in ended.out


def test_the_command_that_it_names_gives_the_same_table(semscale, here):
    lines = semscale("demo", "--no-open").out.splitlines()
    (line,) = (line for line in lines if "semscale rate " in line)
    first = (here / "semscale-demo" / "ratings.csv").read_bytes()
    arguments = line.partition("semscale rate ")[2].split()
    assert semscale("rate", *arguments).code == 0
    assert (here / "semscale-demo" / "ratings.csv").read_bytes() == first


def test_a_file_at_the_path_of_the_folder_is_refused_in_a_single_line(semscale, here):
    (here / "taken").write_text("a file")
    ended = semscale("demo", "--no-open", "--out", "taken")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
