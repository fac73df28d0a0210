"""Questions about options, measured by typed decisions: counts, shares, means of numbers and mean ranks."""

import json

import polars as pl
import pytest
from tests.schema_check import check_json

from semscale.chat.decisions import DecisionAnswer, DecisionAnswers, DecisionLimits
from semscale.errors import InputError
from semscale.signature import Signature
from semscale.study import compare, panel_tables, read_study
from semscale.study.questionnaire import TYPES, StudyQuestion

SCALE = '  - {name: intent, text: "Would you buy it?", scale: purchase-intent, methods: [ssr, flr, dlr]}\n'
OPTIONS = """\
  - {name: where, text: "Where would you buy it?", type: choice, options: [shop, web, nowhere]}
  - {name: when, text: "When would you eat it?", type: choices, options: [morning, evening]}
  - {name: times, text: "How often a week?", type: number, options: [0, 2, 4]}
  - {name: best, text: "What matters?", type: ranking, options: [taste, price, look]}
"""

# By persona: where; yes to morning and evening; times; taste over price, taste over look, price over look.
ANSWERS = {
    "Ann": ([0.8, 0.2, 0.0], [0.9, 0.2], [0.0, 0.0, 1.0], [0.9, 0.8, 0.6]),
    "Bob": ([0.5, 0.5, 0.0], [0.3, 0.6], [0.5, 0.5, 0.0], [0.5, 0.5, 0.5]),
    "Cid": ([0.2, 0.3, 0.5], [0.3, 0.7], [0.5, 0.5, 0.0], None),
}


class Decider:
    """A decision model that answers each persona by a table."""

    def __init__(self):
        self.name, self.signature, self.limits = (
            "decider",
            Signature.of("chat", model="decider"),
            DecisionLimits(),
        )
        self.asked = []

    async def decide(self, request):
        self.asked.append(request)
        persona = next(name for name in ANSWERS if name in request.messages[0].text)
        where, when, times, best = ANSWERS[persona]
        names = list(request.questions)
        if names[0].startswith("option"):
            masses = [[1 - share, share] for share in when]
        elif names[0].startswith("pair"):
            masses = [[share, 1 - share] for share in best or []]
        else:
            masses = [times if "often" in request.questions["answer"].instructions else where]
        if not masses:
            refused = DecisionAnswer(reason="no opinion", refused=True)
            return DecisionAnswers(dict.fromkeys(names, refused), model="decider-1")
        answers = {name: DecisionAnswer.of(row) for name, row in zip(names, masses, strict=True)}
        return DecisionAnswers(answers, model="decider-1")


@pytest.fixture
def result(written, running):
    """A run of four questions about options, on three personas and two concepts."""
    return written((SCALE, OPTIONS)).run(Decider(), running=running)


def test_this_module_asks_every_type_of_question(result):
    assert {"scale", *(asked.type for asked in result.design.questionnaire.questions)} == {*TYPES}


def options(summary, question, figure="share"):
    rows = summary.figures.select(figure, question=question, concept="oat", by="option")
    return {row.level: row for row in rows}


def values(rows):
    return {option: row.value for option, row in rows.items()}


def test_shares_are_mean_probabilities_over_personas(result):
    summary = result.summary()
    where = options(summary, "where")
    assert where["shop"].n == 3
    assert values(where) == pytest.approx({"shop": 0.5, "web": 1 / 3, "nowhere": 0.5 / 3})
    assert where["shop"].low < 0.5 < where["shop"].high
    # Every option of several is a share of its own: (.9 + .3 + .3) / 3 and (.2 + .6 + .7) / 3.
    assert values(options(summary, "when")) == pytest.approx({"morning": 0.5, "evening": 0.5})


def test_numbers_have_a_mean(result):
    summary = result.summary()
    # 4 once and 1 twice.
    (mean,) = summary.figures.select("mean", question="times", concept="oat")
    assert mean.value == pytest.approx(2)
    assert values(options(summary, "times")) == pytest.approx({"0": 1 / 3, "2": 1 / 3, "4": 1 / 3})


def test_rankings_have_mean_ranks_and_a_refusal_is_left_out(result):
    best = options(result.summary(), "best", "mean_rank")
    # Ann: 1 + .1 + .2, 1 + .9 + .4 and 1 + .8 + .6; Bob 2 for each; Cid refuses.
    assert (best["taste"].n, best["taste"].n_left_out) == (2, 1)
    assert values(best) == pytest.approx({"taste": 1.65, "price": 2.15, "look": 2.2})
    refused = result.answers.filter(question="best", persona="cid")
    assert (set(refused["status"]), set(refused["reason"])) == ({"refused"}, {"no opinion"})
    assert refused["pmf"].null_count() == 2


