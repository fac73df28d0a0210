"""``semscale code`` and ``code label`` from the shell."""

import json
import re
import shlex

import polars as pl
import pytest
from tests.support.decision_endpoint import deciding_endpoint

from semscale.cli.main import main
from semscale.embedding import loading

BOOK = """name: phones
codes:
  - name: power
    definition: battery life
    examples: [the battery died, my battery]
  - name: cost
    definition: price paid
    examples: [the price rose, my price]
  - name: display
    definition: screen size
    examples: [the screen broke, my screen]
"""
TOPICS = ("battery", "price", "screen")
NAMES = ("power", "cost", "display")


@pytest.fixture
def answers(tmp_path):
    """60 answers on one code each, coded by hand; ten more that say nothing, are blank or missing."""
    rows = [
        {"text": f"{word} {n}", "hand": name, "region": "north" if n % 2 else "south", "stars": n % 5}
        for n in range(20)
        for word, name in zip(TOPICS, NAMES, strict=True)
    ]
    rows += [{"text": f"hello {n}", "hand": "none", "region": "south", "stars": 2} for n in range(8)]
    rows += [{"text": "???", "hand": None, "region": "south", "stars": 2}]
    rows += [{"text": None, "hand": None, "region": None, "stars": None}]
    pl.DataFrame(rows).write_csv(tmp_path / "answers.csv")
    (tmp_path / "codes.yaml").write_text(BOOK)
    return tmp_path / "answers.csv"


@pytest.fixture
def code(semscale, answers):
    return lambda *more: semscale("code", answers, "--text", "text", "--codebook", "codes.yaml", *more)


