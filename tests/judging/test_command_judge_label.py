"""``semscale label`` for judges, and ``judge --inclusion`` after it."""

import json
import shlex

import polars as pl
import pytest
from tests.support.decision_endpoint import deciding_endpoint

from semscale.cli.main import main

pytestmark = pytest.mark.needs("api")


@pytest.fixture
def decider():
    with deciding_endpoint() as result:
        result.masses = lambda asked, names, text: [0, 0, 1, 0, 0] if "sure" in text else [0.5, 0, 0, 0, 0.5]
        yield result


@pytest.fixture
def command(decider, tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    table = tmp_path / "answers.csv"
    answers = [f"sure {row}" for row in range(10)] + [f"open {row}" for row in range(10)]
    pl.DataFrame({"q": ["q"] * 20, "a": answers}).write_csv(table)

    def written(*more: str) -> list[str]:
        return ["label", str(table), "--prompt", "q", "--answer", "a", "--chat-model", "m", *more]

    return lambda *more: [*written("--chat-url", decider.url, "--reply", "decision"), *more]


def test_a_temperature_of_a_judge_is_refused_by_its_own_option(tmp_path, capsys):
    table = tmp_path / "answers.csv"
    table.write_text("q,a\nq,a\n")
    options = ["--prompt", "q", "--answer", "a", "--chat-model", "m", "--out", str(tmp_path / "sheet.csv")]
    assert main(["label", str(table), *options, "--chat-temperature", "200"]) == 2
    assert "--chat-temperature must be from 0 to 100, got 200" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_rows_are_drawn_labelled_and_the_mean_is_corrected(command, decider, tmp_path, capsys):
    out = tmp_path / "labels.csv"
    assert main(command("--n", "8", "--out", str(out))) == 0
    message = capsys.readouterr().out
    assert "8 of 20 judged rows drawn" in message
    # half the rows have s = .5 and .6 each: 20 * 10 * .25 / (10 * .25 / .6) = 12
    assert "as good as 12 labels drawn at random" in message
    table = pl.read_csv(out)
    assert table["inclusion"].drop_nulls().len() == 8
    table.with_columns(
        human=pl.when(pl.col("inclusion").is_not_null()).then(pl.lit(5)).otherwise(None)
    ).write_csv(out)
    then = shlex.split(message.partition("then: semscale ")[2])
    assert main([*then, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)["human"]
    assert result["n_labelled"] == 8
    assert result["corrected"]["value"] == pytest.approx(1.0)
    assert len(decider.requests) == 20


def test_a_dry_run_sends_and_draws_nothing(command, decider, tmp_path, capsys):
    out = tmp_path / "labels.csv"
    assert main(command("--out", str(out), "--dry-run")) == 0
    assert "calls to make 20" in " ".join(capsys.readouterr().out.split())
    assert decider.requests == []
    assert not out.exists()


def test_a_sheet_with_labels_is_not_drawn_over(command, tmp_path, capsys):
    out = tmp_path / "labels.csv"
    pl.DataFrame({"human": ["5"]}).write_csv(out)
    assert main(command("--out", str(out))) == 2
    assert "has 1 label, which would be lost" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--n", "0"), "--n must be >= 1"),
        (("--template", "continuous"), "needs a template with levels"),
    ],
)
def test_bad_input_prints_a_single_line_and_nothing_is_sent(
    command, decider, tmp_path, capsys, more, message
):
    assert main(command("--out", str(tmp_path / "labels.csv"), *more)) == 2
    assert message in capsys.readouterr().err
    assert decider.requests == []


def test_probabilities_without_labels_are_refused(command, tmp_path, capsys):
    file = command()[1]
    assert (
        main(["judge", file, "--prompt", "q", "--answer", "a", "--chat-model", "m", "--inclusion", "p"]) == 2
    )
    assert "--inclusion belongs to --human" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("chance", "message"),
    [
        ("2", "probabilities above 0 to 1, got 2 in row 3"),
        ("half", "in each row with a label, but row 3 has only a label"),
    ],
)
def test_a_wrong_probability_is_refused_before_any_call(tmp_path, decider, capsys, chance, message):
    file = tmp_path / "labelled.csv"
    file.write_text(f"q,a,human,p\nwhy,1,5,0.5\nwhy,2,,none\nwhy,3,4,{chance}\n")
    command = ["judge", str(file), "--prompt", "q", "--answer", "a", "--human", "human", "--inclusion", "p"]
    options = ["--chat-model", "m", "--chat-url", decider.url, "--part-rows", "1"]
    assert main([*command, *options]) == 2
    assert message in capsys.readouterr().err
    assert decider.requests == []


