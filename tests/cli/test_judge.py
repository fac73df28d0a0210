"""``semscale judge`` from a file to the screen, JSON, a table and a report, over a real HTTP server."""

import csv
import json
import math
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import polars as pl
import pytest
from tests.schema_check import check_json

from semscale.cli.main import main
from semscale.store.table import Table

pytestmark = pytest.mark.needs("api")

ROWS = [
    {"q": "When was Hastings?", "a": "In 1066.", "known": "1066", "people": "5"},
    {"q": "Why is the sky blue?", "a": "It mirrors the sea.", "known": "scattering", "people": "[1, 2]"},
    {"q": "What is an atom?", "a": "", "known": "a unit of matter", "people": ""},
    {"q": "Who wrote Emma?", "a": "Jane Austen <script>alert(1)</script>", "known": "Austen", "people": ""},
    {"q": "Is 7 prime?", "a": "Say nothing.", "known": "yes", "people": ""},
]  # fmt: skip
LEVELS = {"1066": 5, "mirrors": 2, "Austen": 4}
TOP = {"5": 0.8, "4": 0.2}


class JudgeEndpoint(BaseHTTPRequestHandler):
    """Scores an answer by a word in it; gives probabilities of tokens if they are asked for."""

    protocol_version = "HTTP/1.1"
    asked: list
    refuses: set
    down_for: set
    lock: threading.Lock

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            self.asked.append(body)
        if self.refuses & body.keys():
            return self.answer(400, {"error": {"message": "unknown field"}})
        prompt = next(message["content"] for message in body["messages"] if message["role"] == "user")
        prompt = prompt if isinstance(prompt, str) else prompt[0]["text"]
        answer = re.search(r"BEGIN ANSWER \w+\]\n(.*)\n\[END", prompt, re.DOTALL)[1]
        if any(word in answer for word in self.down_for):
            self.close_connection = True
            # A longer wait than a run has patience for, so that nothing is repeated.
            return self.answer(503, {"error": {"message": "down"}}, {"Retry-After": "9999"})
        level = next((level for word, level in LEVELS.items() if word in answer), None)
        text = "4 or 5" if level is None else f'{{"score": {level}, "explanation": "it says {level}"}}'
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        if body.get("logprobs") and level:
            top = [{"token": token, "logprob": math.log(share)} for token, share in TOP.items()]
            tokens = [('{"score": ', []), (str(level), top), (text[11:], [])]
            choice["logprobs"] = {
                "content": [
                    {"token": token, "logprob": -0.2, "top_logprobs": others} for token, others in tokens
                ]
            }
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        return self.answer(200, {"id": "x", "object": "chat.completion", "created": 1, "model": body["model"],
                                 "choices": [choice], "usage": usage})  # fmt: skip

    def answer(self, status, content, headers=None):
        raw = json.dumps(content).encode()
        self.send_response(status)
        usual = {"Content-Type": "application/json", "Content-Length": str(len(raw))}
        for name, value in (usual | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_):
        pass


@pytest.fixture
def endpoint():
    state = {"asked": [], "refuses": set(), "down_for": set(), "lock": threading.Lock()}
    handler = type("Handler", (JudgeEndpoint,), state)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    handler.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    yield handler
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["q", "a", "known", "people"])
        writer.writeheader()
        writer.writerows(ROWS)
    return path


@pytest.fixture
def command(tmp_path, endpoint, answers):
    def build(*more, model=("--model", "judge-one"), url=True):
        where = ("--base-url", endpoint.url) if url else ()
        ledger = ("--ledger", str(tmp_path / "ledger.sqlite"))
        return ["judge", str(answers), "--question", "q", "--answer", "a", *model, *where, *ledger, *more]

    return build


def test_everything_at_once(command, tmp_path, capsys, endpoint):
    out, report = tmp_path / "judged.parquet", tmp_path / "judged.html"
    code = main(
        command(
            "--human", "people", "--reference", "known", "--out", str(out), "--report", str(report), "--json"
        )
    )
    found = json.loads(capsys.readouterr().out)
    assert code == 0
    assert found["counts"] == {"scored": 3, "missing": 1, "unparsable": 1}
    judged = pl.read_parquet(out)
    assert judged["semscale_status"].to_list() == ["scored", "scored", "missing", "scored", "unparsable"]
    assert judged["semscale_score"].to_list() == [1.0, 0.25, None, 0.75, None]
    # Beside the second answer's level, 2, the endpoint gives .8 and .2 to others: that is no probability.
    assert judged["semscale_provenance"].to_list()[:2] == ["logprobs", "single"]
    assert judged["semscale_expected"][0] == pytest.approx(0.8 + 0.2 * 0.75)
    assert judged["q"].to_list() == [row["q"] for row in ROWS]
    # The judge expects .95 and .25 where people say 1 and the mean of 0 and .25: (-.05 + .125) / 2.
    assert found["human"]["bias"] == pytest.approx(0.0375)
    page = report.read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "Where the judge is least certain" in page
    assert all("reference" in body["messages"][1]["content"] for body in endpoint.asked[:1])