def test_everything_at_once(code, tmp_path):
    ended = code(
        "--human", "hand", "--by", "region", "--rating", "stars", "--out", "coded.csv",
        "--report", "coded.html", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    assert result["outcomes"]["no-answer"] == 1
    assert result["reasons"]["uninformative"] == 1
    assert (result["rows"], result["readable"], result["hand_coded"]) == (70, 68, 68)
    assert [entry["code"] for entry in result["codes"] if entry["calibrated"]] == list(NAMES)
    # every readable answer is coded by hand, so the corrected share is people's own
    assert [entry["corrected"]["value"] for entry in result["codes"]] == pytest.approx([20 / 68] * 3)
    assert list(dict.fromkeys(share["group"] for share in result["group_shares"])) == ["south", "north", None]
    table = pl.read_csv(tmp_path / "coded.csv")
    assert table.height == 70
    assert table["semscale_power"].sum() == result["codes"][0]["n_given"]
    assert table["semscale_outcome"][-1] == "no-answer"
    page = (tmp_path / "coded.html").read_text()
    assert "does not show that they cause it" in page
    assert "Drivers of" in page


def test_a_rating_in_words_is_read_by_the_scores_of_the_description(code, answers, tmp_path):
    options = ("--rating", "stars", "--json")
    numbers = json.loads(code(*options).out)["drivers"]
    words = ["awful", "bad", "fair", "good", "great"]
    table = pl.read_csv(answers)
    named = table["stars"].replace_strict(range(5), words, return_dtype=pl.String)
    table.with_columns(stars=named).write_csv(answers)
    values = [{"value": word, "score": score} for score, word in enumerate(words)]
    question = json.dumps({"name": "stars", "title": "Stars", "kind": "scale", "values": values})
    (tmp_path / "survey.yaml").write_text(f"survey: 1\nquestions:\n- {question}\n")
    ended = code(*options, "--report", "coded.html")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["drivers"] == numbers
    assert "Drivers of “<bdi>Stars</bdi>”" in (tmp_path / "coded.html").read_text()
    assert numbers


def test_without_labels_it_says_so_and_shows_no_probability(code, tmp_path):
    ended = code("--out", "coded.parquet")
    assert ended.code == 0
    assert "Not checked by people" in ended.out
    assert not [name for name in pl.read_parquet(tmp_path / "coded.parquet").columns if name.endswith("_p")]


def test_codes_for_missing_answers_and_blank_cells_are_no_answer(semscale, answers, tmp_path):
    texts = ["battery", "n/a", "N/A", "-", " ", "\N{NO-BREAK SPACE}", "\N{ZERO WIDTH SPACE}", "???"]
    pl.DataFrame({"text": texts}).write_csv(answers)
    arguments = ("code", answers, "--text", "text", "--codebook", "codes.yaml", "--out", "coded.csv")
    ended = semscale(*arguments, "--missing", "n/a", "--missing", "-", "--missing", "-99", "--signature")
    assert ended.code == 0, ended.err
    coded = pl.read_csv(tmp_path / "coded.csv")
    # Three codes and three blank cells; marks alone are an answer that cannot be read.
    assert coded["semscale_outcome"].to_list()[1:] == ["no-answer"] * 6 + ["cannot-tell"]
    assert coded["semscale_reason"].to_list()[1:7] == ["missing"] * 3 + ["empty"] * 3
    message = "No text of ‘text’ is the code -99 for no answer: check its spelling (--missing)."
    assert message in " ".join(ended.out.split())
    assert "|missing:-+-99+n/a" in ended.out


def test_two_coders_and_an_earlier_run_have_alphas(code, answers):
    table = pl.read_csv(answers)
    table.with_columns(second=pl.col("hand")).write_csv(answers)
    assert code("--out", "first.csv").code == 0
    ended = code("--human", "hand", "--human", "second", "--other-run", "first.csv", "--json")
    assert ended.code == 0, ended.err
    for entry in json.loads(ended.out)["codes"]:
        assert entry["alpha_between_people"]["value"] == 1
        assert entry["alpha_between_runs"]["n"] > 0
        assert entry["alpha_with_people"]["value"] > 0.8


def test_a_rating_derived_from_the_answers_has_drivers(code):
    ended = code("--rate-scale", "quality", "--json")
    assert ended.code == 0, ended.err
    drivers = json.loads(ended.out)["drivers"]
    assert drivers["rating"] == "quality, as rated from the same answers"
    means = [entry["mean_without"] for entry in drivers["drivers"] if entry["mean_without"] is not None]
    assert means
    assert all(1 <= mean <= 5 for mean in means)


def test_drawn_rows_are_coded_and_used_by_the_printed_command(semscale, answers, tmp_path):
    table = pl.read_csv(answers)
    table.drop("hand").write_csv(answers)
    ended = semscale(
        "label", answers, "--text", "text", "--codebook", "codes.yaml", "--n", "40", "--out", "l.csv"
    )
    assert ended.code == 0, ended.err
    assert "40 of 68 answers drawn" in ended.out
    assert "forecast: with 40 hand-coded answers, corrected shares have intervals of ±" in ended.out
    assert "**power**: battery life" in (tmp_path / "l-instructions.md").read_text()
    sheet = pl.read_csv(tmp_path / "l.csv", schema_overrides={"human": pl.String})
    assert sheet["inclusion"].is_not_null().to_list() == [True] * 40 + [False] * 30
    by_word = (
        pl.col("text")
        .str.split(" ")
        .list.first()
        .replace_strict(dict(zip(TOPICS, NAMES, strict=True)), default="none")
    )
    filled = sheet.with_columns(human=pl.when(pl.col("inclusion").is_not_null()).then(by_word))
    filled.write_csv(tmp_path / "l.csv")
    then = shlex.split(ended.out.partition("then: semscale ")[2])
    ended = semscale(*then, "--json")
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    assert result["hand_coded"] == 40
    assert not any("random sample" in caution for caution in result["cautions"])
    for entry in result["codes"]:
        assert entry["corrected"]["low"] < 20 / 68 < entry["corrected"]["high"]
    refused = semscale("label", answers, "--text", "text", "--codebook", "codes.yaml", "--out", "l.csv")
    assert refused.code == 2
    assert "40 labels, which would be lost" in refused.err


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, ("--human", "hnad"), "did you mean 'hand'"),
        ({}, ("--inclusion", "stars"), "--inclusion belongs to --human"),
        ({}, ("--human", "region"), "no code 'south'"),
        ({}, ("--rating", "region"), "--rating: column 'region' has no number"),
        ({}, ("--rating", "stars", "--rate-scale", "quality"), "leave out --rating"),
        ({}, ("--given-from", "0.2"), "--unsure-from must be at most --given-from (0.2), got 0.25"),
        ({}, ("--other-run", "answers.csv"), "--other-run"),
        ({}, ("--by", "text"), "--by: column 'text' has the answers"),
        ({}, ("--by", "region", "--by", "region"), "--by: column 'region' is named twice"),
        ({}, ("--min-base", "0"), "--min-base must be >= 1, got 0"),
        ({}, ("--dry-run",), "--dry-run belongs to --chat-model"),
        ({}, ("--max-calls", "5"), "--max-calls belongs to --chat-model"),
        ({}, ("--reply", "prose"), "--reply needs --chat-model NAME"),
        ({}, ("--chat-model", "local", "--reply", "guess"), "--reply must be decision or prose"),
        ({"examples: [my": "exmples: [my", "examples: [the price": "exmples: [the price"}, (),
         "'codes.yaml', line 8: unknown key 'exmples' in codes; did you mean 'examples'?"),
        ({"examples: [the price rose, my price]": "examples: []"}, (), "at least 1 entry"),
        ({"price": "battery", "paid": "duration"}, (), "'power' and 'cost'"),
    ],
)  # fmt: skip
@pytest.mark.exhaustive
def test_bad_input_prints_a_single_line(code, tmp_path, change, options, message):
    text = BOOK
    for old, new in change.items():
        text = text.replace(old, new)
    (tmp_path / "codes.yaml").write_text(text)
    ended = code(*options)
    assert ended.code == 2
    assert message in ended.err
    assert ended.err.count("\n") == 1


