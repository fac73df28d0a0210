"""``semscale consistency --claims``: each sentence of an answer judged by samples."""

import json

import polars as pl
import pytest
from tests.schema_check import check_json
from tests.support.random_classifier import write_random_classifier
from tests.support.scripted_chat import ScriptedChat

from semscale import chat
from semscale.store.reading import open_table

TOWER = "The tower is in Paris. It was built in 1889."
ANSWERS = f"""q,answer,one,two,kind,right
Tower?,{TOWER},It was built in 1920. The tower is in Paris.,{TOWER},t,yes
Heart?,The heart pumps blood.,The heart pumps blood.,I can't help with that.,b,yes
Gone?,,The heart pumps blood.,,b,no
Few?,The liver makes bile.,,,b,no
"""
COLUMNS = ("--prompt", "q", "--answer", "answer", "--sample", "one", "--sample", "two", "--claims")


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERS)
    return path


def test_claims_are_judged_and_the_worst_are_shown(semscale, answers, tmp_path):
    ended = semscale("consistency", answers, *COLUMNS, "--by", "kind", "--out", "o.csv", "--report", "r.html")
    assert ended.code == 0, ended.err
    for phrase in (
        "2 of 4 prompts were scored; left out: 1 missing and 1 with too few samples",
        "mean share of supported claims  0.75",  # (1 of 2 claims, and 1 of 1) / 2
        "3 claims: 2 supported, 1 contradicted",
        "4 samples left out",  # one declines, and three cells are empty
        "It was built in 1889.",
        "It was built in 1920.",
    ):
        assert phrase in ended.out, phrase
    (table,) = open_table(tmp_path / "o.csv").batches(10)
    assert table["semscale_status"].to_list() == ["scored", "scored", "missing", "too-few-samples"]
    assert table["semscale_reason"].to_list()[3] == "no sample is usable, 1 needed"
    assert table["semscale_supported_share"].cast(float).to_list() == [0.5, 1.0, None, None]
    assert table["semscale_lowest_claim"][0] == "It was built in 1889."
    claims = json.loads(table["semscale_claims"][0])
    assert [(claim["verdict"], claim["text"]) for claim in claims] == [("supported", 1), ("contradicted", 1)]
    page = (tmp_path / "r.html").read_text()
    for phrase in (
        "The worst claims",
        "built in 1920",
        "a sample contradicts the claim",
        "Of an answer&#39;s claims 75.0",
    ):
        assert phrase in page, phrase


def test_json_has_the_verdicts_and_the_worst_claims(semscale, answers):
    printed = semscale("consistency", answers, *COLUMNS, "--json").out
    check_json(printed)
    content = json.loads(printed)
    assert content["instrument"] == "consistency claims"
    assert content["claims"] == {"supported": 2, "contradicted": 1, "not-found": 0, "unread": 0}
    (worst,) = content["worst"]
    assert (worst["item"], worst["claim"], worst["sample"]) == (1, "It was built in 1889.", 1)
    assert worst["reason"] == 'The claim says "1889", the sentence "1920".'
    assert (content["samples"], content["samples_left_out"], content["asking"]) == (4, 4, None)


@pytest.mark.parametrize("ending", ["md", "xlsx"])
def test_other_outputs_are_written(semscale, answers, tmp_path, ending):
    assert semscale("consistency", answers, *COLUMNS, "--report", f"report.{ending}").code == 0
    assert (tmp_path / f"report.{ending}").stat().st_size > 0


def test_answers_are_requested_and_a_dry_run_sends_nothing(semscale, tmp_path, monkeypatch):
    model = ScriptedChat({"tower?": ["It was built in 1889.", "It was built in 1920.", "N/A"]})
    monkeypatch.setattr(chat, "load_chat_model", lambda *_, **__: model)
    monkeypatch.setenv("SEMSCALE_LEDGER", str(tmp_path / "ledger.sqlite"))
    pl.DataFrame({"q": ["tower?", None]}).write_csv(tmp_path / "prompts.csv")
    asking = ("prompts.csv", "--prompt", "q", "--ask", "2", "--chat-model", "m", "--claims")
    assert json.loads(semscale("consistency", *asking, "--dry-run", "--json").out)["instrument"] == "forecast"
    printed = semscale("consistency", *asking, "--json").out
    check_json(printed)
    content = json.loads(printed)
    assert content["asking"] == {"replies": 3, "failed": 0}
    assert (content["claims"]["contradicted"], content["samples"], content["samples_left_out"]) == (1, 1, 1)


