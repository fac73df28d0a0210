"""``semscale match --context``: each sentence of an answer judged by the passages of its row."""

import json

import pytest
from tests.schema_check import check_json
from tests.support.random_classifier import write_random_classifier

from semscale.store.reading import open_table

ANSWERS = """answer,passage,more,topic
The tower is in Paris. It was built in 1920.,The Eiffel tower stands in Paris and was built in 1889.,Bread.,a
The heart pumps blood.,"[""The heart pumps blood through the body."", null]",,b
,The heart pumps blood.,,b
The liver makes bile.,,,b
"""
COLUMNS = ("--prediction", "answer", "--context", "passage", "--context", "more")


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERS)
    return path


def test_claims_are_judged_and_the_worst_are_shown(semscale, answers, tmp_path):
    ended = semscale(
        "match", "answers.csv", *COLUMNS, "--by", "topic", "--out", "judged.csv", "--report", "page.html"
    )
    assert (ended.code, ended.err) == (0, "")
    for phrase in (
        "2 of 4 rows were scored; left out: 1 missing and 1 without reference",
        "mean share of supported claims  0.75",  # (1 of 2 claims, and 1 of 1) / 2
        "3 claims: 2 supported, 1 contradicted",
        "It was built in 1920.",
    ):
        assert phrase in ended.out, phrase
    (table,) = open_table(tmp_path / "judged.csv").batches(10)
    assert table["semscale_status"].to_list() == ["scored", "scored", "missing", "no-reference"]
    assert table["semscale_contradicted"].cast(int).to_list() == [1, 0, None, None]
    claims = json.loads(table["semscale_claims"][0])
    assert [claim["verdict"] for claim in claims] == ["supported", "contradicted"]
    assert claims[1]["sentence"] == "The Eiffel tower stands in Paris and was built in 1889."
    page = (tmp_path / "page.html").read_text()
    assert "The worst claims" in page
    assert "built in 1889" in page
    assert "no passage holds a text" in page


def test_json_has_the_verdicts_and_the_worst_claims(semscale, answers):
    printed = semscale("match", "answers.csv", *COLUMNS, "--json").out
    check_json(printed)
    content = json.loads(printed)
    assert content["instrument"] == "groundedness"
    assert content["claims"] == {"supported": 2, "contradicted": 1, "not-found": 0, "unread": 0}
    assert [(claim["row"], claim["claim"]) for claim in content["worst"]] == [(1, "It was built in 1920.")]
    assert content["worst"][0]["reason"] == 'The claim says "1920", the sentence "1889".'


@pytest.mark.parametrize("ending", ["md", "xlsx"])
def test_other_outputs_are_written(semscale, answers, tmp_path, ending):
    assert semscale("match", "answers.csv", *COLUMNS, "--report", f"report.{ending}").code == 0
    assert (tmp_path / f"report.{ending}").stat().st_size > 0


def test_an_entailment_model_is_loaded_from_a_folder(semscale, tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    write_random_classifier(tmp_path / "nli", "roberta")
    (tmp_path / "words.csv").write_text("answer,passage\nw1 w2. w3 w4.,w5 w6. w1 w2.\nw7.,\n")
    columns = ("--prediction", "answer", "--context", "passage", "--nli", "nli")
    printed = semscale("match", "words.csv", *columns, "--json").out
    check_json(printed)
    content = json.loads(printed)
    assert sum(content["claims"].values()) == 2
    assert content["counts"] == {"scored": 1, "no-reference": 1}
    assert "model:nli#" in content["signature"]
    assert "more_likely:0.5" in content["signature"]


BAD = {
    "neither references nor passages": (["--prediction", "answer"], ["--reference must name", "--context"]),
    "both": ([*COLUMNS, "--reference", "topic"], ["--context must not be combined with --reference"]),
    "options of references": (
        [*COLUMNS, "--explain", "--empty", "wrong"],
        ["--empty and --explain belong to --reference"],
    ),
    "a method": ([*COLUMNS, "--method", "cosine"], ["--method belongs to --reference"]),
    "labels without a model": (
        [*COLUMNS, "--nli-labels", "entailment,neutral,contradiction"],
        ["--nli-labels belongs to --nli"],
    ),
    "two models": ([*COLUMNS, "--nli", "nli", "--embedder", "e5-small"], ["--embedder", "--nli"]),
    "an engine without tokens": ([*COLUMNS, "--engine", "api"], ["--engine must be openvino or torch"]),
    "a precision without tokens": (
        [*COLUMNS, "--embedder", "e5-small", "--precision", "turbo"],
        ["turbo"],
    ),
    "a column that is not there": (
        ["--prediction", "answer", "--context", "pasage"],
        ["context", "did you mean 'passage'"],
    ),
    "the answers as passages": (["--prediction", "answer", "--context", "answer"], ["another column"]),
    "no passage at all": (
        ["--prediction", "answer", "--context", "more", "--part-rows", "2"],
        ["--context: column 'more' holds no text"],
    ),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_a_single_line(semscale, answers, case, files):
    options, phrases = BAD[case]
    if case == "no passage at all":
        answers.write_text("answer,more\nThe liver makes bile.,\n")
    before = files()
    ended = semscale("match", "answers.csv", *options, "--out", "judged.csv")
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    for phrase in phrases:
        assert phrase in ended.err, ended.err
    assert files() == before