def test_help_names_the_other_commands(capsys):
    assert main(["code", "--help"]) == 0
    assert "code suggest" in " ".join(capsys.readouterr().out.split())


@pytest.fixture
def decider():
    with deciding_endpoint() as result:
        # yes to whatever is asked where an answer says price
        result.masses = lambda asked, names, text: [0.1, 0.9] if "price" in text else [0.9, 0.1]
        yield result


@pytest.mark.exhaustive
@pytest.mark.needs("api")
def test_a_chat_model_is_asked_once_per_readable_answer(code, decider, monkeypatch, tmp_path):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    chat = ("--chat-model", "m", "--chat-url", decider.url)
    ended = code("--human", "hand", *chat, "--json")
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    asked = result["asked"]
    assert (asked["model"], asked["form"], asked["counts"]) == ("m", "decisions", {"scored": 68})
    assert "asked_model:m" in result["signature"]
    assert len(decider.requests) == asked["calls"] == asked["replies"] == 68
    assert asked["prompt_tokens"] == 68 * 20
    again = json.loads(code("--human", "hand", *chat, "--json").out)["asked"]
    assert len(decider.requests) == 68
    assert (again["calls"], again["prompt_tokens"], again["changes"]) == (0, 0, asked["changes"])


@pytest.mark.needs("api")
def test_the_page_states_what_a_chat_model_cost_and_changed(code, decider, monkeypatch, tmp_path):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "prices.yaml").write_text("per_tokens: 1000\nmodels: {m: {prompt: 0.5, completion: 1}}")
    decider.planned.append((429, {"error": {"message": "slow down"}}))  # the call is repeated
    chat = ("--chat-model", "m", "--chat-url", decider.url, "--prices", "prices.yaml")
    ended = code(*chat, "--report", "coded.md", "--json")
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    # 20 answers say price and get each code; before, only cost
    changes = {entry["code"]: (entry["n_gained"], entry["n_lost"]) for entry in result["asked"]["changes"]}
    n_given = {entry["code"]: entry["n_given"] for entry in result["codes"]}
    alone = {entry["code"]: entry["n_given"] for entry in json.loads(code("--json").out)["codes"]}
    assert changes.keys() == set(NAMES)
    assert any(gained or lost for gained, lost in changes.values())
    for name, (gained, lost) in changes.items():
        assert n_given[name] == alone[name] + gained - lost
    # 68 calls of 20 tokens at .5 for a thousand
    assert result["asked"]["money"] == pytest.approx(0.68)
    page = (tmp_path / "coded.md").read_text()
    assert "69 calls with 1,360 tokens of prompts and 0 tokens of replies, 0.68 USD" in page
    assert "Answers gained" in page