def test_the_screen_names_figures_and_what_was_left_out(command, capsys):
    assert main(command()) == 0
    shown = capsys.readouterr().out
    for words in (
        "3 of 5 rows count; left out: 1 missing and 1 unparsable",
        "1 unparsable",
        "mean score, from 0 to 1",
        "judge-one",
        "signature: semscale",
    ):
        assert words in shown
    assert "No human label stands beside these scores" in shown


def test_each_judges_interval_is_made_as_the_options_say(command, tmp_path, capsys):
    panel = tmp_path / "two.yaml"
    url = command()[command().index("--base-url") + 1]
    panel.write_text(f"judges: [{{model: one, base_url: '{url}'}}, {{model: two, base_url: '{url}'}}]")
    made = {}
    for interval in ("0.5", "0.95"):
        assert main(command("--json", "--interval", interval, model=("--panel", str(panel)), url=False)) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["judges"][0]["estimates"]["interval"] == float(interval)
        mean = found["judges"][0]["estimates"]["overall"]["figures"]["expected"]
        made[interval] = mean["high"] - mean["low"]
    assert made["0.5"] < made["0.95"]


@pytest.mark.parametrize("ending", ["html", "md", "xlsx"])
def test_a_report_of_each_kind_and_its_figures(command, tmp_path, capsys, ending):
    report, figures = tmp_path / f"judged.{ending}", tmp_path / "figures"
    assert main(command("--report", str(report), "--figures", str(figures))) == 0
    assert report.stat().st_size > 1000
    assert {file.name for file in figures.iterdir()} == {"scores.svg", "scores.png"}
    assert f"figures: {figures}" in capsys.readouterr().out


def test_a_second_start_asks_only_what_has_no_outcome(command, endpoint, capsys):
    assert main(command()) == 0
    asked = len(endpoint.asked)
    assert main(command()) == 0
    assert len(endpoint.asked) == asked
    capsys.readouterr()


def test_the_same_command_asks_again_about_rows_that_the_endpoint_was_down_for(
    command, endpoint, tmp_path, capsys
):
    out = tmp_path / "judged.jsonl"
    line = command("--out", str(out), "--part-rows", "1")
    endpoint.down_for = {"mirrors"}
    assert main([*line, "--max-calls", "3"]) == 3
    statuses = pl.read_ndjson(out)["semscale_status"].to_list()
    assert statuses == ["scored", "failed", "missing", "scored", "unfinished"]
    endpoint.down_for = set()
    endpoint.asked.clear()
    assert main(line) == 0
    statuses = pl.read_ndjson(out)["semscale_status"].to_list()
    assert statuses == ["scored", "scored", "missing", "scored", "unparsable"]
    asked = [str(body["messages"][1]["content"]) for body in endpoint.asked]
    assert "mirrors" in asked[0]
    assert not any("1066" in prompt or "Austen" in prompt for prompt in asked)
    capsys.readouterr()


def test_a_cap_keeps_what_is_done_and_ends_with_3(command, endpoint, tmp_path, capsys):
    out = tmp_path / "judged.jsonl"
    assert main(command("--max-calls", "2", "--out", str(out))) == 3
    statuses = pl.read_ndjson(out)["semscale_status"].to_list()
    assert (statuses.count("scored"), statuses.count("unfinished")) == (2, 2)
    assert "cap" in capsys.readouterr().err
    done = len(endpoint.asked)
    assert main(command("--out", str(out))) == 0
    # The two that were asked about are not asked about again: one more, and three times the unreadable one.
    assert len(endpoint.asked) - done == 4
    capsys.readouterr()