def test_answers_have_probabilities_and_no_value(result):
    rows = result.answers.filter(question="where", persona="ann")
    assert rows["pmf"].to_list() == [[0.8, 0.2, 0.0]] * 2
    assert rows["value"].null_count() == 2
    assert set(result.answers["method"]) == {"decision"}


def test_report_and_json_have_them(result, tmp_path):
    summary = result.summary()
    check_json(summary.to_json())
    content = json.loads(summary.to_json())
    assert [(item["question"], item["type"]) for item in content["questions"]] == [
        ("where", "choice"), ("when", "choices"), ("times", "number"), ("best", "ranking"),
    ]  # fmt: skip
    figures = {
        (row["figure"], row["level"]): row["value"] for row in content["results"] if row.get("by") == "option"
    }
    assert figures["share", "shop"] == pytest.approx(0.5)
    assert figures["mean_rank", "taste"] == pytest.approx(1.65)
    summary.report(tmp_path / "r.md")
    text = (tmp_path / "r.md").read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ")
    assert "Share of each option in “where”, with 95 % simulation intervals" in text
    assert "Mean rank in “best”" in text
    assert "| Answers | 3 | 3 |" in text


def test_a_saved_run_has_them(result, tmp_path):
    result.save(tmp_path / "stored")
    read = read_study(tmp_path / "stored")
    assert read.design == result.design
    assert read.summary().figures.select("share") == result.summary().figures.select("share")


def test_a_reply_in_a_conversation_is_the_likeliest_answer(written, running):
    sequence = ("groups: [age]", "groups: [age]\nexposure: sequence\nrotation: none")
    decider = Decider()
    written((SCALE, OPTIONS), sequence).run(decider, running=running)
    longest = max(
        (item for item in decider.asked if "Bob" in item.messages[0].text),
        key=lambda item: len(item.messages),
    )
    replies = [message.text for message in longest.messages if message.role == "assistant"]
    assert replies[:4] == ["shop", "evening", "0", "taste, price, look"]


def test_no_likely_option_is_none_of_these():
    question = StudyQuestion("when", "When?", type="choices", options=("morning", "evening"))
    answers = {name: DecisionAnswer.of([0.8, 0.2]) for name in question.decisions}
    assert question.reply(answers) == "none of these"


def test_tables_and_comparisons_with_people_take_scales_alone(written, played, running, toy_embedder, result):
    with pytest.raises(InputError, match="no question with a scale"):
        panel_tables(result)
    both = written(("[ssr, flr, dlr]}", "[dlr]}\n" + OPTIONS.rstrip()))
    mixed = both.run(played, embedder=toy_embedder, running=running)
    assert [table.question.name for table in panel_tables(mixed).tables] == ["intent"]
    people = pl.DataFrame({"bar": ["oat", "nut"] * 4, "intent": [1, 2, 3, 4, 5, 5, 4, 3]})
    assert [item.name for item in compare(mixed, people, concept="bar", splits=20).questions] == ["intent"]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("text: A, type: choice", "question 'a' needs options, as every question with the type choice"),
        ("scale: trust", "question 'a' needs methods, as every question with a scale"),
        ("text: A, type: choice, options: [x]", "options must be 2 to 10, got 1"),
        ("text: A, type: choice, options: [x, x]", "option 'x' is named twice"),
        ("text: A, type: number, options: [1, x]", "options of a number must be numbers, got 1, x"),
        ("text: A, type: number, options: [2, 1]", "options of a number must ascend, got 2, 1"),
        (
            "text: A, type: choice, options: [x, y], scale: trust",
            "scale does not belong to a question",
        ),
        ("scale: trust, methods: [dlr], options: [x, y]", "options does not belong to a question of type"),
        ("text: A, type: choise, options: [x, y]", "question 1, type"),
        ("text: A, type: choice, options: [yes, no]", "question 1, options, 1 must be text"),
    ],
)
def test_mistakes_are_named_with_their_line(written, keys, message):
    with pytest.raises(InputError, match=f"line 11: {message}"):
        written((SCALE, f"  - {{name: a, {keys}}}\n"))