def test_the_worth_of_further_hand_codes_is_stated(code, answers, tmp_path):
    rows = pl.read_csv(answers).with_columns(half=pl.when(pl.int_range(pl.len()) % 2 == 0).then("hand"))
    rows.write_csv(answers)
    result = json.loads(code("--human", "half", "--report", "coded.md", "--json").out)
    further = result["further_labels"]
    # 34 of the 68 answers that can be read are coded
    assert (further["sizes"], further["answers"]) == ([34, 59], 68)
    for entry in result["codes"]:
        now = (entry["corrected"]["high"] - entry["corrected"]["low"]) / 2
        assert further["half_widths"][entry["code"]][0] == pytest.approx(now)
    assert (further["gain"]["n_few"], further["gain"]["n_many"]) == (17, 27)
    assert "Are more hand-coded answers worth it?" in (tmp_path / "coded.md").read_text()
    assert "the codes themselves reach an F1 of" in code("--human", "half").out
    # there is nothing to advise if all are coded
    assert json.loads(code("--human", "hand", "--json").out)["further_labels"] is None


@pytest.mark.needs("api")
def test_chat_model_hand_codes_sentiment_and_groups_work_together(
    code, answers, decider, monkeypatch, tmp_path
):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    opinions = ("I love the battery", "the price is awful", "a screen that pleases me", "my pet likes it")
    names = (*NAMES, "cost")  # only the chat model can tell that the last ones are about the cost
    rows = [
        {"text": f"{opinion} {n}", "hand": name if n < 15 else None, "region": "north" if n % 2 else "south"}
        for n in range(25)
        for opinion, name in zip(opinions, names, strict=True)
    ]
    pl.DataFrame([*rows, {"text": None, "hand": None, "region": "south"}]).write_csv(answers)
    words = {"power": ("battery",), "cost": ("price", "pet"), "display": ("screen",)}

    def decide(asked, _, text):
        (name,) = (name for name in NAMES if f'"{name}"' in asked)
        is_yes = any(word in text.partition("[BEGIN ANSWER")[2] for word in words[name])
        return [0.05, 0.95] if is_yes else [0.95, 0.05]

    decider.masses = decide
    chat = ("--chat-model", "m", "--chat-url", decider.url)
    ended = code(
        "--human", "hand", "--by", "region", *chat, "--out", "coded.csv", "--report", "coded.md", "--json"
    )
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    table = pl.read_csv(tmp_path / "coded.csv")
    for name in NAMES:
        # people and the chat model agree about all answers, so every decision is theirs
        truth = [any(word in text for word in words[name]) for text in table["text"][:-1]]
        assert table[f"semscale_{name}"].to_list() == [*map(int, truth), None]
        assert table[f"semscale_{name}_sentiment"].is_not_null().to_list() == [*truth, False]
        (entry,) = (entry for entry in result["codes"] if entry["code"] == name)
        assert (entry["n_given"], entry["corrected"]["value"]) == (
            sum(truth),
            pytest.approx(sum(truth) / 100, abs=0.001),
        )
        is_positive = table[f"semscale_{name}_sentiment"] > 3  # the middle of the scale
        assert (entry["sentiment"]["n"], entry["sentiment"]["n_positive"]) == (sum(truth), is_positive.sum())
        by_region = [share for share in result["group_shares"] if share["code"] == name]
        assert {share["group"]: share["n_given"] for share in by_region} == {
            region: table.filter(region=region)[f"semscale_{name}"].sum() for region in ("north", "south")
        }
    pets = table.filter(pl.col("text").str.contains("pet"))
    assert set(pets["semscale_cost_reason"]) == {"chat model"}
    assert pets["semscale_cost_evidence"].to_list() == pets["text"].to_list()
    assert all(entry["alpha_with_people"]["value"] == 1 for entry in result["codes"])
    assert result["further_labels"]["sizes"] == [60, 85]
    page = (tmp_path / "coded.md").read_text()
    for heading in (
        "Shares by",
        "Sentiment of each code",
        "Codes by “m”",
        "Are more hand-coded answers worth it?",
    ):
        assert heading in page


