"""``semscale drift matrix``: several models and prompts in one table."""

import json
import re

import polars as pl
import pytest
from decision_endpoint import deciding_endpoint
from endpoint import error, misbehaving_endpoint, prompt_of
from tests.schema_check import check_json

pytestmark = [pytest.mark.needs("api"), pytest.mark.exhaustive]

NAMES = "abcdefghijkl"
ITEMS = [{"id": name, "input": f"What is {name}?", "right": f"{name} is great"} for name in NAMES]
ANSWERS = re.compile(r"\[BEGIN (\w+ ANSWER \w{12})\]\n(.*?)\n\[END \1\]", re.DOTALL)
DOWN = (503, error("down"), {"Retry-After": "9999"})


def reply(body):
    """Let *good* say what is right, *poor* something else, and *judge* prefer what is right."""
    prompt = prompt_of(body)
    if body["model"] == "judge":
        first, second = (text for _, text in ANSWERS.findall(body["messages"][-1]["content"]))
        better = ("great" in first) - ("great" in second)
        return f"Score: {2 - better}\nExplanation: so."
    name = re.search(r"What is (\w)\?", prompt)[1]
    good = body["model"].startswith("good") and "badly" not in prompt
    # One item of twelve is answered as well by the poor one, and one worse by the good one.
    good = name != "b" if good else name == "a"
    return f"{name} is {'great' if good else 'awful'}"


@pytest.fixture
def endpoint():
    with misbehaving_endpoint() as found:
        found.reply = reply
        yield found


@pytest.fixture
def matrix(semscale, tmp_path, endpoint, monkeypatch):
    monkeypatch.setenv("SEMSCALE_PRICES", str(tmp_path / "prices.yaml"))
    (tmp_path / "prices.yaml").write_text("per_tokens: 1\nmodels: {good: {prompt: 1, completion: 2}}\n")
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    (tmp_path / "well.txt").write_text("Answer well: {input}")
    (tmp_path / "badly.txt").write_text("Answer badly: {input}")

    def run(*options, models=("good", "poor"), prompts=("--prompts", "items.jsonl")):
        whom = [word for name in models for word in ("--chat-model", name)]
        where = ("--chat-url", endpoint.url, "--ledger", "ledger.sqlite")
        return semscale("drift", "matrix", *prompts, *whom, *where, "--method", "cosine", *options)

    return run


def test_references_say_which_model_is_better(matrix):
    ended = matrix("--reference", "right", "--json", "--out", "answers.parquet")
    assert ended.code == 0, ended.err
    said = json.loads(ended.out)
    assert (said["best"], said["basis"], said["not_told_apart"]) == ("good", "reference", [])
    good, poor = said["cells"]
    # 11 of 12 right and 1 of 12; a right answer has the cosine 1 with its reference.
    gap = poor["below_best"]
    assert gap["value"] == pytest.approx(poor["score"]["value"] - good["score"]["value"])
    assert gap["high"] < 0
    assert gap["n"] == 12
    assert good["below_best"] is None
    # 12 tokens at 1 and 3 at 2; the price of the other is not known.
    assert (good["cost"], good["tokens"], poor["cost"]) == (18.0, 15.0, None)
    assert good["latency"] > 0
    rows = pl.read_parquet("answers.parquet")
    assert rows.height == 24
    first = rows.filter((pl.col("id") == "a") & (pl.col("cell") == "poor")).row(0, named=True)
    assert (first["output"], first["asking"], first["call_cost"]) == ("a is great", 1, None)
    assert first["score"] == pytest.approx(1)


def test_one_table_with_a_sentence_that_says_who_is_better(matrix):
    ended = matrix("--reference", "right")
    assert "“good” is best by its match with the references, by more than chance" in ended.out
    line, counts = (line for line in ended.out.splitlines() if line.startswith("good "))
    # 12 answers; 18 for one answer are 18,000 for 1,000.
    assert line.split()[1] == "12"
    assert "18,000.000" in line
    assert "USD/1,000" in ended.out
    assert counts.split() == ["good", "12", "12", "15"]


