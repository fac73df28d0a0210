"""Studies whose panel is asked with several models."""

from dataclasses import replace

import pytest
from python_calamine import CalamineWorkbook
from tests.study.conftest import PlayedModel

from semscale.chat.ledger import Ledger
from semscale.chat.runner import Running
from semscale.chat.settings import Budget
from semscale.errors import InputError, UnknownNameError
from semscale.report.markdown import markdown
from semscale.report.presenting import document_of
from semscale.report.tables import finding
from semscale.signature import Signature
from semscale.study import compare, panel_tables, read_study
from semscale.tabulation.settings import TestSettings

TWO = (
    "model: {name: local, temperature: 0.5, max_tokens: 40}",
    "model: [local, {name: other, max_tokens: 9}]",
)
DIRECT = ("[ssr, flr, dlr]", "[dlr]")
WHO = ("Ann", "Bob", "Cid")


def who(request):
    return next(position for position, name in enumerate(WHO) if name in request.messages[0].text)


@pytest.fixture
def models(played):
    """Two models: the first picks 2, 3 and 4 as Ann, Bob and Cid, the other one always a point less."""
    other = PlayedModel()
    other.name, other.signature = "other", Signature.of("chat", model="other")
    played.number = lambda request: str(2 + who(request))
    other.number = lambda request: str(1 + who(request))
    return [played, other]


@pytest.fixture
def result(written, models, running, toy_embedder):
    return written(TWO, DIRECT).run(models, embedder=toy_embedder, running=running)


def test_whole_panel_is_asked_by_every_model(result, models):
    assert result.answers["asked_model"].to_list() == ["played"] * 6 + ["other"] * 6
    assert [len(model.asked) for model in models] == [6, 6]
    # Settings are those of each model in the file.
    assert [model.asked[0].parameters.max_tokens for model in models] == [200, 9]
    assert [(item.model, item.calls) for item in result.facts.by_model] == [("played", 6), ("other", 6)]
    assert (result.facts.calls, result.facts.tokens) == (12, 12 * 15)
    assert dict(result.signature.fields)["2_max_tokens"] == "9"


def test_models_stand_side_by_side(result):
    summary = result.summary()
    means = summary.figures.select("mean", concept=None, by=None)
    assert [(mean.model, mean.value) for mean in means] == [("played", 3.0), ("other", 2.0)]
    (pair,) = summary.figures.select("paired_difference", by="model")
    assert (pair.level, pair.other, pair.value, pair.n) == ("played", "other", 1.0, 6)
    assert summary.figures.counterpart(pair, "correlation").value == pytest.approx(1)
    shown = markdown(document_of(summary))
    assert "each of 2 models: played, other" in shown
    assert "direct rating (DLR), played" in shown
    assert "Models compared" in shown


def test_variance_is_split_into_personas_and_models(result):
    # Within each concept: personas 2, 3, 4 and 1, 2, 3. Means of personas vary by 1, means of models by .5,
    # and nothing is left.
    outcome = {row.level: row.value for row in result.summary().figures.select("variance")}
    assert outcome == pytest.approx({"persona": 1.0, "model": 0.5, "residual": 0.0})


def test_a_finished_run_of_several_models_costs_nothing_again(written, models, running, toy_embedder, result):
    again = written(TWO, DIRECT).run(models, embedder=toy_embedder, running=running)
    assert again.facts.calls == 0
    assert again.answers.drop("seconds").equals(result.answers.drop("seconds"))


def test_a_cap_is_divided_among_the_models(written, models, running, toy_embedder):
    capped = Running(ledger=running.ledger, budget=Budget(calls=7))
    outcome = written(TWO, DIRECT).run(models, embedder=toy_embedder, running=capped)
    # Half of 7 for the first; what is left of all 7 for the second.
    assert [item.calls for item in outcome.facts.by_model] == [3, 4]
    message = "played and other: the cap of 7 calls, 3 for each of 2 models, is reached; received "
    message += "replies are stored"
    assert outcome.facts.stopped.startswith(message)
    assert outcome.facts.stopped.count("the cap of") == 1
    assert outcome.n_unfinished == 12 - 7


def test_forecasts_count_every_model(written, models, running):
    with Ledger(running.ledger) as ledger:
        study = written(TWO, DIRECT)
        outcome = study.forecasts(models, ledger=ledger)
        assert {name: item.calls for name, item in outcome.items()} == {"played": 6, "other": 6}
        assert study.design.n_answers == 12
        with pytest.raises(InputError, match="2 models: take forecasts"):
            study.forecast(models, ledger=ledger)