@pytest.mark.needs("api")
def test_an_output_of_a_different_run_is_refused_before_any_call(code, decider, monkeypatch, tmp_path):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    assert code("--out", "coded/").code == 0
    ended = code("--out", "coded/", "--chat-model", "m", "--chat-url", decider.url)
    assert ended.code == 2
    assert "chat_model was not set, now m" in ended.err
    assert decider.requests == []


@pytest.mark.exhaustive
@pytest.mark.needs("api")
def test_refusals_of_the_chat_model_are_counted_shown_and_in_the_table(code, decider, monkeypatch, tmp_path):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    decider.speaks = ("completions",)
    decider.say = lambda body: "I cannot help with that." if "screen 1" in json.dumps(body) else '{"1": []}'
    chat = ("--chat-model", "m", "--chat-url", decider.url, "--reply", "prose")
    ended = code(*chat, "--out", "coded.csv", "--report", "coded.md", "--json")
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    # screen 1 and screen 10 to 19
    asked = result["asked"]
    assert (asked["counts"], asked["partly"]) == ({"scored": 57, "refused": 11}, 0)
    (lost,) = asked["lost"]
    assert (lost["status"], lost["row"], lost["reply"]) == ("refused", 6, "I cannot help with that.")
    message = (
        "m gave no probability for every code of 11 of 68 answers (11 refused): codes without one depend on "
        "similarity alone."
    )
    assert message in result["cautions"]
    table = pl.read_csv(tmp_path / "coded.csv")
    refused = table.filter(pl.col("semscale_chat_status") == "refused")
    assert refused["text"].str.starts_with("screen 1").all()
    assert refused.height == 11
    assert refused["semscale_display_likeness"].null_count() == 0
    page = (tmp_path / "coded.md").read_text()
    assert "I cannot help with that." in page
    assert "11 refused" in page


@pytest.mark.exhaustive
@pytest.mark.needs("api")
def test_after_a_cap_a_dry_run_counts_the_remaining_calls(code, decider, monkeypatch, tmp_path):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    chat = ("--chat-model", "m", "--chat-url", decider.url)
    assert code(*chat, "--max-calls", "3").code == 3
    ended = code(*chat, "--dry-run", "--json")
    assert ended.code == 0, ended.err
    paid = len(decider.requests)
    result = json.loads(ended.out)
    (model,) = result["models"]
    # 68 answers can be read; one is uninformative and one is missing
    assert (result["asked"], result["left_out"], model["requests"]) == (
        68, {"uninformative": 1, "missing": 1}, 68,
    )  # fmt: skip
    assert 0 < model["answered"] <= 3
    assert code(*chat).code == 0
    assert len(decider.requests) - paid == model["calls"] == 68 - model["answered"]