@pytest.mark.exhaustive
def test_the_printed_command_reads_replies_from_the_same_ledger(command, decider, tmp_path, capsys):
    out, ledger = tmp_path / "labels.csv", tmp_path / "own.sqlite"
    assert main(command("--n", "4", "--out", str(out), "--ledger", str(ledger), "--timeout", "9")) == 0
    then = shlex.split(capsys.readouterr().out.partition("then: semscale ")[2])
    table = pl.read_csv(out)
    table.with_columns(human=pl.when(pl.col("inclusion").is_not_null()).then(pl.lit(5))).write_csv(out)
    assert main([*then, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    with_inclusion = result["signature"]
    assert not any("wrong without" in message for message in result["cautions"])
    assert len(decider.requests) == 20
    assert "--timeout" in then
    index = then.index("--inclusion")
    assert main([*then[:index], *then[index + 2 :], "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    plain = result["signature"]
    assert any("wrong without them (--inclusion inclusion)" in message for message in result["cautions"])
    assert with_inclusion != plain
    assert with_inclusion.endswith("inclusion:yes")


@pytest.mark.exhaustive
def test_a_gain_of_less_than_a_label_is_reported_as_such(command, decider, tmp_path, capsys):
    decider.masses = lambda asked, names, text: [
        0,
        0.5 - (off := 0.01 * ("sure" in text)),
        2 * off,
        0.5 - off,
        0,
    ]
    assert main(command("--n", "4", "--out", str(tmp_path / "labels.csv"))) == 0
    message = capsys.readouterr().out
    assert "gain: less than one label, as the judge is about equally certain of all rows\n" in message


@pytest.mark.exhaustive
def test_drawing_all_rows_reports_no_gain(command, tmp_path, capsys):
    assert main(command("--n", "50", "--out", str(tmp_path / "labels.csv"))) == 0
    message = capsys.readouterr().out
    assert "20 of 20 judged rows drawn" in message
    assert "gain: none, as every row that could be drawn was" in message
    assert "--reply decision asks" not in message


def filled(path):
    table = pl.read_csv(path, infer_schema_length=None)
    table.with_columns(human=pl.when(pl.col("inclusion").is_not_null()).then(pl.lit(5))).write_csv(path)


@pytest.mark.exhaustive
def test_a_second_draw_keeps_the_labels_and_joins_both_draws(command, decider, tmp_path, capsys):
    first, second = tmp_path / "labels.csv", tmp_path / "more.csv"
    assert main(command("--n", "4", "--draw", "random", "--out", str(first))) == 0
    filled(first)
    again = command("--n", "4", "--draw", "random", "--out", str(second))
    again[1] = str(first)
    capsys.readouterr()
    assert main(again) == 0
    message = capsys.readouterr().out
    assert "4 of 16 judged rows drawn" in message
    assert "4 earlier rows keep their labels" in message
    assert len(decider.requests) == 20
    table = pl.read_csv(second)
    # Half of each total: the first four were drawn with .2, the next with .25, so that their weights are
    # .5 * 5 + .5 = 3 and .5 * 4 = 2; together 4 * 3 + 4 * 2 = 20 rows.
    assert table["inclusion"].to_list()[:4] == pytest.approx([1 / 2] * 4)
    assert table["inclusion"].drop_nulls().to_list()[4:] == pytest.approx([1 / 3] * 4)
    assert table["human"].to_list()[:4] == [None] * 4
    assert table["human"].drop_nulls().to_list() == [5] * 4
    filled(second)
    then = shlex.split(message.partition("then: semscale ")[2])
    assert main([*then, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["human"]["n_labelled"] == 8


@pytest.mark.exhaustive
def test_rows_that_have_labels_from_elsewhere_are_not_drawn(command, tmp_path, capsys):
    file, out = command()[1], tmp_path / "labels.csv"
    table = pl.read_csv(file).with_columns(human=pl.Series([3] * 6 + [None] * 14))
    table.write_csv(file)
    assert main(command("--n", "7", "--draw", "random", "--out", str(out))) == 0
    drawn = pl.read_csv(out)
    # Nobody knows how the six were chosen, so they stand for themselves alone, and seven of 14 for the rest.
    assert sorted(drawn["inclusion"].drop_nulls().to_list()) == pytest.approx([0.5] * 7 + [1.0] * 6)
    assert drawn.filter(human=3)["inclusion"].to_list() == [1.0] * 6


@pytest.mark.exhaustive
def test_a_table_with_labels_in_all_rows_has_none_left_to_draw(command, tmp_path, capsys):
    file = command()[1]
    pl.read_csv(file).with_columns(human=pl.lit(3)).write_csv(file)
    assert main(command("--out", str(tmp_path / "labels.csv"))) == 2
    assert "none is left to draw" in capsys.readouterr().err
