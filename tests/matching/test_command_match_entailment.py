"""``semscale match --method entailment`` with a random model from a folder."""

import json

import pytest
from tests.schema_check import check_json
from tests.support.random_classifier import write_random_classifier

from semscale.store.reading import open_table

ANSWERS = """answer,expected
w1 w2,w3
w1 w2,w1 w2
,w3
what is this,w3
w4 w5,w6
w7,w8 w9
w10,w11
"""


@pytest.fixture
def answers(tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    write_random_classifier(tmp_path / "nli", "roberta")
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERS)
    return path


def match(*options):
    columns = ["--prediction", "answer", "--reference", "expected"]
    return ["match", "answers.csv", *columns, "--method", "entailment", *options]


def test_a_table_is_matched_and_explained(semscale, answers, tmp_path):
    ended = semscale(
        *match("--nli", "nli", "--explain", "--signature", "--out", "matched.jsonl", "--report", "match.html")
    )
    assert (ended.code, ended.err) == (0, "")
    for word in (
        "5 of 7 rows were scored; left out: 1 missing and 1 that the model cannot read",
        "with a sentence that the other text contradicts (probability above 0.50)", "method:entailment",
        "model:nli#", "labels:c/e/n", "precision:float32",
    ):  # fmt: skip
        assert word in ended.out, word
    (matched,) = open_table(tmp_path / "matched.jsonl").batches(100)
    first = matched.row(0, named=True)
    sums = [first[f"semscale_reference_{name}"] for name in ("entails", "neutral", "contradicts")]
    assert sum(sums) == pytest.approx(1)
    backed, forward = (first[f"semscale_{side}_entails"] for side in ("reference", "prediction"))
    assert first["semscale_score"] == pytest.approx((backed + forward) / 2)
    assert matched["semscale_status"].to_list()[2:4] == ["missing", "weightless"]
    assert matched["semscale_score"].to_list()[2:4] == [None, None]
    assert [token["token"] for token in first["semscale_tokens"]] == ["w1 w2", "w3"]
    page = (tmp_path / "match.html").read_text()
    assert "sentences that cost most" in page
    assert "SummaC" in page
    assert "Contradicted" in page


def test_json_counts_contradicted_rows(semscale, answers, tmp_path):
    printed = semscale(*match("--nli", "nli", "--json", "--explain", "--out", "matched.jsonl")).out
    check_json(printed)
    content = json.loads(printed)
    assert content["method"] == "entailment"
    (matched,) = open_table(tmp_path / "matched.jsonl").batches(100)
    assert content["contradicted"] == (matched["semscale_contradiction"] > 0.5).sum()
    assert content["cut"] == 0
    assert (
        json.loads(semscale(*match("--nli", "nli", "--json", "--no-cache")).out)["estimates"]
        == content["estimates"]
    )


def test_other_methods_say_nothing_of_contradictions(semscale, answers):
    columns = ["--prediction", "answer", "--reference", "expected"]
    ended = semscale("match", "answers.csv", *columns, "--method", "cosine", "--json")
    assert json.loads(ended.out)["contradicted"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--nli must name an entailment model for --method entailment, such as cross-encoder/"),
        (["--nli", "nli", "--embedder", "e5-small"], "--embedder belongs to methods that embed texts"),
        (["--nli", "nli", "--engine", "torch"], "--engine must be openvino for method 'entailment'"),
        (["--nli", "nli", "--precision", "turbo"], "--precision turbo was measured for e5-small only"),
        (
            ["--nli", "nli", "--nli-labels", "yes,no"],
            "--nli-labels must list entailment, neutral",
        ),
        (
            ["--nli", "nli", "--nli-labels", "entailment,neutral,contradiction"],
            "--nli-labels are entailment, neutral, contradiction, but nli names its classes contradiction",
        ),
        (["--nli", "nowhere"], "'nowhere' is neither a known name, nor a folder"),
    ],
)
def test_unusable_options_print_a_single_line(semscale, answers, options, message):
    ended = semscale(*match(*options))
    assert ended.code == 2
    assert message in ended.err
    assert ended.err.count("\n") == 1


def test_an_evaluation_of_a_submission_takes_no_such_model(semscale, tmp_path):
    ended = semscale("match", "evaluate", str(tmp_path), "--method", "entailment")
    assert ended.code == 2
    assert "method must be one that needs no further model, got 'entailment'" in ended.err
