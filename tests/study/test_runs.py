"""Whole runs of a study on a model that is played, and on the local model."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from tests.study.conftest import refusal

from semscale.chat.budget import Price, PriceTable
from semscale.chat.messages import ImagePart, Message, Parameters, Reply, Request, TextPart
from semscale.chat.runner import Running
from semscale.chat.settings import Budget, Limits
from semscale.errors import SemscaleError
from semscale.scales import load_scale
from semscale.study import load, read_study
from semscale.study.interviews import PointReader
from semscale.study.questionnaire import parse_study
from semscale.study.result import PROMPT_SCHEMA, Study, prompt_frame
from semscale.types import Status

SEQUENCE = ("groups: [age]", "groups: [age]\nexposure: sequence\nrotation: none")


def asked_of(played, kind):
    """Requests by what was asked for: words, number or rating."""
    ratings = [r for r in played.asked if "expert in Likert" in r.messages[0].text]
    numbers = [r for r in played.asked if r not in ratings and "one of these numbers" in r.messages[-1].text]
    words = [r for r in played.asked if r not in ratings and r not in numbers]
    return {"words": words, "number": numbers, "rating": ratings}[kind]


def test_three_methods_measure_the_same_personas(written, played, running, toy_embedder):
    result = written().run(played, embedder=toy_embedder, running=running)
    rows = result.answers
    assert rows.height == 18
    assert rows.filter(method="dlr")["value"].to_list() == [4.0] * 6
    assert rows.filter(method="flr")["value"].to_list() == [5.0] * 6
    assert rows.filter(method="flr")["pmf"].to_list()[0] == [0, 0, 0, 0, 1]
    assert rows.filter(method="flr")["rating_reply"].to_list() == ["5"] * 6
    # The same words serve SSR and FLR: 3 personas x 2 concepts each.
    assert len(asked_of(played, "words")) == len(asked_of(played, "number")) == 6
    assert rows.filter(method="ssr")["reply"].equals(rows.filter(method="flr")["reply"])
    assert rows["persona"].unique(maintain_order=True).to_list() == ["ann", "bob", "cid"]


def test_the_persona_stands_before_the_question(written, played, running, toy_embedder):
    written().run(played, embedder=toy_embedder, running=running)
    first = asked_of(played, "words")[0]
    assert [message.role for message in first.messages] == ["system", "user"]
    assert first.messages[0].text.startswith("You are Ann, 30 years old.")
    assert "A bar of oats." in first.messages[1].text
    assert "Would you buy it?" in first.messages[1].text
    assert (first.parameters.temperature, first.parameters.max_tokens) == (0.5, 40)


def test_rating_is_a_fresh_conversation_about_the_answer_text_only(written, played, running, toy_embedder):
    written().run(played, embedder=toy_embedder, running=running)
    rating = asked_of(played, "rating")[0]
    stated = " ".join(message.text for message in rating.messages)
    assert "I would probably buy it." in stated
    assert "Ann" not in stated
    assert rating.parameters.temperature == 0


def test_refusals_have_a_status_and_no_value(written, played, running, toy_embedder):
    played.words = lambda request: (
        "I'm sorry, but I can't help with that." if "Bob" in request.messages[0].text else "I would buy it."
    )
    played.number = lambda request: refusal() if "Bob" in request.messages[0].text else "maybe 2 or 3"
    result = written().run(played, embedder=toy_embedder, running=running)
    bob = result.answers.filter(persona="bob")
    assert set(bob["status"]) == {"refused"}
    assert bob["value"].null_count() == bob.height == 6
    ann = result.answers.filter(persona="ann", method="dlr")
    assert ann["status"].to_list() == ["unparsable"] * 2
    assert ann["value"].to_list() == [None, None]
    # Nobody rates words that decline to answer: two of three personas, two concepts.
    assert result.answers.filter(method="flr")["rating_reply"].null_count() == 2
    counts = result.summary().figures.select("answers", question=None)
    by_group = {(row.method, row.level, row.status): row.value for row in counts}
    assert by_group["ssr", None, "refused"] == 2
    assert [by_group["dlr", "60", status] for status in ("scored", "refused", "unparsable")] == [0, 2, 2]


@pytest.mark.parametrize("stated", ["4", " 9. ", "2 or 3", "4/5", "**4**", "4 out of 5"])
def test_number_instead_of_text_has_no_similarity_rating(written, played, running, toy_embedder, stated):
    played.words = lambda request: (
        stated if "Bob" in request.messages[0].text else "4 bars? I would buy them."
    )
    result = written().run(played, embedder=toy_embedder, running=running)
    bob, ann = (result.answers.filter(persona=name, method="ssr") for name in ("bob", "ann"))
    assert (bob["status"].to_list(), bob["value"].to_list()) == (["unparsable"] * 2, [None] * 2)
    assert "a number and no words" in bob["reason"][0]
    assert bob["reply"].to_list() == [stated] * 2
    assert set(ann["status"]) == {"scored"}
    # The expert can still say which point a number stands for.
    assert set(result.answers.filter(persona="bob", method="flr")["status"]) == {"scored"}


def test_an_embedder_that_is_missing_shows_before_a_call_is_paid(written, played, running, tmp_path):
    with pytest.raises(SemscaleError, match="no-such-model"):
        written().run(played, embedder=str(tmp_path / "no-such-model"), running=running)
    assert played.asked == []


def test_a_run_goes_on_where_a_cap_stopped_it(written, played, running, toy_embedder):
    study = written()
    capped = Running(ledger=running.ledger, budget=Budget(calls=7))
    first = study.run(played, embedder=toy_embedder, running=capped)
    assert first.facts.calls == 7
    assert "the cap of 7 calls is reached" in first.facts.stopped
    assert "unfinished" in first.answers["status"].to_list()
    again = study.run(played, embedder=toy_embedder, running=running)
    assert again.facts.stopped is None
    assert set(again.answers["status"]) == {"scored"}
    # 3 personas x 2 concepts x (words, rating, number), less equal ratings of equal words, each paid once:
    # the words are all the same, so there is one rating. 6 + 1 + 6 = 13 calls in all.
    assert first.facts.calls + again.facts.calls == len(played.asked) == 13


def test_a_finished_run_costs_nothing_again(written, played, running, toy_embedder):
    study = written()
    first = study.run(played, embedder=toy_embedder, running=running)
    n = len(played.asked)
    second = study.run(played, embedder=toy_embedder, running=running)
    assert (len(played.asked), second.facts.calls) == (n, 0)
    assert second.answers.drop("seconds").equals(first.answers.drop("seconds"))
    assert second.signature == first.signature


def test_costs_include_all_calls_behind_an_answer(written, played, running, toy_embedder):
    prices = PriceTable({"played": Price(0.1, 1.0, "EUR")})
    priced = Running(ledger=running.ledger, prices=prices)
    result = written().run(played, embedder=toy_embedder, running=priced)
    # 10 tokens at 0.1 and 5 at 1.0.
    assert result.answers["cost"].to_list() == pytest.approx([6.0] * 18)
    alone = written(("[ssr, flr, dlr]", "[flr]")).run(played, embedder=toy_embedder, running=priced)
    # Without SSR the words count with FLR: two calls an answer.
    assert alone.answers["cost"].to_list() == pytest.approx([12.0] * 6)
    assert alone.answers["tokens"].to_list() == [30] * 6


def test_equal_personas_have_separate_replies(written, played, running, toy_embedder):
    twins = "persona,name,age\na,Ann,30\nb,Ann,30\n"
    study = written(("[ssr, flr, dlr]", "[dlr]"), ("groups: [age]", "samples: 2"), people=twins)
    study.run(played, embedder=toy_embedder, running=running)
    assert sorted(request.sample for request in played.asked) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_in_a_sequence_earlier_concepts_and_answers_are_in_view(written, played, running, toy_embedder):
    study = written(SEQUENCE, ("[ssr, flr, dlr]", "[flr]"))
    result = study.run(played, embedder=toy_embedder, running=running)
    ann = [r for r in asked_of(played, "words") if "Ann" in r.messages[0].text]
    later = max(ann, key=lambda request: len(request.messages))
    assert [message.role for message in later.messages] == ["system", "user", "assistant", "user"]
    assert "A bar of oats." in later.messages[1].text
    assert later.messages[2].text == "I would probably buy it."
    assert "A bar of nuts." in later.messages[3].text
    assert result.answers.filter(persona="ann")["concept_position"].to_list() == [1, 2]


def test_a_failed_call_is_no_turn_of_the_conversation(written, played, running, toy_embedder):
    study = written(SEQUENCE, ("[ssr, flr, dlr]", "[dlr]"))
    played.number = lambda request: refusal() if "oats" in request.messages[-1].text else "3"
    result = study.run(played, embedder=toy_embedder, running=running)
    assert {len(request.messages) for request in played.asked} == {2}
    assert result.answers.filter(concept="nut")["value"].to_list() == [3.0] * 3


def test_rotation_balances_the_first_position(written, played, running, toy_embedder):
    people = "persona,name,age\n" + "".join(f"p{n},N{n},30\n" for n in range(8))
    study = written(("groups: [age]", "exposure: sequence"), ("[ssr, flr, dlr]", "[dlr]"), people=people)
    # What stands first gets a 5, what stands second a 3: the effect is 2.
    played.number = lambda request: "5" if len(request.messages) == 2 else "3"
    result = study.run(played, embedder=toy_embedder, running=running)
    first = result.answers.filter(pl.col("concept_position") == 1)
    assert first["concept"].value_counts().sort("concept").rows() == [("nut", 4), ("oat", 4)]
    (effect,) = result.summary().figures.select("order_effect")
    assert (effect.by, effect.value) == ("concept", pytest.approx(2.0))


def test_a_model_without_decisions_gives_that_method_a_reason(written, played, running, toy_embedder):
    study = written(("[ssr, flr, dlr]", "[dlr, decision]"))
    result = study.run(played, embedder=toy_embedder, running=running)
    decided = result.answers.filter(method="decision")
    assert set(decided["status"]) == {"failed"}
    assert "takes no decisions" in decided["reason"][0]
    assert set(result.answers.filter(method="dlr")["status"]) == {"scored"}


def test_study_result_is_saved_in_a_folder(written, played, running, toy_embedder, tmp_path):
    result = written().run(played, embedder=toy_embedder, running=running)
    result.save(tmp_path / "stored")
    assert pl.read_parquet(tmp_path / "stored" / "answers.parquet").equals(result.answers)
    assert pl.read_parquet(tmp_path / "stored" / "panel.parquet").height == 3
    assert '"instrument": "study run"' in (tmp_path / "stored" / "study.json").read_text()
    assert repr(result) == "StudyResult('bars', answers=18, scored=18)"
    assert len(set(result.answers["prompt"])) == 12


def test_a_raked_panel_weighs_its_personas(written, played, running, toy_embedder, tmp_path):
    # Ann is the one of three who is 30, and is to be a half: weights 1.5, 0.75 and 0.75.
    margins = ("file: people.csv", 'file: people.csv, marginals: {age: {"30": 50, "60": 50}}')
    picks = {"Ann": "5", "Bob": "3", "Cid": "1"}
    played.number = lambda request: next(n for who, n in picks.items() if who in request.messages[0].text)
    played.rating = lambda request: "3"
    study = written(margins, ("[ssr, flr, dlr]", "[flr, dlr]"))
    result = study.run(played, embedder=toy_embedder, running=running)
    summary = result.summary()
    (overall,) = summary.figures.select("mean", method="dlr", concept=None, by=None)
    # (1.5 * 5 + .75 * 3 + .75 * 1) / 3; without weights it were 3.
    assert overall.value == pytest.approx(3.5)
    by_age = summary.figures.select("mean", method="dlr", by="age")
    assert [group.value for group in by_age] == pytest.approx([5.0, 2.0])
    # flr is 3 throughout: 3 less 3.5.
    assert summary.figures.select("paired_difference")[0].value == pytest.approx(-0.5)
    # 9 over 2.25 + 2 * .5625.
    assert summary.record()["effective_personas"] == pytest.approx(9 / 3.375)
    stated = str(summary.document())
    assert "3 personas (weighted; effective size 2.7), 2 concepts" in stated
    assert "from 0.75 to 1.50 with mean 1" in stated
    result.save(tmp_path / "stored")
    assert read_study(tmp_path / "stored").design.panel == result.design.panel


def test_every_prompt_is_stored_with_its_messages(written, played, running, toy_embedder):
    result = written().run(played, embedder=toy_embedder, running=running)
    prompts = dict(zip(result.prompts["prompt"], result.prompts["messages"], strict=True))
    for row in result.answers.iter_rows(named=True):
        system, user = json.loads(prompts[row["prompt"]])
        assert system["content"][0]["text"].startswith(f"You are {row['persona'].title()}")
        assert {"oat": "A bar of oats.", "nut": "A bar of nuts."}[row["concept"]] == user["content"][0][
            "text"
        ]
        assert (row["rating_prompt"] is not None) == (row["method"] == "flr")
    rated = result.answers["rating_prompt"].drop_nulls().unique()
    assert all("Answer: I would probably buy it." in prompts[prompt] for prompt in rated)
    settings = dict(zip(result.prompts["prompt"], result.prompts["parameters"], strict=True))
    assert json.loads(settings[rated[0]]) == {"temperature": 0.0, "max_tokens": 40}
    # What was sent is what is kept: one row for each different call.
    assert result.prompts.height == len({repr(request) for request in played.asked})


def test_picture_is_stored_as_its_hash(written, played, running, toy_embedder, tmp_path):
    (tmp_path / "bar.gif").write_bytes(b"GIF89a and more")
    picture = ("text: A bar of oats.", "text: A bar of oats., images: [bar.gif]")
    stored = written(picture).run(played, embedder=toy_embedder, running=running).prompts
    # SHA-256 of data:image/gif;base64,R0lGODlhIGFuZCBtb3Jl, by sha256sum.
    assert (
        stored["messages"]
        .str.contains("sha256:f13a67373420f684af5e11fc632879491c7bef8c24db293c859756c0a7f65317")
        .any()
    )
    assert not stored["messages"].str.contains("base64").any()


def test_every_call_of_a_prompt_has_a_row():
    shown = Message("user", (TextPart("Look."), ImagePart("https://example.org/a.png")))
    first = Request((shown,), Parameters(temperature=0.5, max_tokens=7), 2)
    frame = prompt_frame({"ab": (first, Request.of("Again?"))})
    assert dict(frame.schema) == PROMPT_SCHEMA
    assert frame.select("prompt", "call", "sample").rows() == [("ab", 1, 2), ("ab", 2, 0)]
    single, other = map(json.loads, frame["messages"])
    assert single == [
        {"role": "user", "content": [{"text": "Look."}, {"image": "https://example.org/a.png"}]}
    ]
    assert other == [{"role": "user", "content": [{"text": "Again?"}]}]
    assert [json.loads(item) for item in frame["parameters"]] == [{"temperature": 0.5, "max_tokens": 7}, {}]


def test_nothing_sent_is_an_empty_table():
    assert prompt_frame({}).height == 0


@pytest.mark.parametrize(
    ("text", "status", "point"),
    [
        ("1", Status.SCORED, 0),
        ("5", Status.SCORED, 4),
        ("Score: 3", Status.SCORED, 2),
        ("7", Status.UNPARSABLE, None),
        ("2 or 3", Status.UNPARSABLE, None),
        ("no idea, really", Status.UNPARSABLE, None),
        ("I'm sorry, but I can't help with that.", Status.REFUSED, None),
        ("  ", Status.EMPTY, None),
    ],
)
def test_only_a_stated_point_is_read_as_a_point(text, status, point):
    assert PointReader(load_scale("purchase-intent")).read(Reply(text)) == (status, point)


def test_values_need_not_begin_at_1():
    # 0 to 10: the number 7 is the eighth point.
    assert PointReader(load_scale("recommendation")).read(Reply("7"))[1] == 7


def test_a_number_at_the_end_of_a_cut_reply_may_begin_another():
    reader = PointReader(load_scale("recommendation"))
    assert reader.read(Reply("1"))[1] == 1
    assert reader.read(Reply("1", finish_reason="length")) == (Status.UNPARSABLE, None)


EXAMPLE = Path(__file__).parents[2] / "examples" / "study"


def test_the_example_is_a_study():
    study = load(EXAMPLE / "snack_bars.yaml")
    # 6 personas x 2 concepts x 4 methods.
    assert study.design.n_answers == 48
    assert study.design.models[0].name == "local"


@pytest.mark.needs("local")
def test_it_runs_on_the_local_model(tmp_path):
    text = (EXAMPLE / "snack_bars.yaml").read_text(encoding="utf-8")
    people = (EXAMPLE / "personas.csv").read_text(encoding="utf-8").splitlines()[:2]
    (tmp_path / "personas.csv").write_text("\n".join(people))
    design = parse_study(text.encode(), source="snack_bars.yaml", folder=tmp_path)
    result = Study(design).run(running=Running(ledger=tmp_path / "ledger.sqlite"))
    assert result.answers.height == 8  # 1 persona x 2 concepts x 4 methods
    # Decisions have probabilities and no words.
    assert result.answers.filter(pl.col("method") != "decision")["reply"].null_count() == 0
    assert result.facts.form == "next-token"
    assert set(result.answers.filter(method="decision")["status"]) == {"scored"}
    assert "scored" in result.answers.filter(method="ssr")["status"].to_list()
    unrated = result.answers.filter(pl.col("status") != "scored")
    assert unrated["value"].null_count() == unrated.height


MANY = "persona,name,age\n" + "".join(f"p{number},P{number},30\n" for number in range(50))
VAGUE = "somewhere in the middle"


@pytest.fixture
def sequential(running):
    return replace(running, limits=Limits(concurrency=1))


@pytest.mark.parametrize(("unread", "method"), [("number", "dlr"), ("rating", "flr")])
def test_a_run_stops_after_20_numbers_in_a_row_that_cannot_be_read(
    unread, method, written, played, running, toy_embedder
):
    played.words = lambda request: f"{request.messages[0].text} {request.messages[1].text} So I would."
    setattr(played, unread, lambda _: VAGUE)
    result = written(people=MANY).run(played, embedder=toy_embedder, running=running)
    # Of 50 personas x 2 concepts; the calls in flight, at most 16, may still come.
    assert 20 <= len(asked_of(played, unread)) <= 20 + 16
    assert f"replies in a row could not be read, such as '{VAGUE}'" in result.facts.stopped
    assert "--retry-unparsable" in result.facts.stopped
    assert result.answers.filter(method=method, status="unparsable").height >= 20
    assert result.n_unfinished > 0


@pytest.mark.exhaustive
def test_shared_reply_about_equal_answers_counts_once(written, played, sequential, toy_embedder):
    # All personas write the same words, so that the expert is asked once.
    played.rating = lambda _: VAGUE
    result = written(people=MANY).run(played, embedder=toy_embedder, running=sequential)
    assert len(asked_of(played, "rating")) == 1
    assert result.facts.stopped is None
    assert result.answers.filter(method="flr")["status"].unique().to_list() == ["unparsable"]


@pytest.mark.exhaustive
def test_a_number_that_can_be_read_or_declines_ends_a_row(written, played, sequential, toy_embedder):
    block = [*[VAGUE] * 14, "I'm sorry, but I can't help with that.", *[VAGUE] * 14]
    replies = iter(["3", *block, "3", *block, "3", *block, "3", *block])
    played.number = lambda _: next(replies)
    result = written(people=MANY).run(played, embedder=toy_embedder, running=sequential)
    assert result.facts.stopped is None
    # Of 100 replies, the 1st, 31st, 61st and 91st are a number, and the 16th, 46th and 76th decline.
    counts = dict(result.answers.filter(method="dlr")["status"].value_counts().rows())
    assert counts == {"scored": 4, "refused": 3, "unparsable": 93}


def test_numbers_that_could_not_be_read_are_asked_for_again(written, played, running, toy_embedder):
    played.number = lambda _: VAGUE
    study = written(people=MANY)
    assert study.run(played, embedder=toy_embedder, running=running).facts.stopped is not None
    played.number = lambda _: "4"
    again = study.run(played, embedder=toy_embedder, running=replace(running, retry_unreadable=True))
    assert again.facts.stopped is None
    assert again.answers.filter(method="dlr")["value"].to_list() == [4.0] * 100
