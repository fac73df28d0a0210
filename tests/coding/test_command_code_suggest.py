"""``semscale code suggest`` from the shell."""

import json

import polars as pl
import pytest

from semscale.store import writing

TOPICS = ("battery", "price", "screen")


@pytest.fixture
def answers(tmp_path):
    """68 answers that can be read, one of no letters and one that is missing."""
    texts = [f"{word} {n}" for n in range(20) for word in TOPICS] + [f"hello {n}" for n in range(8)]
    pl.DataFrame({"text": [*texts, "???", None]}).write_csv(tmp_path / "answers.csv")
    return tmp_path / "answers.csv"


def test_a_codebook_is_proposed_and_code_reads_it(semscale, answers, tmp_path):
    ended = semscale(
        "code", "suggest", answers, "--text", "text", "--codebook", "new.yaml", "--codes", "3",
        "--out", "s.csv", "--report", "s.md", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    content = json.loads(ended.out)
    assert (content["rows"], content["sampled"], len(content["codes"])) == (70, 68, 3)
    suggested = pl.read_csv(tmp_path / "s.csv")["semscale_suggested"]
    assert suggested.null_count() == 2
    assert (suggested == "none").sum() == content["without"]
    assert (tmp_path / "s.md").exists()
    again = semscale("code", answers, "--text", "text", "--codebook", "new.yaml")
    assert again.code == 0, again.err
    twice = semscale("code", "suggest", answers, "--text", "text", "--codebook", "new.yaml")
    assert twice.code == 2
    assert "--codebook: new.yaml already exists" in twice.err


def test_a_stopped_proposal_can_be_started_again(semscale, answers, monkeypatch, tmp_path):
    def stop(*_, **__):
        raise KeyboardInterrupt

    command = ("code", "suggest", answers, "--text", "text", "--codebook", "new.yaml", "--out", "s.csv")
    with monkeypatch.context() as patched:
        patched.setattr(writing, "write_batches", stop)
        ended = semscale(*command)
    assert (ended.code, "stopped; nothing was written" in ended.err) == (3, True)
    assert not (tmp_path / "new.yaml").exists()
    ended = semscale(*command)
    assert ended.code == 0, ended.err
    assert (tmp_path / "new.yaml").exists()


def test_a_sample_of_many_answers_is_clustered_and_all_have_a_code(semscale, tmp_path):
    texts = [f"{word} number {n}" for word in TOPICS for n in range(60)] + [None]
    pl.DataFrame({"text": texts}).write_csv(tmp_path / "many.csv")
    ended = semscale(
        "code", "suggest", "many.csv", "--text", "text", "--codebook", "new.yaml", "--codes", "3",
        "--max-answers", "100", "--out", "s.csv", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    content = json.loads(ended.out)
    assert (content["rows"], content["distinct"], content["clustered"]) == (181, 180, 100)
    assert content["sampled"] == 100
    assert "sample of 100 of 180 different answers" in content["cautions"][0]
    assert "clauses of 100 of 180 different answers" in (tmp_path / "new.yaml").read_text()
    coded = pl.read_csv(tmp_path / "s.csv")
    assert coded["semscale_suggested"].null_count() == 1
    refused = semscale(
        "code", "suggest", "many.csv", "--text", "text", "--codebook", "b.yaml", "--max-answers", "99"
    )
    assert (refused.code, "--max-answers must be >= 100, got 99" in refused.err) == (2, True)
