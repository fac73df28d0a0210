"""``UQEnsemble``, ``LLMPanel`` and ``LLMJudge``: scores by several scorers and judges."""

import asyncio
import json
import math

import numpy as np
import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage
from tests.judging.conftest import Scripted, material

from semscale.chat.messages import CallError, FailureKind
from semscale.chat.pacing import Retries
from semscale.chat.runner import Running
from semscale.compat.uqlm import LLMJudge, LLMPanel, UQEnsemble
from semscale.errors import InputError, UnknownNameError
from semscale.signature import Signature


class MadeUpEntailment:
    signature = Signature.of("nli", model="made-up")

    def probabilities(self, premises, hypotheses):
        return np.tile([0.5, 0.3, 0.2], (len(premises), 1))


def run(awaited):
    return asyncio.run(awaited)


def test_the_off_the_shelf_ensemble_of_the_readme():
    llm = FakeListChatModel(responses=["Paris", "Paris", "Rome", "Score: Correct", "Correct", "Correct"])
    judge = FakeListChatModel(responses=["Correct"])
    uqe = UQEnsemble(
        llm, ["noncontradiction", "exact_match", judge], weights=[0.56, 0.14, 0.3],
        nli_model_name=MadeUpEntailment(), ledger=False,
    )  # fmt: skip
    result = run(uqe.generate_and_score(["The capital of France?"], num_responses=2))
    # Paris and Rome: noncontradiction (1 + .8) / 2, exact match 1/2; the judge says 1.
    assert result.data["noncontradiction"] == [pytest.approx(0.9)]
    assert result.data["judge_1"] == [1.0]
    assert result.data["ensemble_scores"] == [pytest.approx(0.56 * 0.9 + 0.14 * 0.5 + 0.3)]


def test_judges_have_the_ledger_and_the_limit_of_the_ensemble(tmp_path):
    models = [FakeListChatModel(responses=["Correct"]) for _ in range(2)]
    uqe = UQEnsemble(scorers=models, ledger=tmp_path / "replies", max_calls_per_min=600)
    given = ["The capital of France?"], ["Paris"]
    assert run(uqe.score(*given)).data["ensemble_scores"] == [1.0]
    assert (tmp_path / "replies").exists()
    assert {judge.running.limits.requests_per_minute for judge in uqe._panel.judges} == {600}
    apart = UQEnsemble(scorers=models, ledger=False, max_calls_per_min=7)
    assert {judge.running.ledger for judge in apart._panel.judges} == {False}


def scored(n=100, seed=0):
    """Exact match tells right answers from wrong ones; token probabilities say nothing."""
    rng = np.random.default_rng(seed)
    correct = rng.permutation(np.arange(n) % 2 == 0)
    equal = np.clip(rng.binomial(10, np.where(correct, 0.8, 0.3)), 0, 10)
    samples = [["a"] * k + ["b"] * (10 - k) for k in equal.tolist()]
    logprobs = [[{"logprob": float(value)}] for value in np.log(rng.uniform(0.01, 1, n))]
    uqe = UQEnsemble(scorers=["exact_match", "min_probability"])
    run(uqe.score(["q"] * n, ["a"] * n, samples, logprobs))
    return uqe, correct.tolist()


def test_tuned_weights_go_to_what_tells_and_the_nested_area_stands_beside_the_plain_mean():
    uqe, correct = scored()
    result = uqe.tune_from_graded(correct)
    assert uqe.component_names == ["exact_match", "min_probability"]
    assert result.metadata["weights"][0] > 0.7
    assert sum(uqe.weights) == pytest.approx(1)
    tuning = result.metadata["tuning"]
    assert tuning["roc_auc_nested"] > tuning["roc_auc_plain_mean"]
    accepted = np.array(result.data["ensemble_scores"]) > uqe.thresh
    assert (accepted == correct).mean() > 0.85


def test_tuning_asks_and_grades_by_words_unless_a_function_does():
    n = 60
    llm = FakeListChatModel(responses=["red"])
    uqe = UQEnsemble(llm, ["exact_match"], ledger=False)
    truths = ["It is red." if at % 2 else "blue" for at in range(n)]
    result = run(uqe.tune([f"colour {at}?" for at in range(n)], truths, num_responses=1))
    assert result.metadata["tuning"]["n"] == n
    with pytest.raises(InputError, match="5 or more wrong, got 60 right and 0 wrong"):
        run(uqe.tune([f"colour {at}?" for at in range(n)], truths, lambda response, answer: True, 1))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scorers": ["bleurt"]}, "got 'bleurt'"),
        ({"scorers": ["exact_match"], "weights": [1, 2]}, "weights must be 1 numbers"),
        ({"scorers": ["exact_match"], "weights": [math.nan]}, "weights must be 1 numbers"),
        ({"nli_model_name": MadeUpEntailment()}, "got none, or no llm"),
        (
            {"scorers": ["exact_match", 5]},
            r"scorers\[1\] must be an LLMJudge or a chat model, got 5",
        ),
    ],
)
def test_components_and_weights_are_checked(settings, message):
    with pytest.raises(InputError, match=message):
        UQEnsemble(**settings)