def test_parts_before_a_cap_are_kept_and_gone_on_with(command, endpoint, tmp_path, capsys):
    out, kept = tmp_path / "judged.jsonl", tmp_path / "judged.jsonl.parts"
    run = command("--part-rows", "1", "--out", str(out))
    assert main([*run, "--max-calls", "2"]) == 3
    assert len(list(kept.glob("part-*.json"))) == 3  # two rows, and the one without an answer
    assert (
        pl.read_ndjson(out)["semscale_status"].to_list() == ["scored"] * 2 + ["missing"] + ["unfinished"] * 2
    )
    assert main([*run, "--order", "score-only"]) == 2
    assert "order was score-first, now score-only" in capsys.readouterr().err
    done = len(endpoint.asked)
    assert main(run) == 0
    assert len(endpoint.asked) - done == 4
    assert not kept.exists()


def test_groups_are_compared_on_the_screen_in_the_report_and_in_json(command, tmp_path, capsys):
    report = tmp_path / "judged.md"
    assert main(command("--by", "known", "--json", "--report", str(report))) == 0
    text = capsys.readouterr().out
    check_json(text)
    found = json.loads(text)
    assert found["estimates"]["by"] == found["judges"][0]["estimates"]["by"] == "known"
    means = {group["group"]: group["figures"].get("score") for group in found["estimates"]["groups"]}
    # Levels 5, 2 and 4 of 1 to 5; the other two answers have no score.
    assert (means.pop("a unit of matter"), means.pop("yes")) == (None, None)
    assert {name: mean["value"] for name, mean in means.items()} == {
        "1066": 1.0,
        "scattering": 0.25,
        "Austen": 0.75,
    }
    assert {row["group"] for row in found["lowest"]} == {"1066", "scattering", "Austen"}
    shown = report.read_text(encoding="utf-8")
    assert "## How the scores are spread, by known" in shown
    assert "| `scattering` | 1\\* | 0 | 0.25 |" in shown
    assert main(command("--by", "known")) == 0
    screen = capsys.readouterr().out
    assert re.search(r"Austen +1\* +0 +0\.75", screen)
    assert main(command("--by", "nowhere")) == 2
    assert "by" in capsys.readouterr().err


def test_a_dry_run_asks_nobody(command, endpoint, capsys):
    assert main(command("--dry-run")) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "requests 4 answered before 0 the same as another 0 calls to make 4" in shown
    assert "Nothing was sent" in shown
    assert "the price of judge-one is not known" in shown
    assert endpoint.asked == []


def test_a_dry_run_writes_its_forecast_as_a_report_and_no_table(command, tmp_path, capsys):
    out, report, figures = tmp_path / "judged.csv", tmp_path / "forecast.md", tmp_path / "figures"
    asked = ("--out", str(out), "--report", str(report), "--figures", str(figures))
    assert main(command("--dry-run", *asked)) == 0
    assert f"report: {report}" in capsys.readouterr().out
    shown = report.read_text(encoding="utf-8")
    assert "What asking would take" in shown
    assert "4 of 5 rows count; left out: 1 missing." in shown
    assert not out.exists()
    assert not figures.exists()


@pytest.mark.parametrize("refused", [(), ("logprobs", "top_logprobs", "response_format")])
def test_a_dry_run_leaves_out_what_was_replied_in_whatever_form(command, endpoint, capsys, refused):
    endpoint.refuses = set(refused)
    assert main(command("--max-calls", str(2 + 5 * bool(refused)))) == 3  # five forms are refused
    capsys.readouterr()
    assert main(command("--dry-run")) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "requests 4 answered before 2 the same as another 0 calls to make 2" in shown


def test_a_dry_run_reads_the_table_in_parts(command, answers, capsys, monkeypatch):
    sizes, batches = [], Table.batches_with

    def noted(table, titles, size):
        for batch in batches(table, titles, size):
            sizes.append(batch.height)
            yield batch

    monkeypatch.setattr(Table, "batches_with", noted)
    answers.write_text("q,a\n" + "2+2?,4\n" * 2 + "2+2?,5\n,5\n" + "2+2?,4\n")
    assert main(command("--dry-run", "--json", "--part-rows", "2")) == 0
    content = json.loads(capsys.readouterr().out)
    (model,) = content["models"]
    assert (content["asked"], content["left_out"]) == (4, {"missing": 1})
    # A part asks once about equal rows, so there are three requests; the last one repeats the first.
    assert (model["requests"], model["repeated"], model["calls"]) == (3, 1, 2)
    assert set(sizes) == {1, 2}


def test_a_cost_cap_needs_a_price(command, endpoint, capsys):
    assert main(command("--max-cost", "1")) == 2
    assert "the price of judge-one is not known" in capsys.readouterr().err
    assert endpoint.asked == []


