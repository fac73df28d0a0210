"""``semscale study``, over a real HTTP server."""

import json
import re
from importlib import resources

import polars as pl
import pytest
from tests.support.decision_endpoint import deciding_endpoint
from tests.support.endpoint import misbehaving_endpoint

FILE = """
name: bars
model: {name: m, temperature: 0.5, max_tokens: 40}
panel: {size: 4, marginals: {age: {young: 0.5, old: 0.5}}}
persona: You are {age}.
concepts: [{name: oat, text: A bar of oats.}, {name: nut, text: A bar of nuts.}]
questions: [{name: intent, scale: purchase-intent, methods: [ssr, flr, dlr]}]
groups: [age]
budget: {concurrency: 2}
"""


def answer(asked):
    """Write words unless a number is asked for; what is old picks low numbers."""
    texts = [str(message["content"]) for message in asked["messages"]]
    if "one of these numbers" not in texts[-1]:
        return "I would probably buy it."
    return "2" if "You are old" in texts[0] else "4"


@pytest.fixture
def endpoint():
    with misbehaving_endpoint() as content:
        content.reply = answer
        yield content


@pytest.fixture
def study(semscale, tmp_path, endpoint, monkeypatch):
    """Run a command on the file of a study."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("TEAM_KEY", "sk-team")
    (tmp_path / "bars.yaml").write_text(FILE)

    def run(*more, url=None):
        where = ("--chat-url", url or endpoint.url, "--ledger", tmp_path / "ledger.sqlite")
        return semscale("study", "run", "bars.yaml", *where, *more)

    return run


@pytest.mark.exhaustive
@pytest.mark.needs("api")
@pytest.mark.parametrize(
    "case",
    [
        ("", "Bearer none", "without a key"),
        (", key_variable: TEAM_KEY", "Bearer sk-team", "with the value of TEAM_KEY"),
    ],
)
def test_an_endpoint_of_the_file_gets_only_the_key_that_the_file_names(
    semscale, study, tmp_path, endpoint, case
):
    beside, sent, note = case
    model = f"model: {{name: m, base_url: '{endpoint.url}'{beside}}}"
    (tmp_path / "bars.yaml").write_text(re.sub("(?m)^model:.*$", model, FILE))
    run = ("study", "run", "bars.yaml", "--ledger", tmp_path / "ledger.sqlite")
    assert semscale(*run).code == (2 if "key_variable" in beside else 0)
    assert semscale("config", "trust", "bars.yaml").code == 0
    ended = semscale(*run)
    assert ended.code == 0, ended.err
    assert f"note: prompts are sent {note} to {endpoint.url}, which bars.yaml names" in ended.err
    assert {headers.get("authorization") for _, headers, _ in endpoint.requests} == {sent}
    # An endpoint of the command line gets the usual key, whatever variable the file names.
    (tmp_path / "ledger.sqlite").unlink()
    endpoint.requests.clear()
    assert study().code == 0
    assert {headers.get("authorization") for _, headers, _ in endpoint.requests} == {"Bearer k"}


def test_a_key_without_an_endpoint_is_refused(semscale, tmp_path):
    model = "model: {name: m, key_variable: DATABASE_PASSWORD}"
    (tmp_path / "bars.yaml").write_text(re.sub("(?m)^model:.*$", model, FILE))
    ended = semscale("study", "run", "bars.yaml")
    assert (ended.code, "key_variable belongs to base_url" in ended.err) == (2, True), ended.err


@pytest.mark.needs("api")
@pytest.mark.exhaustive
def test_a_run_stores_everything_in_its_folder(study, files, tmp_path):
    ended = study()
    assert ended.code == 0
    assert "Mean of “intent”" in ended.out
    assert "No people were asked." in ended.out
    results = [name for name in files() if name.startswith("bars-results/")]
    assert results == [
        f"bars-results/{name}"
        for name in (
            "answers.parquet",
            "panel.parquet",
            "prompts.parquet",
            "report.html",
            "run.json",
            "study.json",
            "study.yaml",
        )
    ]
    answers = pl.read_parquet(tmp_path / "bars-results" / "answers.parquet")
    # Two of four personas are old and pick 2, two pick 4.
    assert answers.filter(method="dlr").group_by("concept").agg(pl.col("value").mean())[
        "value"
    ].to_list() == [3, 3]
    # Replies are the endpoint's own words, its name for the model included.
    assert set(answers["model"]) == {"m-2"}


@pytest.mark.needs("api")
@pytest.mark.exhaustive
def test_json_keeps_to_the_schema_and_names_the_files(study, tmp_path):
    ended = study("--json", "--out", "kept")
    content = json.loads(ended.out)
    assert (content["instrument"], content["counts"]) == ("study run", {"scored": 24})
    assert content["answers"] == "kept/answers.parquet"
    assert content["run"]["calls"] == 4 * 2 * 2 + 1


@pytest.mark.needs("api")
def test_a_dry_run_sends_nothing(study, endpoint, files):
    ended = study("--dry-run", "--json")
    (model,) = json.loads(ended.out)["models"]
    # 4 personas x 2 concepts x (words, rating, number).
    assert (ended.code, model["calls"], endpoint.requests) == (0, 24, [])
    assert [name for name in files() if "results" in name] == []


@pytest.mark.needs("api")
def test_a_dry_run_says_that_a_cap_is_too_low(study, tmp_path):
    assert "cap" not in study("--dry-run").out
    (tmp_path / "bars.yaml").write_text(FILE.replace("budget: {", "budget: {max_calls: 13, "))
    # 24 calls, 6 a persona: 13 calls are enough for 2 of 4 personas.
    answer = "A cap would end the run early (24 calls, of 13 allowed): it allows about 2 of 4 personas."
    assert answer in " ".join(study("--dry-run").out.split())
    assert answer in json.loads(study("--dry-run", "--json").out)["cautions"][0]
    # The option goes before the file.
    assert "cap" not in study("--dry-run", "--max-calls", "24").out


@pytest.mark.needs("api")
@pytest.mark.exhaustive
def test_a_cap_stops_the_run_and_the_same_command_continues(study):
    first = study("--max-calls", "5")
    assert first.code == 3
    assert "the cap of 5 calls is reached" in first.err
    assert "unfinished" in first.out
    second = study("--json")
    assert second.code == 0
    assert json.loads(second.out)["run"]["calls"] == 4 * 2 * 2 + 1 - 5


@pytest.mark.needs("api")
def test_decisions_have_probabilities(study, tmp_path):
    (tmp_path / "bars.yaml").write_text(FILE.replace("[ssr, flr, dlr]", "[decision]"))
    with deciding_endpoint() as decider:
        decider.masses = lambda asked, names, text: [0.0, 0.0, 0.0, 0.25, 0.75]
        ended = study("--json", url=decider.url)
    content = json.loads(ended.out)
    # 0.25 * 4 + 0.75 * 5
    overall = next(row for row in content["results"] if row["figure"] == "mean" and "concept" not in row)
    assert (content["run"]["form"], overall["value"]) == ("decisions", pytest.approx(4.75))


@pytest.mark.needs("api")
@pytest.mark.exhaustive
def test_letters_replace_decisions_at_an_endpoint_without_them(study, tmp_path):
    (tmp_path / "bars.yaml").write_text(FILE.replace("[ssr, flr, dlr]", "[decision]"))
    with deciding_endpoint() as decider:
        decider.speaks = ("completions",)
        decider.masses = lambda asked, names, text: [0.5, 0.0, 0.0, 0.0, 0.5]
        content = json.loads(study("--json", url=decider.url).out)
    assert content["run"]["form"] == "next-token"
    assert content["counts"] == {"scored": 8}


@pytest.mark.needs("api")
def test_an_endpoint_that_refuses_everything_is_no_result(study, endpoint):
    endpoint.reply = lambda asked: "I'm sorry, but I can't help with that."
    ended = study()
    assert ended.code != 0
    assert "refused" in ended.out
    assert "declines to answer" in ended.err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("persona:", "persna:", "line 5: unknown key 'persna'; did you mean 'persona'?"),
        ("purchase-intent", "purchase", "line 7: unknown scale 'purchase'"),
    ],
)
def test_mistakes_in_the_file_print_a_single_line(study, tmp_path, old, new, message):
    (tmp_path / "bars.yaml").write_text(FILE.replace(old, new))
    ended = study()
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert message in ended.err


def test_init_writes_a_study_that_loads(semscale, tmp_path):
    from semscale.study import load

    assert semscale("study", "init").code == 0
    study = load(tmp_path / "study.yaml")
    assert (len(study.design.panel), study.design.models[0].name) == (6, "local")
    again = semscale("study", "init")
    assert (again.code, again.err) == (
        2,
        "semscale: FILE must not exist, but study.yaml does: choose another name\n",
    )
    assert semscale("study", "init", "a.txt").err == "semscale: FILE must end in .yaml, got 'a.txt'\n"


def test_the_study_written_by_init_has_only_known_keys(tmp_path):
    from semscale.study import load

    text = (resources.files("semscale.study") / "new_study.yaml.txt").read_text(encoding="utf-8")
    (tmp_path / "study.yaml").write_text(
        text.replace("  # joint:\n  #   - {age", "  joint:\n    - {age")
        .replace("share: 0.2}", "share: 1}")
        .replace("  # - {name: where", "  - {name: where")
    )
    with pytest.raises(
        ValueError, match="margin 'age' cannot be met: '35 to 54' should have 0.4 of the panel"
    ):
        load(tmp_path / "study.yaml")


@pytest.mark.needs("api")
@pytest.mark.exhaustive
def test_tables_of_a_run_cover_a_single_method_with_personas_as_clusters(study, semscale, tmp_path):
    study()
    created = semscale("tables", "bars-results", "--min-base", "2", "--out", "t.json", "--out", "t.xlsx")
    assert created.code == 0, created.err
    assert "by ssr alone; --method shows flr or dlr; no people were asked" in created.out.replace("\n", " ")
    by_age = ("--method", "dlr", "--banner", "age", "--min-base", "2", "--out", "d.json")
    assert semscale("tables", "bars-results", *by_age).code == 0
    (table,) = json.loads((tmp_path / "d.json").read_text())["tables"]
    # Two of four personas are old and pick 2 for both concepts, two pick 4.
    assert [(column["name"], column["n"]) for column in table["columns"]] == [
        ("Total", 8),
        ("old", 4),
        ("young", 4),
    ]
    assert [cell["value"] for cell in table["lines"][-1]["cells"]] == [3, 2, 4]
    assert (table["taken_for"], table["lines"][1]["name"]) == ("scale", "2 Probably would not buy")
    (table,) = json.loads((tmp_path / "t.json").read_text())["tables"]
    assert (table["taken_for"], table["banner"]) == ("rated text", "concept")
    assert [column["name"] for column in table["columns"]] == ["Total", "oat", "nut"]


@pytest.mark.exhaustive
@pytest.mark.needs("api")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("bars-results/answers.parquet", "--question", "value"),
            "name the folder of the run (bars-results)",
        ),
        (("bars-results", "--weight", "w"), "weight does not go with the folder of a study's run"),
        (("bars-results", "--where", "age == 'old'"), "where does not go with the folder of a study's run"),
        (("bars-results", "--method", "decision"), "'decision'"),
        (("bars-results", "--banner", "sex"), "'sex'"),
        (("bars-results", "--question", "liking"), "'liking'"),
        (("bars.yaml", "--question", "q", "--method", "ssr"), "method goes with the folder"),
    ],
)
def test_tables_of_a_run_refuse_invalid_options(study, semscale, arguments, message):
    study()
    ended = semscale("tables", *arguments)
    assert ended.code == 2
    assert message in ended.err