def test_a_refused_tuning_leaves_the_ensemble_as_it_was():
    uqe, correct = scored()
    with pytest.raises(InputError, match="at least 40 labels"):
        uqe.tune_from_graded([*correct[:36], *[None] * 64])
    assert (uqe.weights, uqe.thresh) == ([0.5, 0.5], 0.5)


def test_metadata_have_the_names_of_uqlm():
    uqe, _ = scored(n=3)
    result = run(uqe.score(["q"], ["a"], [["a", "b"]], [[{"logprob": -0.5}]]))
    assert result.metadata == {
        "temperature": None,
        "sampling_temperature": 1.0,
        "num_responses": 2,
        "logprobs": [[{"logprob": -0.5}]],
        "thresh": 0.5,
        "weights": [0.5, 0.5],
    }


def test_judges_alone_need_no_samples():
    llm = FakeListChatModel(responses=["Paris", "never asked for"])
    uqe = UQEnsemble(llm, [FakeListChatModel(responses=["Correct"])], ledger=False)
    result = uqe.generate_and_score_sync(["The capital of France?"], num_responses=2)
    assert list(result.data) == ["prompts", "responses", "ensemble_scores", "judge_1"]
    assert result.metadata["num_responses"] == 2
    assert llm.i == 1  # where this model goes on


def test_a_postprocessor_names_raw_and_processed_texts():
    uqe = UQEnsemble(scorers=["exact_match"], postprocessor=str.lower, return_responses="all")
    data = run(uqe.score(["q"], ["A"], [["a", "B"]])).data
    assert (data["responses"], data["sampled_responses"]) == (["a"], [["a", "b"]])
    assert (data["raw_responses"], data["raw_sampled_responses"]) == (["A"], [["a", "B"]])
    assert data["ensemble_scores"] == [0.5]


def test_weights_are_printed_the_greatest_first(capsys):
    UQEnsemble(scorers=["exact_match", "cosine_sim"], weights=[1, 3]).print_ensemble_weights()
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows == [["Scorer", "Weight"], ["cosine_sim", "0.7500"], ["exact_match", "0.2500"]]


def test_a_configuration_is_saved_and_loaded(tmp_path):
    llm = FakeListChatModel(responses=["Paris"])
    judge = LLMJudge(FakeListChatModel(responses=["Score: 2"]), scoring_template="likert")
    scorers = ["exact_match", judge, FakeListChatModel(responses=["Correct"])]
    UQEnsemble(llm, scorers, weights=[2, 1, 1], thresh=0.3).save_config(tmp_path / "ensemble.json")
    saved = json.loads((tmp_path / "ensemble.json").read_text())
    assert saved["components"] == ["exact_match", "judge_1", "judge_2"]
    assert saved["llm_config"] == {
        "class_name": "FakeListChatModel",
        "module": "langchain_core.language_models.fake_chat_models",
        "responses": ["Paris"],
    }
    loaded = UQEnsemble.load_config(tmp_path / "ensemble.json", ledger=False)
    assert (loaded.weights, loaded.thresh) == ([0.5, 0.25, 0.25], 0.3)
    data = loaded.generate_and_score_sync(["q"], num_responses=1).data
    assert (data["responses"], data["judge_1"], data["judge_2"]) == (["Paris"], [0.25], [1.0])
    other = UQEnsemble.load_config(tmp_path / "ensemble.json", FakeListChatModel(responses=["Rome"]))
    assert other.llm.responses == ["Rome"]