def test_a_judge_sees_each_pair_in_both_orders(matrix, endpoint):
    ended = matrix("--judge-model", "judge", "--json")
    assert ended.code == 0, ended.err
    said = json.loads(ended.out)
    assert (said["best"], said["basis"]) == ("good", "judge")
    good, poor = said["cells"]
    # a is a tie, as both say the same; b is won by nobody, as both are awful; c to l are won by good.
    assert (good["side"]["wins"], good["side"]["ties"], good["side"]["losses"]) == (10, 2, 0)
    assert (poor["side"]["wins"], poor["side"]["ties"], poor["side"]["losses"]) == (0, 2, 10)
    # 11 of 12 points, with ties as halves; two cells are their own average competitors.
    assert good["side"]["share"]["value"] == pytest.approx(11 / 12)
    assert good["side"]["chance"]["value"] == pytest.approx(11 / 12)
    assert poor["over_best"]["value"] == pytest.approx(1 / 12)
    assert poor["over_best"]["high"] < 0.5
    assert said["side_by_side"]["first_place"]["value"] == 0.5
    assert said["side_by_side"]["n_pairs"] == 12
    judged = [body for body, _, _ in endpoint.requests if body["model"] == "judge"]
    # Two orders of 10 pairs; equal answers are ties without a call. What a judge takes is found out first.
    texts = {body["messages"][-1]["content"] for body in judged}
    assert len(texts) == 20


def test_a_model_that_is_down_leaves_the_others_to_finish(matrix, endpoint):
    endpoint.fault = lambda prompt, n_asked: None
    plain = endpoint.plan_for

    def plan(asked, headers, path):
        found = plain(asked, headers, path)
        return (404, error("no such model")) if asked["model"] == "lost" else found

    endpoint.plan_for = plan
    ended = matrix("--reference", "right", models=("good", "lost", "poor"))
    assert ended.code == 0, ended.err
    assert "“lost” is down and not compared: " in ended.out
    assert "“good” is best" in ended.out
    rows = [line for line in ended.out.splitlines() if line.startswith("lost ")]
    assert ["down" in row for row in rows] == [True, True]
    alone = matrix("--reference", "right", models=("good", "lost"))
    assert "“good” alone answered, so that it is compared with none" in alone.out
    nothing = matrix(models=("good", "lost"))
    assert "Only “good” answered, so there is nothing to compare it with" in nothing.out
    nobody = matrix(models=("lost", "lost@" + endpoint.url.replace("127.0.0.1", "localhost")))
    assert nobody.code == 2


def test_prompts_and_models_make_cells(matrix, endpoint):
    prompts = ("--items", "items.jsonl", "--prompts", "well.txt", "--prompts", "badly.txt")
    said = json.loads(matrix("--reference", "right", "--json", prompts=prompts).out)
    names = ["well.txt, good", "well.txt, poor", "badly.txt, good", "badly.txt, poor"]
    assert [cell["name"] for cell in said["cells"]] == names
    assert said["best"] == "well.txt, good"
    assert len(endpoint.requests) == 48
    one = json.loads(matrix("--json", models=("good",), prompts=prompts).out)
    assert [cell["name"] for cell in one["cells"]] == ["well.txt", "badly.txt"]
    assert (one["best"], one["basis"]) == (None, None)
    assert len(endpoint.requests) == 48  # replies were kept


def test_a_cap_keeps_what_was_paid(matrix, endpoint):
    capped = matrix("--reference", "right", "--max-calls", 20)
    assert capped.code == 3
    assert "the cap of 20 calls is reached" in capped.err
    assert matrix("--reference", "right").code == 0
    assert len(endpoint.requests) == 24


def test_reruns_are_calls_of_their_own(matrix, endpoint):
    said = json.loads(matrix("--reference", "right", "--reruns", 1, "--json").out)
    assert len(endpoint.requests) == 48
    assert said["cells"][0]["n_asked"] == 24
    assert said["cells"][0]["score"]["n"] == 12  # items, each with the mean of its askings


