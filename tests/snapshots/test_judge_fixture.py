"""The fixture ``semantic_judge``: scores below the limit, missing scores, and the model of the ini file."""

import json

import pytest
from tests.support.endpoint import misbehaving_endpoint

from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.errors import InputError, ReplyError
from semscale.signature import Signature
from semscale.snapshots.judge_fixture import JudgeModel, SemanticJudge

QUESTION, ANSWER = "Why is the sky blue?", "Because of Rayleigh scattering."


class Chat:
    name, signature = "fake", Signature.of("chat", model="fake")

    def __init__(self, reply):
        self.reply, self.n_calls = reply, 0

    async def complete(self, request):
        self.n_calls += 1
        if isinstance(self.reply, CallError):
            raise self.reply
        return Reply(self.reply)


@pytest.fixture
def semantic_judge(tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_LEDGER", str(tmp_path / "ledger.sqlite"))
    return SemanticJudge(JudgeModel("", ""))


def test_a_score_at_the_limit_passes_and_is_returned(semantic_judge):
    verdict = semantic_judge(QUESTION, ANSWER, at_least=0.75, chat_model=Chat("Score: 4"))
    assert verdict.score == 0.75  # 4 of 1 to 5


def test_a_lower_score_fails_with_both_texts_and_the_explanation(semantic_judge):
    with pytest.raises(AssertionError) as caught:
        semantic_judge(QUESTION, ANSWER, reference="Light.", chat_model=Chat("Score: 4\nExplanation: Short."))
    assert str(caught.value).splitlines() == [
        "fake scores the answer 0.75, at_least is 0.8",
        f"  question: {QUESTION}",
        f"  answer: {ANSWER}",
        "  reference: Light.",
        "  explanation: Short.",
    ]


def test_an_unchanged_answer_is_not_asked_about_again(semantic_judge):
    chat = Chat("Score: 5")
    semantic_judge(QUESTION, ANSWER, chat_model=chat)
    n = chat.n_calls
    semantic_judge(QUESTION, ANSWER, chat_model=chat)
    assert chat.n_calls == n
    semantic_judge(QUESTION, "Another answer.", chat_model=chat)
    assert chat.n_calls > n


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("It depends.", "fake gave no score: no reply contains exactly one score"),
        ("I'm sorry, I cannot rate this answer.", "fake gave no score: the judge declined to give a score"),
    ],
)
def test_an_answer_without_a_score_fails_at_any_limit(semantic_judge, reply, problem):
    with pytest.raises(AssertionError, match=problem):
        semantic_judge(QUESTION, ANSWER, at_least=0, chat_model=Chat(reply))


@pytest.mark.parametrize("answer", [None, "", 5])
def test_an_answer_without_text_fails_without_a_call(semantic_judge, answer):
    chat = Chat("Score: 5")
    with pytest.raises(AssertionError, match="was not asked, as the question or the answer is"):
        semantic_judge(QUESTION, answer, chat_model=chat)
    assert chat.n_calls == 0


def test_a_model_that_cannot_be_asked_is_an_error(semantic_judge):
    with pytest.raises(ReplyError, match="no such request"):
        semantic_judge(
            QUESTION, ANSWER, chat_model=Chat(CallError("no such request", kind=FailureKind.REJECTED))
        )


def test_without_a_model_the_error_names_the_setting(semantic_judge):
    with pytest.raises(InputError, match="set semantic_judge_model = NAME in pytest's ini file"):
        semantic_judge(QUESTION, ANSWER)


def test_a_coroutine_is_awaited(semantic_judge):
    async def generate():
        return ANSWER

    assert semantic_judge(QUESTION, generate(), chat_model=Chat("Score: 5")).score == 1


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"at_least": 80}, InputError, "at_least must be between 0 and 1, got 80"),
        ({"templat": "likert"}, TypeError, "did you mean 'template'"),
    ],
)
def test_a_wrong_setting_is_named(semantic_judge, settings, error, message):
    with pytest.raises(error, match=message):
        semantic_judge(QUESTION, ANSWER, chat_model=Chat("Score: 5"), **settings)


@pytest.mark.needs("api")
def test_the_fixture_asks_the_model_of_the_ini_file(pytester, monkeypatch):
    monkeypatch.setenv("SEMSCALE_LEDGER", str(pytester.path / "ledger.sqlite"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p semscale.pytest_plugin -p no:cacheprovider")
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    pytester.makepyfile(
        test_tutor=f"""
        def test_good(semantic_judge):
            semantic_judge({QUESTION!r}, {ANSWER!r}, at_least=0.7)

        def test_bad(semantic_judge):
            semantic_judge({QUESTION!r}, {ANSWER!r}, at_least=0.8)
        """
    )
    with misbehaving_endpoint() as endpoint:
        endpoint.reply = lambda body: json.dumps({"score": 4, "explanation": "Right."})
        pytester.makeini(f"[pytest]\nsemantic_judge_model = judge\nsemantic_judge_url = {endpoint.url}")
        result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["E *AssertionError: judge scores the answer 0.75, at_least is 0.8"])


@pytest.mark.needs("api")
@pytest.mark.exhaustive
def test_the_address_of_the_ini_file_holds_for_every_model_unless_the_call_has_another(tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_LEDGER", str(tmp_path / "ledger.sqlite"))
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    with misbehaving_endpoint() as of_ini, misbehaving_endpoint() as of_call:
        of_ini.reply = lambda body: '{"score": 4, "explanation": "Right."}'
        of_call.reply = lambda body: '{"score": 5, "explanation": "Right."}'
        judge = SemanticJudge(JudgeModel("usual", of_ini.url))
        scores = [
            judge(QUESTION, ANSWER, at_least=0, **settings).score
            for settings in ({}, {"chat_model": "X"}, {"chat_model": "X", "base_url": of_call.url})
        ]
    # 4 and 5 of 1 to 5
    assert scores == [0.75, 0.75, 1]


def test_an_address_belongs_to_the_name_of_a_model(semantic_judge):
    with pytest.raises(InputError, match="base_url belongs to the name of a model"):
        semantic_judge(QUESTION, ANSWER, chat_model=Chat("Score: 5"), base_url="http://127.0.0.1:1/v1")