def test_secrets_and_addresses_are_not_saved(tmp_path):
    class Endpoint(FakeListChatModel):
        api_key: str
        base_url: str
        model_name: str

    llm = Endpoint(responses=[], api_key="sk-1", base_url="http://here", model_name="m")
    UQEnsemble(llm, ["exact_match"]).save_config(tmp_path / "ensemble.json")
    saved = json.loads((tmp_path / "ensemble.json").read_text())["llm_config"]
    assert {name for name in saved if name not in {"class_name", "module"}} == {"responses", "model_name"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is no configuration of an ensemble"),
        ('{"weights": [1], "thresh": 0.5}', "is no configuration of an ensemble .*components"),
        ('["exact_match"]', "is no configuration of an ensemble"),
        ('{"weights": ["x"], "thresh": 0.5, "components": ["exact_match"]}', "an ensemble .*weights"),
        ('{"weights": [1], "thresh": 0.5, "components": ["judge_1"]}', "has no settings of judge_1"),
        (
            '{"weights": [1], "thresh": 0.5, "components": ["exact_match"], '
            '"llm_config": {"class_name": "AIMessage", "module": "langchain_core.messages"}}',
            "llm must be a LangChain chat model, got AIMessage",
        ),
        (
            '{"weights": [1], "thresh": 0.5, "components": ["judge_1"], '
            '"llm_scorers": {"judge_1": {"class_name": "Chat", "module": "langchain_core.no_such"}}}',
            "judge_1 cannot be created from the file: No module named 'langchain_core.no_such'",
        ),
        (
            '{"weights": [1], "thresh": 0.5, "components": ["exact_match"], "llm_config": '
            '{"class_name": "Chat", "module": "langchain_core", "base_url": "http://elsewhere"}}',
            "llm: base_url must be set in the environment, not in a file",
        ),
        (
            '{"weights": [1], "thresh": 0.5, "components": ["judge_1"], "llm_scorers": {"judge_1": {}}}',
            "judge_1 cannot be created from the file: 'class_name'",
        ),
    ],
)
def test_files_that_are_no_configuration_are_refused(tmp_path, content, message):
    path = tmp_path / "ensemble.json"
    path.write_text(content)
    with pytest.raises(InputError, match=f"(?s){message}"):
        UQEnsemble.load_config(path)


