"""Folders of runs are read as they were written; edited and unfinished ones are refused."""

import polars as pl
import pytest

from semscale.chat.runner import Running
from semscale.chat.settings import Budget
from semscale.errors import InputError
from semscale.study import read_study

CUSTOM_SCALE = """
name: mood
title: Mood
question: How is it?
provenance: a test
points: [{value: -1, label: bad}, {value: 0.5, label: fair}, {value: 2, label: good}]
anchor_sets: {plain: [It is bad., It is fair., It is good.]}
"""
CUSTOM = ("scale: purchase-intent", "scale: mood.yaml")
PICTURE = ("text: A bar of oats.", "text: A bar of oats., images: [bar.gif]")
DIRECT = ("[ssr, flr, dlr]", "[dlr]")


@pytest.fixture
def stored(written, played, running, toy_embedder, tmp_path):
    """Run a study with a scale of its own, and save it."""
    (tmp_path / "mood.yaml").write_text(CUSTOM_SCALE)
    (tmp_path / "bar.gif").write_bytes(b"GIF89a and more")
    played.number = lambda request: "0.5"
    result = written(CUSTOM, DIRECT, PICTURE).run(played, embedder=toy_embedder, running=running)
    result.save(tmp_path / "stored")
    return result


def test_a_folder_may_be_named_by_a_string(stored, tmp_path):
    stored.save(str(tmp_path / "again"))
    assert read_study(str(tmp_path / "again")).answers.equals(stored.answers)


def test_a_folder_is_read_as_it_was_written(stored, tmp_path):
    (tmp_path / "mood.yaml").unlink()
    (tmp_path / "people.csv").unlink()
    (tmp_path / "bar.gif").unlink()
    outcome = read_study(tmp_path / "stored")
    assert outcome.answers.equals(stored.answers)
    assert outcome.answers["value"].to_list() == [0.5] * 6
    assert outcome.design == stored.design
    assert outcome.prompts.equals(stored.prompts)
    # base64 of the bytes above, by the command of that name.
    (image,) = outcome.design.questionnaire.concepts[0].images
    assert image.url == "data:image/gif;base64,R0lGODlhIGFuZCBtb3Jl"
    assert outcome.design.signature == stored.design.signature
    assert (outcome.signature, outcome.facts) == (stored.signature, stored.facts)
    assert outcome.design.questionnaire.questions[0].scale.labels == ("bad", "fair", "good")
    assert outcome.summary().figures.select("mean")[0].value == pytest.approx(0.5)


@pytest.mark.parametrize("name", ["answers.parquet", "panel.parquet", "prompts.parquet", "study.yaml"])
def test_an_edited_file_is_refused(stored, tmp_path, name):
    content = (tmp_path / "stored" / name).read_bytes() if name == "study.yaml" else b""
    if content:
        # An edit that changes no answer is an edit, too.
        study_file = tmp_path / "stored" / name
        study_file.write_bytes(content + b"# note\n")
    else:
        table = pl.read_parquet(tmp_path / "stored" / name)
        table.with_columns(pl.lit("x").alias("persona")).write_parquet(tmp_path / "stored" / name)
    with pytest.raises(InputError, match=f"{name} was changed after the run"):
        read_study(tmp_path / "stored")


def test_an_edited_record_is_refused(stored, tmp_path):
    record = tmp_path / "stored" / "run.json"
    record.write_text(record.read_text().replace('"value": 2.0', '"value": 3.0'))
    with pytest.raises(InputError, match=r"run\.json was changed after the run"):
        read_study(tmp_path / "stored")


def test_a_missing_file_is_named(stored, tmp_path):
    (tmp_path / "stored" / "panel.parquet").unlink()
    with pytest.raises(InputError, match="panel.parquet cannot be read.*run the study"):
        read_study(tmp_path / "stored")


@pytest.mark.parametrize("name", ["people.csv", "folder", "nowhere"])
def test_what_no_study_wrote_is_no_folder_of_a_run(tmp_path, name):
    (tmp_path / "people.csv").write_text("person,intent\n1,5\n")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=f"{name} is no folder of a study's run, as it has no run.json"):
        read_study(tmp_path / name)


@pytest.mark.parametrize("content", [b"[]", b"{", b"\xff"])
def test_another_file_is_no_record(stored, tmp_path, content):
    (tmp_path / "stored" / "run.json").write_bytes(content)
    with pytest.raises(InputError, match="not the record of a study's run"):
        read_study(tmp_path / "stored")


def test_an_unfinished_run_says_how_much_is_missing(written, played, running, toy_embedder, tmp_path):
    capped = Running(ledger=running.ledger, budget=Budget(calls=4))
    written(DIRECT).run(played, embedder=toy_embedder, running=capped).save(tmp_path / "stored")
    # 3 personas x 2 concepts by one method, 4 of them asked.
    with pytest.raises(InputError, match=r"2 of 6 answers were not asked for \(.*cap of 4 calls"):
        read_study(tmp_path / "stored")
    outcome = read_study(tmp_path / "stored", allow_unfinished=True)
    assert outcome.n_unfinished == 2
    assert "cap of 4 calls" in outcome.summary().to_json().partition('"cautions"')[2]
