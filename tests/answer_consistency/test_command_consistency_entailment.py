"""``semscale consistency --nli``: contradictions by an entailment model, with forced probabilities."""

import json

import polars as pl
import pytest
from tests.support.random_classifier import forced_classifier
from tests.support.scripted_chat import ScriptedChat

from semscale import chat
from semscale.embedding.cross_encoder import CrossEncoder

FILE = ("consistency", "answers.csv", "--answer", "a", "--sample", "s1", "--sample", "s2")
ORDER = "contradiction,entailment,neutral"


@pytest.fixture(autouse=True)
def answers(tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    pl.DataFrame({"a": ["w1 w2", "w3"], "s1": ["w1 w2", "w4"], "s2": ["w5", "w6 w7"]}).write_csv(
        tmp_path / "answers.csv"
    )


def test_the_headline_the_counts_and_the_columns_use_it(semscale, tmp_path):
    forced_classifier(tmp_path / "nli", contradiction=0.9)
    measures = ("--measure", "consistency", "--measure", "uncontradicted", "--floor", "0")
    ended = semscale(*FILE, "--nli", "nli", *measures, "--out", "o.jsonl", "--json")
    assert ended.code == 0, ended.err
    content = json.loads(ended.out)
    assert (content["contradicted"], content["guards"]["entailment"]) == (2, 2)
    assert "entailment_model:nli#" in content["signature"]
    rows = pl.read_ndjson(tmp_path / "o.jsonl")
    # Of the first answer's samples one is equal, and all other pairs contradict.
    assert rows["semscale_uncontradicted"].to_list() == [0.5, 0.0]
    assert rows["semscale_contradicting_samples"].to_list() == [1, 2]
    by_model = [
        [contradiction["sample"] for contradiction in content if contradiction["guard"] == "entailment"]
        for content in rows["semscale_contradictions"].to_list()
    ]
    assert by_model == [[1], [0, 1]]
    page = semscale(*FILE, "--nli", "nli", *measures, "--report", "o.md")
    assert page.code == 0, page.err
    assert "an entailment model finds a contradiction more likely than not" in page.out
    assert "gives a contradiction a probability of 0.90" in (tmp_path / "o.md").read_text()


def test_precision_and_cache_are_those_of_the_options(semscale, tmp_path, monkeypatch):
    forced_classifier(tmp_path / "nli", contradiction=0.9)
    pairs, asked = ("--nli", "nli", "--measure", "entailment"), []
    compute = CrossEncoder.logits
    monkeypatch.setattr(
        CrossEncoder, "logits", lambda *arguments: asked.append(len(arguments[1])) or compute(*arguments)
    )
    stored = tmp_path / "cache"
    assert semscale(*FILE, *pairs, "--no-cache").code == 0
    assert not list(stored.rglob("pairs.sqlite"))
    first, second = (json.loads(semscale(*FILE, *pairs, "--json").out) for _ in range(2))
    assert second == {**first, "created": second["created"]}
    assert list(stored.rglob("pairs.sqlite"))
    assert len(asked) == 2  # the third run reads the cache
    refused = semscale(*FILE, *pairs, "--precision", "turbo")
    assert (refused.code, "--precision turbo was measured for" in refused.err) == (2, True)


@pytest.mark.parametrize("more", [(), ("--claims",)])
def test_the_order_of_unnamed_labels_is_an_option(semscale, tmp_path, more):
    forced_classifier(tmp_path / "nli", contradiction=0.9, labels=("LABEL_0", "LABEL_1", "LABEL_2"))
    unnamed = semscale(*FILE, "--nli", "nli", *more)
    assert (unnamed.code, "such as --nli-labels" in unnamed.err) == (2, True)
    named = semscale(*FILE, "--nli", "nli", "--nli-labels", ORDER, *more, "--json")
    assert named.code == 0, named.err
    assert "labels:c/e/n" in named.out
    wrong = semscale(*FILE, "--nli", "nli", "--nli-labels", "yes,no", *more)
    assert (wrong.code, "--nli-labels must list entailment, neutral, contradiction" in wrong.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--nli", "./nowhere", "--measure", "cosine_sim"), "--nli is not used by cosine_sim: leave it out"),
        (("--nli", "./nowhere"), "./nowhere"),
        (("--nli-labels", ORDER), "--nli-labels belongs to --nli, which is not given"),
        (("--nli-labels", ORDER, "--claims"), "--nli-labels belongs to --nli, which is not given"),
    ],
)
def test_a_model_that_nothing_uses_or_that_is_not_there_is_refused(semscale, options, message):
    ended = semscale(*FILE, *options)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert message in ended.err


def test_stopping_early_goes_by_its_contradictions(semscale, tmp_path, monkeypatch):
    forced_classifier(tmp_path / "nli", contradiction=0.9)
    model = ScriptedChat({"q1": ["w1", *["w2"] * 10], "q2": ["w3"] * 11})
    monkeypatch.setattr(chat, "load_chat_model", lambda *_, **__: model)
    pl.DataFrame({"q": ["q1", "q2"]}).write_csv(tmp_path / "q.csv")
    asked = ("consistency", "q.csv", "--prompt", "q", "--ask", 10, "--chat-model", "m", "--stop-at", "0.6")
    ended = semscale(*asked, "--measure", "uncontradicted", "--nli", "nli", "--out", "o.jsonl")
    assert ended.code == 0, ended.err
    rows = pl.read_ndjson(tmp_path / "o.jsonl")
    # Samples contradict all the time, or are equal to the answer.
    assert rows["semscale_uncontradicted"].to_list() == [0.0, 1.0]
    assert rows["semscale_settled"].to_list() == ["below", "above"]
    assert max(rows["semscale_samples"].to_list()) < 10