def test_a_cap_writes_finished_rows_and_exits_with_3(semscale, tmp_path, monkeypatch):
    model = ScriptedChat({"tower?": ["It was built in 1889."] * 3, "heart?": ["The heart pumps blood."] * 3})
    monkeypatch.setattr(chat, "load_chat_model", lambda *_, **__: model)
    pl.DataFrame({"q": ["tower?", "heart?"]}).write_csv(tmp_path / "prompts.csv")
    command = (
        "consistency", "prompts.csv", "--prompt", "q", "--ask", 2, "--chat-model", "m", "--claims",
        "--ledger", tmp_path / "ledger", "--out", "o.jsonl",
    )  # fmt: skip
    # Two answers, and both samples of the first question.
    capped = semscale(*command, "--max-calls", 4, "--concurrency", 1)
    assert capped.code == 3
    assert "The run is incomplete: the cap of 4 calls is reached" in capped.out
    table = pl.read_ndjson(tmp_path / "o.jsonl")
    assert table["semscale_status"].to_list() == ["scored", "unfinished"]
    assert "the cap of 4 calls is reached" in table["semscale_reason"].to_list()[1]
    assert semscale(*command).code == 0
    assert len(model.asked) == 6
    assert pl.read_ndjson(tmp_path / "o.jsonl")["semscale_supported"].to_list() == [1, 1]


def test_an_entailment_model_is_loaded_from_a_folder(semscale, tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    write_random_classifier(tmp_path / "nli", "roberta")
    (tmp_path / "words.csv").write_text("answer,one\nw1 w2. w3 w4.,w5 w6. w1 w2.\nw7.,\n")
    columns = ("--answer", "answer", "--sample", "one", "--nli", "nli", "--claims")
    content = json.loads(semscale("consistency", "words.csv", *columns, "--json").out)
    assert sum(content["claims"].values()) == 2
    assert "more_likely:0.5" in content["signature"]


WHOLE = "measures of whole answers, which --claims does not make"
BAD = {
    "a measure": (["--measure", "cosine_sim"], f"--measure belongs to {WHOLE}"),
    "measures' settings": (
        ["--floor", "0.1", "--fewest-samples", "2", "--same-by", "cosine"],
        f"--floor, --fewest-samples and --same-by belong to {WHOLE}",
    ),
    "labels": (["--correct", "right"], f"--correct belongs to {WHOLE}"),
    "log-probabilities": (["--logprobs", "right"], f"--logprobs belongs to {WHOLE}"),
    "two models": (
        ["--nli", "nli", "--embedder", "e5-small"],
        "--embedder belongs to --claims without --nli",
    ),
    "an engine without tokens": (["--engine", "api"], "--engine must be openvino or torch"),
    "a column that is not there": (["--by", "kinds"], "did you mean 'kind'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_a_single_line(semscale, answers, case, files):
    options, message = BAD[case]
    before = files()
    ended = semscale("consistency", answers, *COLUMNS, *options, "--out", "o.csv")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert message in ended.err
    assert files() == before


def test_stopping_early_is_refused(semscale, tmp_path):
    pl.DataFrame({"q": ["tower?"]}).write_csv(tmp_path / "prompts.csv")
    asking = (
        "prompts.csv",
        "--prompt",
        "q",
        "--ask",
        "2",
        "--chat-model",
        "m",
        "--stop-at",
        "0.5",
        "--claims",
    )
    ended = semscale("consistency", *asking)
    assert (ended.code, f"--stop-at belongs to {WHOLE}" in ended.err) == (2, True)