def prefers_great(asked, names, text):
    """Put .8 on the better answer, as ``reply`` has it, and .1 on each of the other verdicts."""
    first, second = (shown for _, shown in ANSWERS.findall(text))
    better = ("great" in second) - ("great" in first)
    masses = {"The first": -1, "Both": 0, "The second": 1}
    places = [next(side for start, side in masses.items() if name.startswith(start)) for name in names]
    return [0.8 if place == better else 0.1 for place in places]


def test_a_judge_may_decide_instead_of_writing(matrix, endpoint):
    with deciding_endpoint() as decider:
        decider.masses = prefers_great
        judge = ("--judge-model", f"judge@{decider.url}", "--reply", "decision")
        ended = matrix(*judge, "--json")
        assert ended.code == 0, ended.err
        check_json(ended.out)
        said = json.loads(ended.out)
        good, poor = (cell["side"] for cell in said["cells"])
        # As in prose: ten items with a better answer, and two pairs of equal ones.
        assert (good["wins"], good["ties"], good["losses"]) == (10, 2, 0)
        assert poor["losses"] == 10
        sides = said["side_by_side"]
        assert (sides["method"], sides["not_taken"], sides["n_pairs"]) == ("decisions", [], 12)
        assert "judge_method:decisions" in said["signature"]
        # Two orders of ten pairs, and nobody was asked in prose.
        assert decider.paths == ["decisions"] * 20
        assert "judge" not in {body["model"] for body, _, _ in endpoint.requests}


def test_an_unknown_method_of_the_judge_is_refused_before_anybody_is_asked(matrix, endpoint):
    ended = matrix("--judge-model", "judge", "--reply", "decide")
    assert (ended.code, endpoint.requests) == (2, [])
    assert "--reply must be prose or decision, got 'decide'" in ended.err


def test_the_matrix_says_what_stood_in_for_decisions(matrix):
    with deciding_endpoint() as decider:
        decider.masses, decider.speaks = prefers_great, ("completions",)
        judge = ("--judge-model", f"judge@{decider.url}", "--reply", "decision")
        said = json.loads(matrix(*judge, "--json").out)
    assert said["side_by_side"]["method"] == "next-token"
    assert [(each["form"], each["n"]) for each in said["side_by_side"]["not_taken"]] == [
        ("decisions", 1),
        ("systemone", 1),
    ]
    cautions = " ".join(said["cautions"])
    assert (
        "judge takes no typed decisions, so its verdicts are probabilities of the levels’ letters" in cautions
    )


def test_a_judge_that_prefers_the_first_place_and_itself_is_named(matrix, endpoint):
    endpoint.reply = lambda body: (
        "Score: 1\nExplanation: so." if "ANSWER" in prompt_of(body) else f"{body['model']} says so"
    )
    ended = matrix("--judge-model", "good")
    assert "the judge prefers the answer shown first: the first answer gets 100" in ended.out
    assert "the judge, good, is one of those that it judges" in ended.out
    assert "The judge prefers none of them" in ended.out


def test_who_wins_everything_has_no_finite_strength(matrix, endpoint):
    endpoint.reply = lambda body: (
        reply(body) if body["model"] == "judge" else "great" if body["model"] == "good" else "awful"
    )
    said = json.loads(matrix("--judge-model", "judge", "--json").out)
    assert "'good' won every comparison" in said["side_by_side"]["no_strengths"]
    assert (said["best"], said["cells"][0]["side"]["chance"]) == ("good", None)
    assert said["not_told_apart"] == []


def test_answers_that_did_not_come_are_named(matrix, endpoint):
    rejected = (400, error("too long"))
    endpoint.fault = lambda prompt, n_asked: rejected if "What is c" in prompt else None
    ended = matrix("--reference", "right")
    assert "1 call of 12 to “good” failed and is left out, most often because: " in ended.out