def test_rows_are_left_out_and_derived_columns_are_groups(code, tmp_path):
    ended = code(
        "--human", "hand", "--where", "stars <= 3",
        "--derive", "level=CASE WHEN stars < 2 THEN 'under 2' WHEN stars >= 2 THEN '2 and over' END",
        "--by", "level", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    # 12 of 60 coded answers have 4 stars, and one row has none
    assert result["rows"] == 57
    assert result["cautions"][0].startswith("57 of 70 rows meet 'stars <= 3'")
    assert {share["group"]: share["readable"] for share in result["group_shares"]} == {
        "under 2": 24,
        "2 and over": 32,
    }


def test_thresholds_of_probabilities_have_no_effect_without_hand_codes(code):
    usual, changed = code().out, code("--given-from", "0.9", "--unsure-from", "0.8").out
    message = "had no effect, as no code has a probability (--given-from, --unsure-from)"
    assert message not in usual
    assert message in changed
    assert message not in code("--human", "hand", "--given-from", "0.9").out


def test_the_signature_names_thresholds_if_they_have_an_effect(code):
    assert "given_from" not in json.loads(code("--json").out)["signature"]
    signature = json.loads(code("--json", "--human", "hand").out)["signature"]
    assert "given_from:0.4" in signature
    assert "unsure_from:0.25" in signature


def test_the_screen_explains_the_asterisk_of_small_groups(code):
    shown = code("--by", "stars").out
    assert "* fewer than 30 answers: shown, not tested." in shown
    # No group of stars has 30 answers.
    assert "Not tested, with fewer than 30 answers in all groups but one" in shown


@pytest.mark.exhaustive
def test_columns_of_groups_have_shares_and_small_bases_are_not_tested(code, tmp_path):
    by = ("--human", "hand", "--by", "region", "--by", "stars")
    ended = code(*by, "--report", "coded.md", "--json")
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    by_column = [[test for test in result["tests"] if test["by"] == column] for column in ("region", "stars")]
    bases = {share["group"]: share["readable"] for share in result["group_shares"] if share["by"] == "stars"}
    # 60 answers with 0 to 4 stars, 12 of each, and 8 further ones with 2
    assert sorted(bases.values()) == [0, 12, 12, 12, 12, 20]
    assert {test["adjusted"] for test in by_column[1]} == {None}
    assert [test["groups"] for test in by_column[0]] == [["south", "north"]] * 3
    page = (tmp_path / "coded.md").read_text()
    assert "Shares by region" in page
    assert "Shares by stars" in page
    assert "fewer than 30 answers: shown, not tested" in page
    ended = code(*by, "--min-base", "15", "--json")
    result = json.loads(ended.out)
    assert result["min_base"] == 15
    assert [test["groups"] for test in result["tests"] if test["by"] == "stars"] == [["2"]] * 3
    shown = code(*by).out
    assert "Shares by region\n" in shown
    assert "Shares by stars\n" in shown
    ended = code(*by, "--min-base", "12", "--json")
    tests = json.loads(ended.out)["tests"]
    assert [sorted(test["groups"]) for test in tests if test["by"] == "stars"] == [list("01234")] * 3


def test_weights_strata_and_respondents_count_in_shares_and_tests(code, answers):
    table = pl.read_csv(answers).with_row_index("row")
    weighted = table.with_columns(
        w=pl.when(pl.col("text").str.starts_with("battery")).then(3.0).otherwise(1.0),
        who=pl.col("row") // 2,
        part=pl.col("row") % 2,
    )
    weighted.write_csv(answers)
    ended = code("--by", "region", "--weight", "w", "--strata", "region", "--json")
    assert ended.code == 2
    assert "--strata: column 'region' is empty in data row 70" in ended.err
    ended = code("--weight", "w", "--strata", "region", "--where", "row > 5")
    assert "--strata: column 'region' is empty in data row 70" in ended.err
    ended = code("--by", "region", "--weight", "w", "--respondent", "who", "--out", "coded.csv", "--json")
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    readable = pl.read_csv("coded.csv").filter(pl.col("semscale_power_likeness").is_not_null())
    share = (readable["w"] * readable["semscale_power"].fill_null(0)).sum() / readable["w"].sum()
    assert result["codes"][0]["counted"]["value"] == pytest.approx(share)
    assert {test["kind"] for test in result["tests"]} == {"counted, weighted"}
    assert (result["weight"], result["clusters"], result["strata"]) == ("w", "who", None)
    ended = code("--human", "hand", "--weight", "w", "--strata", "part", "--report", "coded.html", "--json")
    assert ended.code == 0, ended.err
    # all readable answers are coded by hand; the 20 about the battery weigh 60 of 108
    assert json.loads(ended.out)["codes"][0]["corrected"]["value"] == pytest.approx(60 / 108)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("-1", "--weight: column 'w' must hold 0 or numbers from 1e-100 to 1e100"),
        ("0", "the weights in column 'w' sum to 0"),
    ],
)
def test_wrong_weights_print_a_single_line(code, answers, weight, message):
    pl.read_csv(answers).with_columns(w=pl.lit(weight)).write_csv(answers)
    ended = code("--weight", "w")
    assert ended.code == 2
    assert message in ended.err
    assert ended.err.count("\n") == 1