def test_an_endpoint_without_logprobs_or_schema(command, endpoint, capsys):
    endpoint.refuses = {"logprobs", "top_logprobs", "response_format"}
    assert main(command("--json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["judges"][0]["provenance"] == {"single": 3}
    assert "|structured:no|logprobs:none|" in found["signature"]


def test_screen_and_exit_code_say_that_nobody_was_reached_and_why(command, endpoint, capsys):
    endpoint.refuses = {"messages"}
    assert main(command()) == 2
    printed = capsys.readouterr()
    assert "most often because: judge-one: Error code: 400 - unknown field." in " ".join(printed.out.split())
    why = "no call brought a reply, most often because: judge-one: Error code: 400 - unknown field"
    assert printed.err == f"semscale: {why}\n"


def test_settings_of_calls_are_sent(command, endpoint):
    assert main([*command(), "--temperature", "0.5", "--max-tokens", "77", "--timeout", "9"]) == 0
    assert {(body["temperature"], body["max_tokens"]) for body in endpoint.asked} == {(0.5, 77)}
    assert main([*command(), "--timeout", "0"]) == 2


def test_a_panel_from_a_file(command, endpoint, tmp_path, capsys):
    panel, report = tmp_path / "panel.yaml", tmp_path / "judged.html"
    panel.write_text(
        f"judges:\n- {{model: one, base_url: '{endpoint.url}'}}\n"
        f"- {{model: two, base_url: '{endpoint.url}', logprobs: false}}\n"
    )
    options = ("--json", "--human", "people", "--report", str(report))
    assert main(command(*options, model=("--panel", str(panel)), url=False)) == 0
    found = json.loads(capsys.readouterr().out)
    assert [judge["name"] for judge in found["judges"]] == ["one", "two"]
    assert [judge["counts"]["scored"] for judge in found["judges"]] == [3, 3]
    assert found["panel"]["agreement"][0]["judges"] == ["one", "two"]
    assert "How severe each judge is" in report.read_text(encoding="utf-8")


def test_an_audit(command, endpoint, capsys):
    arguments = command("--reference", "known", "--json")
    assert main(["judge", "audit", *arguments[1:]]) == 0
    (found,) = json.loads(capsys.readouterr().out)["judges"]
    checks = {check["check"]: check for check in found["checks"]}
    # The endpoint says the same number whatever the scale is: turned round, 5, 2 and 4 become 1, 4 and 2.
    assert list(checks) == ["reversed", "relabelled", "padding", "reference-position", "injection"]
    assert checks["reversed"]["effect"]["value"] < 0
    assert checks["padding"]["effect"]["value"] == 0
    assert checks["relabelled"]["effect"]["n"] == 0
    assert main(["judge", "audit", *arguments[1:-1]]) == 0
    assert "what a change of form does to the score" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--template", "lickert"), "unknown template 'lickert': did you mean 'likert'"),
        (("--order", "last"), "unknown order 'last'"),
        (("--samples", "0"), "samples must be a whole number from 1 to 1000"),
        (("--reference", "nown"), "known"),
        (("--human", "q"), "column 'q' is named twice"),
        (("--human", "known"), "human labels must be numbers from 1 to 5"),
        (("--rubric", "@nowhere.txt"), "rubric file 'nowhere.txt' cannot be read"),
        (("--report", "judged.pdf"), "report must end in .html"),
        (("--restart",), "--restart belongs to --out"),
        (("--part-rows", "0"), "--part-rows must be at least 1"),
        (("--panel", "panel.yaml"), "name a judge with --model or several with --panel, got both"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_2(command, capsys, more, message):
    assert main(command(*more)) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_an_address_beside_a_panel_is_refused_and_not_passed_over(command, capsys):
    assert main(command(model=("--panel", "panel.yaml"))) == 2
    assert "write base_url beside each model" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("judges: [{model: one}]", "a list of two or more"),
        ("[", "line 1: not readable as YAML"),
        ("judges: [{model: a, tempo: 1}, {model: b}]", "unknown setting of a judge 'tempo'"),
    ],
)
def test_a_wrong_panel_file_is_named(command, tmp_path, capsys, content, message, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    panel = tmp_path / "panel.yaml"
    panel.write_text(content)
    assert main(command(model=("--panel", str(panel)), url=False)) == 2
    assert message in capsys.readouterr().err


def test_without_a_key_nothing_is_asked(command, capsys, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert main(command(url=False)) == 2
    assert "OPENAI_API_KEY is not set" in capsys.readouterr().err