def test_a_file_cannot_name_code_to_be_imported(tmp_path, monkeypatch):
    (tmp_path / "planted.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "ensemble.json"
    for module in ("planted", "langchain_planted", "numpy", "planted.langchain_core"):
        config = {"weights": [1], "thresh": 0.5, "components": ["exact_match"]}
        path.write_text(json.dumps({**config, "llm_config": {"class_name": "Chat", "module": module}}))
        message = f"llm must be a chat model of an installed LangChain package, .*, got module '{module}'"
        with pytest.raises(InputError, match=message):
            UQEnsemble.load_config(path)
        # The caller's own model takes the place of the one that the file names.
        assert UQEnsemble.load_config(path, FakeListChatModel(responses=["Rome"])).llm.responses == ["Rome"]


def test_models_that_cannot_be_saved_are_named(tmp_path):
    with pytest.raises(InputError, match="judge_1 must be a LangChain chat model to be saved, got Scripted"):
        UQEnsemble(scorers=[Scripted(str)]).save_config(tmp_path / "ensemble.json")
    assert not (tmp_path / "ensemble.json").exists()


RUNNING = Running(ledger=False, retries=Retries(0))


def langchain(*replies):
    return GenericFakeChatModel(messages=iter([AIMessage(content=reply) for reply in replies]))


def test_the_documented_judge():
    judge = LLMJudge(llm=langchain("Score: 4"), scoring_template="likert", running=RUNNING)
    result = asyncio.run(judge.judge_responses(prompts=["When was it?"], responses=["1066"]))
    assert list(result) == ["judge_prompts", "judge_responses", "scores"]
    assert result["scores"] == [0.75]
    assert result["judge_responses"] == ["Score: 4"]
    assert "1066" in result["judge_prompts"][0]


def test_the_documented_panel():
    panel = LLMPanel(
        llm=Scripted(lambda _: "1066", name="original"),
        judges=[langchain("5"), langchain("Score: 2")],
        scoring_templates=["likert"] * 2,
        running=RUNNING,
    )
    results = asyncio.run(panel.generate_and_score(prompts=["When was it?"]))
    assert results.data == {
        "prompts": ["When was it?"],
        "responses": ["1066"],
        "judge_1": [1.0],
        "judge_2": [0.25],
        "avg": [0.625],
        "max": [1.0],
        "min": [0.25],
        "median": [0.625],
    }
    assert results.metadata["num_judges"] == 2
    assert json.loads(json.dumps(results.to_dict()))["data"]["judge_2"] == [0.25]
    assert list(results.to_df().columns) == list(results.data)


@pytest.mark.parametrize(
    ("template", "reply", "score"),
    [
        ("likert", "Score: 4\n1. minor omission", 0.75),
        ("likert", "On a 1-5 scale I give it a 5", 1.0),
        ("continuous", "85.5", 0.855),
        ("true_false", "not correct", 0.0),
        ("true_false_uncertain", "I am not sure", 0.5),
    ],
)
def test_its_parsers_defects_are_not_reproduced(template, reply, score):
    judge = LLMJudge(Scripted(lambda _: reply), scoring_template=template, running=RUNNING)
    assert judge.judge_responses_sync(["q"], ["a"])["scores"] == [score]


def test_after_a_retry_the_reply_that_counts_is_given():
    judge = LLMJudge(langchain("4 or 5", "Score: 4"), scoring_template="likert", running=RUNNING)
    result = judge.judge_responses_sync(["q"], ["a"])
    assert (result["judge_responses"], result["scores"]) == (["Score: 4"], [0.75])


def test_retries_end():
    model = Scripted(lambda _: "1.0")
    judge = LLMJudge(model, scoring_template="continuous", running=RUNNING)
    scores = judge.judge_responses_sync(["q"], ["a"], retries=2)["scores"]
    assert math.isnan(scores[0])
    assert len(model.requests) == 3


def test_explanations():
    judge = LLMJudge(Scripted(lambda _: "Score: Correct\nExplanation: It was 1066."), running=RUNNING)
    result = judge.judge_responses_sync(["q"], ["a"], explanations=True)
    assert result["explanations"] == ["It was 1066."]


@pytest.mark.parametrize("responses", [["a"], ["a", "b", "c"]])
def test_no_response_is_dropped_silently(responses):
    judge = LLMJudge(Scripted(lambda _: "Correct"), running=RUNNING)
    message = f"got 2 questions and {len(responses)} answers"
    with pytest.raises(InputError, match=message):
        judge.judge_responses_sync(["q", "r"], responses)
    with pytest.raises(InputError, match=message):
        LLMPanel([judge, judge], running=RUNNING).score_sync(["q", "r"], responses)


def test_a_judge_without_a_score_leaves_the_others():
    unreadable = Scripted(lambda _: "hm", name="unreadable")
    result = LLMPanel([Scripted(lambda _: "Correct"), unreadable], running=RUNNING).score_sync(["q"], ["a"])
    assert (result.data["judge_1"], result.data["judge_2"], result.data["avg"]) == ([1.0], [None], [1.0])


def test_a_prompt_without_an_answer_has_no_score():
    silent = CallError("nothing came", kind=FailureKind.CONNECTION)
    panel = LLMPanel(
        [Scripted(lambda _: "Correct"), Scripted(lambda _: "Wrong", name="other")],
        llm=Scripted(lambda request: silent if request.messages[-1].text == "r" else "1066"),
        running=RUNNING,
    )
    result = panel.generate_and_score_sync(["q", "r"])
    assert (result.data["responses"], result.data["avg"]) == (["1066", None], [0.5, None])


def test_a_panel_of_one_and_of_judges_that_are_there():
    judge = LLMJudge(
        Scripted(lambda request: f"Score: {material(request)}"), scoring_template="likert", running=RUNNING
    )
    result = LLMPanel([judge], explanations=True, running=RUNNING).score_sync(["q"], ["3"])
    assert result.data["avg"] == result.data["judge_1"] == [0.5]
    assert result.data["judge_1_explanation"] == [""]


def test_the_limit_a_minute_is_kept():
    judge = LLMJudge(Scripted(str), max_calls_per_min=30)
    assert judge.running.limits.requests_per_minute == 30


def test_wrong_settings_are_named():
    model = Scripted(str)
    with pytest.raises(UnknownNameError, match="unknown scoring_template 'lickert': did you mean 'likert'"):
        LLMJudge(model, scoring_template="lickert")
    with pytest.raises(InputError, match="keywords_to_scores_dict is not taken"):
        LLMJudge(model, keywords_to_scores_dict={0.0: ["bad"]})
    with pytest.raises(InputError, match="got 1 templates and 2 judges"):
        LLMPanel([model, model], scoring_templates=["likert"])
    with pytest.raises(InputError, match="llm must be a chat model that answers"):
        LLMPanel([model, model]).generate_and_score_sync(["q"])
    with pytest.raises(InputError, match=r"judges\[1\] must be an LLMJudge or a chat model, got 5"):
        LLMPanel([model, 5])


def test_a_judge_needs_its_model_when_it_is_asked():
    judge = LLMJudge(max_calls_per_min=3)
    with pytest.raises(InputError, match="llm must be a chat model that judges responses, got None"):
        judge.judge_responses_sync(["q"], ["a"])
