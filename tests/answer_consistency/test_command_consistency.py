"""``semscale consistency`` end to end, with a toy embedder and a scripted chat model."""

import io
import json

import polars as pl
import pytest
from tests.support.scripted_chat import ScriptedChat

from semscale import chat
from semscale.chat import FailureKind
from semscale.chat import runner as runner_module
from semscale.chat.runner import Runner
from semscale.chat.settings import Budget, Limits
from semscale.store.table import Table


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    pl.DataFrame(
        {
            "q": ["12?", "safe?", "gone?", "few?"],
            "a": ["12 apples", "It is safe.", None, "a"],
            "s1": ["12 apples", "It is not safe.", "x", None],
            "s2": ["13 apples", "It is not safe.", "x", None],
            "kind": ["n", "s", "n", "s"],
        }
    ).write_csv(path)
    return path


@pytest.fixture
def asked(monkeypatch, tmp_path):
    script = {"sure?": ["yes"] * 11, "guess?": list("abcdefghijk")}
    model = ScriptedChat(script)
    monkeypatch.setattr(chat, "load_chat_model", lambda *_, **__: model)
    monkeypatch.setenv("SEMSCALE_LEDGER", str(tmp_path / "ledger.sqlite"))
    pl.DataFrame({"q": ["sure?", None, "guess?"]}).write_csv(tmp_path / "prompts.csv")
    return model


COLUMNS = ("--answer", "a", "--sample", "s1", "--sample", "s2")


def test_a_table_is_measured_shown_and_written(semscale, answers, tmp_path):
    ended = semscale(
        "consistency",
        answers,
        *COLUMNS,
        "--prompt",
        "q",
        "--by",
        "kind",
        "--out",
        "o.csv",
        "--report",
        "r.html",
    )
    assert ended.code == 0, ended.err
    assert "2 of 4 prompts were scored; left out: 1 missing and 1 with too few samples" in ended.out
    table = pl.read_csv(tmp_path / "o.csv")
    assert table["semscale_status"].to_list() == ["scored", "scored", "missing", "too-few-samples"]
    message = ["the answer is missing", "no sample is usable, 1 needed"]
    assert table["semscale_reason"].to_list() == [None, None, *message]
    assert table["semscale_uncontradicted"].to_list() == [0.5, 0.0, None, None]
    assert "safe?" in (tmp_path / "r.html").read_text()


def test_a_stopped_run_continues_after_the_last_finished_part(
    semscale, answers, files, stop_at_second_embedding
):
    def run(out, floor=0.1):
        return semscale("consistency", answers, *COLUMNS, "--floor", floor, "--part-rows", 1, "--out", out)

    assert run("whole.csv").code == 0
    stop_at_second_embedding()
    ended = run("out.csv")
    message = (
        "stopped: 1 rows are finished and stored in out.csv.parts; the same command continues after them"
    )
    assert (ended.code, ended.err) == (3, f"semscale: {message}\n")
    assert "floor was 0.1, now 0.2" in run("out.csv", floor=0.2).err
    assert run("out.csv").code == 0
    assert files() == ["answers.csv", "out.csv", "whole.csv"]
    assert (answers.with_name("out.csv")).read_bytes() == answers.with_name("whole.csv").read_bytes()
    assert "--restart belongs to --out" in semscale("consistency", answers, *COLUMNS, "--restart").err


def test_rows_of_items_are_read_from_standard_input(semscale, monkeypatch, tmp_path):
    rows = "item,text\n" + "".join(f"p{row},{text}\n" for text in ("yes", "no", "yes") for row in range(5))
    (tmp_path / "rows.csv").write_text(rows)
    run = ("--item", "item", "--answer", "text", "--measure", "exact_match", "--part-rows", 2, "--out")
    assert semscale("consistency", "rows.csv", *run, "one.csv").code == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(rows.encode())))
    assert semscale("consistency", "-", *run, "other.csv").code == 0
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "other.csv").read_bytes()
    assert pl.read_csv(tmp_path / "one.csv")["semscale_exact_match"].to_list() == [0.5] * 5