def test_a_model_that_refuses_does_not_win(matrix, endpoint):
    def reply(body):
        name = re.search(r"What is (\w)", prompt_of(body))[1]
        if body["model"] == "refuser":
            return f"{name} is great" if name in "abc" else ""
        return f"{name} is {'great' if name in 'abcdefghi' else 'awful'}"

    endpoint.reply = reply
    said = json.loads(matrix("--reference", "right", "--json", models=("good", "refuser")).out)
    good, refuser = said["cells"]
    assert said["best"] == "good"
    # Three right answers, with a cosine of 1, and nine zeros.
    assert refuser["score"]["value"] == pytest.approx(3 / 12)
    assert (refuser["n_answered"], refuser["n_silent"], refuser["score"]["n"]) == (3, 9, 12)
    ended = matrix("--reference", "right", models=("good", "refuser"))
    assert (
        "“refuser” refused or was empty in 9 answers of 12, which score 0 and lose side by side" in ended.out
    )


def test_too_few_shared_items_say_nothing_of_chance(matrix, endpoint):
    rejected = (400, error("too long"))
    endpoint.fault = lambda prompt, n_asked: rejected if re.search("What is [jkl]", prompt) else None
    ended = matrix("--reference", "right")
    assert "“good” is best by its match with the references, but “poor” may be as good" in ended.out
    assert "“poor” and the best cell share 9 items: with fewer than 10 nothing is said to be" in ended.out


def test_a_page(matrix, tmp_path):
    assert matrix("--reference", "right", "--judge-model", "judge", "--report", "matrix.html").code == 0
    page = (tmp_path / "matrix.html").read_text()
    assert "Which is better?" in page
    assert "by the judge" in page


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--chat-model", "m", "--chat-model", "n"], "name what to ask: --prompts FILE"),
        (["--prompts", "items.jsonl"], "name whom to ask: --chat-model NAME"),
        (["--prompts", "items.jsonl", "--chat-model", "m"], "a matrix compares at least two cells"),
        (["--prompts", "items.jsonl", "--chat-model", "m", "--chat-model", "m"], "got 'm' twice"),
        (["--prompts", "well.txt", "--chat-model", "m"], "name the table that fills it with --items"),
        (["--prompts", "well.txt", "--prompts", "items.jsonl", "--chat-model", "m"], "is a table"),
        (["--items", "items.jsonl", "--prompts", "items.jsonl", "--chat-model", "m"], "is a table"),
        (["--prompts", "items.jsonl", "--chat-model", "m", "--rubric", "x"],
         "--rubric belongs to --judge-model NAME"),
        (("--prompts", "items.jsonl", "--chat-model", "good", "--reply", "decision"),
         "--reply belongs to --judge-model NAME"),
        (["--prompts", "items.jsonl", "--chat-model", "m", "--reference", "wrong"], "no column 'wrong'"),
        (["--prompts", "items.jsonl", "--chat-model", "m", "--method", "no"], "no"),
        (["--prompts", "items.jsonl", "--chat-model", "m", "--reruns", "-1"], "--reruns must be >= 0"),
        (["--prompts", "items.jsonl", "--chat-model", "m", "--max-tokens", "0"], "max-tokens must be >= 1"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together(matrix, semscale, endpoint, options, said):
    ended = semscale("drift", "matrix", "--chat-url", endpoint.url, *options)
    assert (ended.code, len(endpoint.requests)) == (2, 0)
    assert said in " ".join(ended.err.split())


def test_a_dry_run_counts_cells_and_the_most_that_a_judge_may_take(matrix, endpoint):
    several = ("--items", "items.jsonl", "--prompts", "well.txt", "--prompts", "badly.txt")
    ended = matrix("--judge-model", "judge", "--reruns", "1", "--max-tokens", "30", "--dry-run", "--json",
                   prompts=several)  # fmt: skip
    assert ended.code == 0, ended.err
    said = json.loads(ended.out)
    good, poor, judge = said["models"]
    # Twelve items with two prompts, asked twice, of each model.
    assert (good["model"], good["calls"], good["reply_tokens"]) == ("good", 48, 48 * 30)
    assert (poor["calls"], poor["money"]) == (48, None)
    # Four cells are six pairs of cells; twelve items, each in both orders.
    assert (judge["model"], judge["calls"]) == ("judge", 6 * 12 * 2)
    # Each prompt shows two answers of up to 30 tokens.
    assert judge["prompt_tokens"] > judge["calls"] * 60
    assert endpoint.requests == []