def test_a_respondent_in_two_strata_is_refused_in_a_single_line(code, answers):
    table = pl.read_csv(answers).with_row_index("row")
    table.with_columns(who=pl.col("row") // 2, part=pl.col("row") % 2).write_csv(answers)
    ended = code("--respondent", "who", "--strata", "part")
    assert ended.code == 2
    assert "--respondent: '0' lies in more than one of the strata" in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "stopped; nothing was written"),
        (["--out", "coded.csv"], "stopped; finished parts are stored"),
    ],
)
def test_a_stop_while_the_model_loads_speaks_of_no_ledger(code, monkeypatch, options, message):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(loading, "load_embedder", stop)
    ended = code(*options)
    assert ended.code == 3
    assert message in ended.err
    assert "ledger" not in ended.err


def test_groups_have_the_order_and_the_title_of_the_description(code, answers, tmp_path):
    stars = pl.read_csv(answers)["stars"].drop_nulls().unique().sort(descending=True).to_list()
    values = ", ".join(f'{{value: "{star}", label: "{star} stars"}}' for star in stars)
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nquestions:\n"
        f"  - {{name: stars, kind: single, title: Stars of the stay, values: [{values}]}}\n"
    )
    ended = code("--by", "stars", "--report", "code.html")
    assert ended.code == 0, ended.err
    heads = ended.out.partition("Shares by Stars of the stay\n")[2].splitlines()[0]
    assert re.split(r"\s{2,}", heads)[1:-1] == [f"{star} stars" for star in stars] + ["no group"]
    assert "<h2>Shares by <bdi>Stars of the stay</bdi></h2>" in (tmp_path / "code.html").read_text()


def test_a_page_says_which_numbers_are_weighted_and_keeps_the_p_value_in_view(code, answers, tmp_path):
    table = pl.read_csv(answers).with_columns(w=pl.Series([1.0, 2.0] * 35))
    table.write_csv(answers)
    ended = code("--weight", "w", "--by", "region", "--rating", "stars", "--report", "code.html")
    assert ended.code == 0, ended.err
    page = (tmp_path / "code.html").read_text()
    for head in (
        "Assigned, unweighted",
        "Counted share, weighted",
        "Answers, unweighted",
        "Without it, unweighted",
    ):
        assert f">{head}</th>" in page
    groups = page.partition('<section id="groups">')[2].partition("</section>")[0]
    assert '<table class="crosstab keeps-last">' in groups
    assert '<small class="interval">' in groups
    plain = code("--by", "region", "--report", "code.html")
    assert "weighted" not in plain.out