def test_json_has_every_measure_and_the_least_consistent(semscale, answers):
    ended = semscale("consistency", answers, *COLUMNS, "--measure", "exact_match", "--json")
    content = json.loads(ended.out)
    assert content["estimates"]["overall"]["figures"]["exact_match"]["value"] == 0.25
    assert [item["item"] for item in content["lowest"]] == [2, 1]
    assert content["trust"] is None


def test_questions_are_asked_once_and_a_second_run_sends_nothing(semscale, asked, tmp_path):
    command = (
        "consistency", "prompts.csv", "--prompt", "q", "--ask", 3, "--chat-model", "m",
        "--measure", "exact_match",
        "--ledger", tmp_path / "ledger", "--out", "o.jsonl",
    )  # fmt: skip
    first = semscale(*command)
    assert first.code == 0, first.err
    assert "8 replies asked for" in first.out
    assert len(asked.asked) == 8
    assert semscale(*command).code == 0
    assert len(asked.asked) == 8
    table = pl.read_ndjson(tmp_path / "o.jsonl")
    assert table["semscale_status"].to_list() == ["scored", "missing", "scored"]
    assert table["semscale_exact_match"].to_list() == [1.0, None, 0.0]
    assert table["semscale_answer"].to_list() == ["yes", None, "a"]


def test_early_stopping_reports_the_saved_replies(semscale, asked, tmp_path):
    ended = semscale(
        "consistency", "prompts.csv", "--prompt", "q", "--ask", 10, "--chat-model", "m",
        "--measure", "exact_match", "--stop-at", 0.5, "--ledger", tmp_path / "ledger",
    )  # fmt: skip
    assert "10 replies asked for, 12 saved because the decision was settled" in ended.out


@pytest.mark.parametrize("ending", ["html", "md", "xlsx"])
def test_reports_of_all_formats_have_figures(semscale, answers, tmp_path, ending):
    ended = semscale("consistency", answers, *COLUMNS, "--report", f"r.{ending}", "--figures", "figures")
    assert ended.code == 0, ended.err
    assert (tmp_path / f"r.{ending}").stat().st_size > 1000
    assert {file.name for file in (tmp_path / "figures").iterdir()} == {"spread.svg", "spread.png"}
    assert ended.out.endswith(f"report: r.{ending}\nfigures: figures\n")


def test_intervals_follow_the_options(semscale, answers):
    ended = semscale("consistency", answers, *COLUMNS, "--interval", "0.5", "--seed", 3, "--json")
    assert json.loads(ended.out)["estimates"]["interval"] == 0.5
    shown = semscale("consistency", answers, *COLUMNS, "--interval", "0.5")
    assert "Altogether (50 % interval)" in shown.out


def test_a_cap_writes_finished_rows_and_exits_with_3(semscale, asked, tmp_path):
    command = (
        "consistency", "prompts.csv", "--prompt", "q", "--ask", 3, "--chat-model", "m",
        "--measure", "exact_match",
        "--ledger", tmp_path / "ledger", "--out", "o.jsonl", "--report", "r.html",
    )  # fmt: skip
    capped = semscale(*command, "--max-calls", 5, "--concurrency", 1)
    assert capped.code == 3
    assert capped.err.startswith("semscale: the cap of 5 calls is reached; received replies are stored")
    assert "1 of 3 prompts was scored; left out: 1 missing and 1 unfinished" in capped.out
    assert "The run is incomplete: the cap of 5 calls is reached" in capped.out
    # Two answers, and all three samples of the first question; the second has an answer and no sample.
    table = pl.read_ndjson(tmp_path / "o.jsonl")
    assert table["semscale_status"].to_list() == ["scored", "missing", "unfinished"]
    assert table["semscale_exact_match"].to_list() == [1.0, None, None]
    assert table["semscale_answer"].to_list() == ["yes", None, "a"]
    assert "the run stopped first" in (tmp_path / "r.html").read_text()
    assert semscale(*command).code == 0
    assert len(asked.asked) == 8
    assert pl.read_ndjson(tmp_path / "o.jsonl")["semscale_status"].to_list() == [
        "scored",
        "missing",
        "scored",
    ]