def test_single_model_overrides_the_models_of_the_file(written, models, running, toy_embedder):
    outcome = written(TWO, DIRECT).run(models[1], embedder=toy_embedder, running=running)
    assert set(outcome.answers["asked_model"]) == {"other"}
    assert outcome.design.n_answers == outcome.answers.height == 6
    assert outcome.summary().models == ()


def test_an_attribute_called_as_the_column_of_models_is_refused(result):
    panel = replace(result.design.panel, fields={"asked_model": WHO})
    renamed = replace(result, design=replace(result.design, panel=panel))
    with pytest.raises(InputError, match="an attribute is called 'asked_model', as the column of models"):
        panel_tables(renamed, banners=["asked_model"])


def test_a_model_without_a_name_is_refused(written):
    with pytest.raises(InputError, match="model must name a model, got an empty name"):
        written(TWO).design.with_models([""])


def test_duplicate_model_names_and_wrong_list_lengths_are_refused(written, models, running):
    study = written(TWO, DIRECT)
    with pytest.raises(InputError, match="different names, got played, played"):
        study.run([models[0]] * 2, running=running)
    with pytest.raises(InputError, match="each of the 2 models, got 3"):
        study.run([*models, models[0]], running=running)


def test_a_saved_run_is_compared_and_tabulated_by_model(result, tmp_path):
    result.save(tmp_path / "stored")
    (tmp_path / "people.csv").write_text(
        "person,concept,intent\n"
        + "".join(f"{n},{c},{1 + n % 4}\n" for n in range(12) for c in ("oat", "nut"))
    )
    outcome = compare(
        tmp_path / "stored", tmp_path / "people.csv", concept="concept", respondent="person", splits=20
    )
    assert [(item.method, item.model) for item in outcome.methods] == [("dlr", "played"), ("dlr", "other")]
    means = outcome.figures.select("mean", side="panel", concept="oat")
    assert [(mean.model, mean.value) for mean in means] == [("played", 3.0), ("other", 2.0)]
    assert "direct rating (DLR), other" in markdown(document_of(outcome))
    stored = read_study(tmp_path / "stored")
    single = panel_tables(stored, model="other", tests=TESTS)
    assert totals(single) == {("concept", "other"): 2.0}
    assert single.sample_notes[1] == "answered by other alone; --chat-model shows played"
    with pytest.raises(InputError, match="'other' alone is tabulated: name another model, too"):
        panel_tables(stored, model="other", banners=["model"])
    with pytest.raises(UnknownNameError, match="model of the study"):
        panel_tables(stored, model="third")


TESTS = TestSettings(min_base=1)


def totals(tables):
    """Means of the first column, in which all groups are together, by banner and model."""
    return {(item.banner.name, item.banner.answered_by): item.cells.values[-1][0] for item in tables.tables}


def test_models_have_separate_columns_in_the_tables(result, tmp_path):
    tables = panel_tables(result, banners=["concept", "model"], tests=TESTS)
    # Both models together: 18 points of the one and 12 of the other in 12 answers.
    assert totals(tables) == {("model", ""): 2.5, ("concept", "played"): 3.0, ("concept", "other"): 2.0}
    assert tables.n == 3 * 2 * 2
    assert document_of(tables).brief_introduction == ("12 answers, 3 tables",)
    assert tables.sample_notes[1].startswith("each of 2 models has columns of its own: played, other")
    assert "model:played+other" in str(tables.signature)
    models = tables.tables[0]
    assert models.columns == ("Total", "played", "other")
    # The one model is a point above the other in every persona, so nothing varies within personas.
    assert models.differences.values[-1, 0] == 1.0
    assert models.differences.low[-1, 0] == pytest.approx(1.0)
    assert finding(tables.tables[1], tables.settings).startswith("played: Would you buy it? The mean is 3.00")
    by_model = tables.to_frame().group_by("answered_by", maintain_order=True).len()
    assert by_model["answered_by"].to_list() == [None, "played", "other"]
    tables.report(tmp_path / "both.xlsx")
    book = CalamineWorkbook.from_path(tmp_path / "both.xlsx")
    sheets = [book.get_sheet_by_name(name).to_python() for name in ("intent", "intent 2", "intent 3")]
    heads = [next(filter(None, rows[4])) for rows in sheets]
    assert heads == ["model", "concept (played)", "concept (other)"]
    assert sheets[1][1][0].startswith("played: the mean is 3.00")


def test_a_model_without_ratings_has_no_table_and_is_named(written, models, running, toy_embedder):
    models[1].number = lambda request: "no number"
    outcome = written(TWO, DIRECT).run(models, embedder=toy_embedder, running=running)
    tables = panel_tables(outcome, tests=TESTS)
    assert totals(tables) == {("concept", "played"): 3.0}
    assert "without a table of intent, as no answer has a rating: other" in tables.sample_notes