def test_a_cap_below_the_number_of_prompts_leaves_prompts_with_a_value(semscale, asked, tmp_path):
    """Answers that the floor is estimated from are asked for with their samples, not before all of these."""
    asked.script = {f"p{number}": [f"great {number}", f"good {number}"] for number in range(30)}
    pl.DataFrame({"q": list(asked.script)}).write_csv(tmp_path / "many.csv")
    command = (
        "consistency",
        "many.csv",
        "--prompt",
        "q",
        "--ask",
        1,
        "--chat-model",
        "m",
        "--ledger",
        "ledger",
    )
    capped = semscale(*command, "--max-calls", 24, "--concurrency", 1, "--out", "o.csv")
    assert capped.code == 3
    table = pl.read_csv(tmp_path / "o.csv")
    assert table["semscale_status"].to_list() == ["scored"] * 12 + ["unfinished"] * 18
    assert table["semscale_reason"][12:].str.starts_with("the cap of 24 calls is reached").all()
    assert semscale(*command, "--out", "o.csv").code == 0
    assert semscale(*command, "--out", "parts.csv", "--part-rows", 7).code == 0
    assert len(asked.asked) == 60
    assert (tmp_path / "o.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes()


def test_labels_of_a_part_that_a_cap_left_promise_nothing(semscale, asked, tmp_path):
    pl.DataFrame({"q": ["sure?", "guess?"] * 10, "ok": [1, 0] * 10}).write_csv(tmp_path / "labelled.csv")
    ended = semscale(
        "consistency", "labelled.csv", "--prompt", "q", "--correct", "ok", "--ask", 3, "--chat-model", "m",
        "--measure", "exact_match", "--ledger", tmp_path / "ledger", "--max-calls", 5, "--json",
    )  # fmt: skip
    assert ended.code == 3
    content = json.loads(ended.out)
    assert content["trust"] is None
    assert content["stopped"].startswith("the cap of 5 calls is reached")


def test_calls_follow_the_options(semscale, asked, monkeypatch, tmp_path):
    applied = []

    class RecordingRunner(Runner):
        def __init__(self, model, running):
            applied.append(running)
            super().__init__(model, running)

    monkeypatch.setattr(runner_module, "Runner", RecordingRunner)
    ended = semscale(
        "consistency", "prompts.csv", "--prompt", "q", "--ask", 3, "--chat-model", "m",
        "--measure", "exact_match",
        "--concurrency", 2, "--per-minute", 600, "--max-calls", 9, "--max-total-tokens", 9999,
        "--ledger", tmp_path / "ledger",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    (running,) = applied
    assert running.limits == Limits(concurrency=2, requests_per_minute=600)
    assert (running.budget, running.ledger) == (Budget(calls=9, tokens=9999), str(tmp_path / "ledger"))


DRY_RUN = ("consistency", "prompts.csv", "--prompt", "q", "--ask", 3, "--chat-model", "m", "--dry-run")


def test_a_dry_run_sends_nothing(semscale, asked, tmp_path):
    content = json.loads(semscale(*DRY_RUN, "--json").out)
    (model,) = content["models"]
    assert (content["asked"], content["left_out"], model["calls"]) == (2, {"missing": 1}, 8)
    assert model["money"] is None
    assert asked.asked == []
    shown = semscale(*DRY_RUN, "--report", "r.html")
    assert "report: r.html" in shown.out
    assert "Forecast of the calls" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "2 of 3 prompts were included; left out: 1 missing" in shown.out
    assert "Nothing was sent" in shown.out
    assert "the price of scripted is not known; add it to " in shown.out


def test_a_dry_run_reads_the_table_in_parts(semscale, asked, monkeypatch):
    sizes, batches = [], Table.batches_with

    def noted(table, titles, size):
        sizes.append(size)
        return batches(table, titles, size)

    monkeypatch.setattr(Table, "batches_with", noted)
    whole, parted = (semscale(*DRY_RUN, "--json", *more) for more in ((), ("--part-rows", 1)))
    assert parted.out == whole.out
    assert set(sizes) == {50_000, 1}


def test_a_dry_run_excludes_replies_in_the_ledger(semscale, asked, tmp_path):
    asked.script["guess?"][0] = FailureKind.REFUSED
    command = (
        "consistency", "prompts.csv", "--prompt", "q", "--ask", 3, "--chat-model", "m",
        "--measure", "exact_match",
        "--ledger", tmp_path / "ledger",
    )  # fmt: skip
    assert semscale(*command).code == 0
    (model,) = json.loads(semscale(*command, "--dry-run", "--json").out)["models"]
    # One answer with three samples and one refusal; what was refused gets no samples.
    assert (model["answered"], model["calls"], model["prompt_tokens"]) == (5, 0, 0)
    more = (*command[:5], 5, *command[6:])
    assert json.loads(semscale(*more, "--dry-run", "--json").out)["models"][0]["calls"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--answer", "a", "--sample", "s3"), "no column 's3'; did you mean"),
        (("--answer", "a"), "semscale: name where the repeated answers are"),
        (("--answer", "a", "--sample", "s1", "--item", "q"), "semscale: name where the repeated answers are"),
        ((*COLUMNS, "--measure", "cosine"), "did you mean 'cosine_sim'"),
        ((*COLUMNS, "--ask", "3", "--chat-model", "m"), "name either --answer"),
        (("--prompt", "q"), "name either --answer"),
        (("--prompt", "q", "--ask", "3"), "--ask needs --chat-model NAME"),
        ((*COLUMNS, "--chat-model", "m"), "the embedding model is --embedder"),
        ((*COLUMNS, "--dry-run"), "name --ask N and --chat-model NAME"),
        (
            (*COLUMNS, "--system-prompt", "hi", "--max-tokens", 3),
            "--system-prompt and --max-tokens belong to --ask N",
        ),
        ((*COLUMNS, "--max-calls", 4), "--max-calls belongs to --ask N, which is not given"),
        ((*COLUMNS, "--chat-url", "http://x"), "--chat-url belongs to --ask N"),
        (
            (*COLUMNS, "--curve", "isotonic", "--error-rate", ".2", "--confidence", ".5"),
            "--curve, --error-rate and --confidence belong to --correct, which is not given",
        ),
        ((*COLUMNS, "--floor", "none"), "--floor must be auto or a cosine"),
        ((*COLUMNS, "--correct", "kind"), "--correct must be 1, true"),
        ((*COLUMNS, "--report", "r.pdf"), "report must end in .html, .htm, .md, .xlsx or .pptx, got 'r.pdf'"),
        ((*COLUMNS, "--fewest-samples", "0"), "--fewest-samples must be >= 1, got 0"),
        (("--prompt", "q", "--ask", "0", "--chat-model", "m"), "--ask must be a whole number"),
        (
            ("--prompt", "q", "--ask", "2", "--chat-model", "m", "--stop-at", "6"),
            "--stop-at must lie between 0 and 1, got 6.0",
        ),
        (
            (
                *("--prompt", "q", "--ask", "2", "--chat-model", "m"),
                *("--stop-at", ".6", "--stop-confidence", "2"),
            ),
            "--stop-confidence must lie between 0 and 1, got 2.0",
        ),
    ],
)
def test_bad_input_prints_a_single_line_and_exits_with_2(semscale, answers, arguments, message):
    ended = semscale("consistency", answers, *arguments)
    assert ended.code == 2
    assert message in ended.err
    assert ended.err.count("\n") == 1
